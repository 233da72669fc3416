"""Widgets of several kinds on one page: the style sheet of one must not repaint another."""

import pytest
from widget_page import widget_page

from attn_helpers import pair
from attn_helpers.scoring import attend_numpy
from attn_helpers.trained import load_replay
from attn_helpers.widgets import (
    AttentionHeatmap,
    MaskLab,
    MuseumRoom,
    PositionWaves,
    ScoreExplorer,
    ShapeLedger,
    TrainingReplay,
    TranslationLab,
)

_, WEIGHTS = attend_numpy(pair.QUERIES, pair.KEYS, pair.VALUES)
WIDGETS = {
    "grid": lambda: AttentionHeatmap(WEIGHTS, pair.TARGET, pair.SOURCE, row=1),
    "ribbons": lambda: AttentionHeatmap(WEIGHTS, pair.TARGET, pair.SOURCE, row=1, view="ribbons"),
    "masks": MaskLab,
    "museum": MuseumRoom,
    "waves": PositionWaves,
    "plane": ScoreExplorer,
    "ledger": ShapeLedger,
    "replay": lambda: TrainingReplay(load_replay("bahdanau-bidirectional")),
    "lab": lambda: TranslationLab.of_trained("bahdanau-bidirectional", operations=[("zero", [1])], row=1),
}
LOOK = """() => [...document.querySelectorAll("main *")].map((element) => {
  const style = getComputedStyle(element);
  const name = `${element.tagName}.${element.getAttribute("class")}`.replaceAll(" ", ".");
  return `${name} ` +
    [...style].filter((n) => !n.startsWith("--")).map((n) => `${n}: ${style.getPropertyValue(n)}`).join("; ");
})"""


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_looks_the_same_beside_the_others(name, open_page, tmp_path):
    """In chapter 1 the heatmap stands behind ScoreExplorer; its words must keep their typeface."""
    sheets = [other()._css for other in WIDGETS.values()]
    looks = []
    for number, style in enumerate(("", "\n".join(sheets))):
        path = tmp_path / f"{number}.html"
        path.write_text(widget_page(WIDGETS[name](), style=style), "utf-8")
        page, record = open_page(path.as_uri(), width=960, height=900)
        page.wait_for_function("window.ready")
        page.wait_for_timeout(300)
        looks.append(page.evaluate(LOOK))
        assert record.trouble() == []
    alone, beside = looks
    assert len(alone) > 20
    other = [
        f"{a.split(' ')[0]}: {x} → {y}"
        for a, b in zip(alone, beside, strict=True)
        for x, y in zip(a.split("; "), b.split("; "), strict=True)
        if x != y
    ]
    assert other == []
