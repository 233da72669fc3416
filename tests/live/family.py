"""The widgets, and how a reader moves each: a new widget is one more entry.

Values are compared as Python writes them, and what the page shows as it stands there.
"""

from collections.abc import Callable
from dataclasses import dataclass


def drag(page, element, dx, dy):
    """Take an element with the mouse and put it elsewhere."""
    element.scroll_into_view_if_needed()
    box = element.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=4)
    page.mouse.up()


@dataclass
class Member:
    """One widget: what a hand does, what a keyboard does, what Python does, and what follows from it."""

    kind: str
    arguments: str
    root: str  # its class on the page
    traits: str  # what the reader can move, for an observer
    mouse: Callable  # of (page, view)
    moved: tuple[str, str]  # then this expression of w is that
    focus: str  # where the keyboard comes in
    keys: tuple[str, ...]
    typed: tuple[str, str]  # then this expression of w is that
    told: str  # a statement about w in Python
    place: str  # then here
    shows: str  # this is read, as text or as the value of a slider
    nudge: Callable = lambda view, times: view.hover(position={"x": 40, "y": 40 + 20 * times})  # draws anew

    def seen(self, view):
        """What is read at the place."""
        place = view.locator(self.place)
        return (place.get_attribute("aria-valuetext") or place.text_content()).partition(";")[0]


FAMILY = [
    Member(
        kind="ScoreExplorer",
        arguments="score='dot'",
        root=".attn-score-explorer",
        traits="['query', 'key_vectors']",
        mouse=lambda page, view: drag(page, view.locator("[data-handle=query]"), -90, -20),
        moved=("w.query[0] < 0 < w.query[1]", "True"),
        focus="[data-handle='key_vectors.1']",
        keys=("ArrowLeft", "ArrowLeft", "ArrowUp"),
        typed=("[round(x, 2) for x in w.key_vectors[1]]", "[2.3, 0.35]"),
        told="w.query = (0, 0)",
        place="[data-handle=query]",
        shows=".00, .00",
    ),
    Member(
        kind="AttentionHeatmap",
        arguments="[[0.75, 0.25, 0], [0.125, 0.5, 0.375]], ['le', 'chat'], ['the', 'black', 'cat']",
        root=".attn-attention-heatmap",
        traits="['row', 'column']",
        mouse=lambda page, view: view.locator("[data-cell='1,1']").click(),
        moved=("(w.row, w.column)", "(1, 1)"),
        focus="[data-cell='1,1']",
        keys=("ArrowUp", "ArrowLeft", "Enter"),
        typed=("(w.row, w.column)", "(0, 0)"),
        told="w.row, w.column = 1, 2",
        place=".attn-h-number",
        shows=".38",
    ),
    Member(
        kind="MaskLab",
        arguments="",
        root=".attn-mask-lab",
        traits="['flips', 'cell']",
        mouse=lambda page, view: view.locator("[data-cell='mask,0,2,1']").click(),
        moved=("w.flips", "((0, 2, 1),)"),
        focus="[data-cell='mask,0,2,1']",
        keys=("ArrowRight", "ArrowUp"),
        typed=("w.cell", "(0, 1, 2)"),
        told="w.flips, w.lengths = (), (4, 0)",
        place="[data-cell='mask,1,0,0']",
        shows="",
    ),
    Member(
        kind="MuseumRoom",
        arguments="",
        root=".attn-museum-room",
        traits="['guesses', 'row']",
        mouse=lambda page, view: view.locator("[data-guess='2']").click(),
        moved=("w.guesses[0]", "2"),
        focus="[data-cell='1,0']",
        keys=("ArrowDown", "ArrowDown", "Enter"),
        typed=("w.row", "3"),
        told="w.shown, w.fault, w.guesses = 3, True, (None,) * 6",
        place=".attn-title",
        shows="The mask is left out.",
        nudge=lambda view, times: view.locator(f"[data-name='{times}']").click(),
    ),
    Member(
        kind="PositionWaves",
        arguments="",
        root=".attn-position-waves",
        traits="['position', 'pair']",
        mouse=lambda page, view: drag(page, view.locator("[data-handle=position]"), 0, 150),
        moved=("w.position > 20", "True"),
        focus="[data-handle=position]",
        keys=("Home", "PageDown", "ArrowDown", "ArrowDown"),
        typed=("w.position", "10"),
        told="w.width, w.position = 2, 0",
        place=".attn-w-read .attn-w-big",
        shows=".9998",
        nudge=lambda view, times: view.locator("[data-pic=waves]").hover(
            position={"x": 90, "y": 99 + 9 * times}
        ),
    ),
    Member(
        kind="DrawnCurve",
        arguments="series=[{'name': 'a', 'mean': [.5] * 6, 'low': [.4] * 6, 'high': [.6] * 6, 'about': ''}]",
        root=".attn-drawn-curve",
        traits="['drawn', 'cursor']",
        mouse=lambda page, view: drag(page, view.locator("[data-pen='0']"), 0, -30),
        moved=("w.drawn[0] is not None and w.drawn[0] > 0.5", "True"),
        focus="[data-pen='0']",
        keys=("End",),
        typed=("w.cursor", "5"),
        told="w.drawn, w.cursor = [0.25] * 6, 0",
        place="[data-pen='0']",
        shows="25 %",
    ),
    Member(
        kind="ShapeLedger",
        arguments="",
        root=".attn-shape-ledger",
        traits="['sizes', 'row']",
        mouse=lambda page, view: view.locator("[data-step='m 1']").click(),
        moved=("w.sizes['m']", "9"),
        focus="[data-pick='5']",
        keys=("ArrowDown", "ArrowDown", "ArrowDown"),
        typed=("w.row", "8"),
        told="w.sizes = {'B': 2, 'T': 4, 'm': 10, 'S': 5, 'H': 4}",
        place=".attn-title",
        shows="d_model 10 does not split into 4 heads: 10 = 4·2 + 2.",
        nudge=lambda view, times: view.locator(f"[data-pick='{times}']").click(),
    ),
    Member(
        kind="Seq2SeqStepper",
        arguments="Seq2Seq(Encoder(13, 2, 3), Decoder(13, 2, 3)), [(['a'] * 5, [*'abcdefghi'])],"
        " (Vocabulary([*'abcdefghi']),) * 2",
        root=".attn-stepper",
        traits="['position']",
        mouse=lambda page, view: view.locator("[data-act=forward]").click(),
        moved=("w.position > 1", "True"),
        focus="[data-step='1']",
        keys=("End",),
        typed=("w.position", "10"),
        told="w.position, w.predict = 9, False",
        place=".attn-s-in >> nth=-1",
        shows="h",
        nudge=lambda view, times: view.locator(f"[data-step='{times}']").click(),
    ),
    Member(
        kind="TrainingReplay",
        arguments="load_replay('bahdanau-bidirectional')",
        root=".attn-training-replay",
        traits="['position']",
        mouse=lambda page, view: drag(page, view.locator("[data-move=position]"), 150, 0),
        moved=("w.position > 9", "True"),
        focus="[data-move=position]",
        keys=("End", "ArrowLeft"),
        typed=("(w.position, w.revealed)", "(47, True)"),
        told="w.position, w.revealed = 3, False",
        place="[data-move=position]",
        shows="step 10 of 1500",
    ),
    Member(
        kind="TranslationLab",
        arguments="**trained_models(['bahdanau-bidirectional']), row=0",
        root=".attn-translation-lab",
        traits="['row', 'operations']",
        mouse=lambda page, view: view.locator("[data-act=zero]").click(),
        moved=("[one.kind for one in w.operations]", "['zero']"),
        focus="[data-step='0']",
        keys=("ArrowDown", "ArrowDown"),
        typed=("w.row", "2"),
        told="w.operations, w.text = [], 'the zzz cat sleeps'",
        place=".attn-lab-column >> nth=1",
        shows="zzz",
        nudge=lambda view, times: view.locator(f"[data-row='{times}'] .attn-lab-word").first.click(),
    ),
]
