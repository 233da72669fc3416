"""Pictures are judged by data, positions and texts.

R149: the re-run of notebooks looks at no image, so a picture of zeros must fail here. R159: a baseline of
pixels would drift with every release of Matplotlib.
"""

import base64
import io
import json
import warnings
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib import font_manager
from matplotlib.colors import to_rgb
from PIL import Image

from attn_helpers import plots
from attn_helpers.plots import colours, ink
from attn_helpers.plots.colours import INK, weight_colour
from attn_helpers.widgets import ScoreExplorer
from attn_helpers.widgets.seq2seq_stepper import Traced

HOSTILE = json.loads((Path(__file__).parent / "fixtures/hostile_tokens.json").read_text(encoding="utf-8"))
CSS = Path(plots.__file__).parents[1] / "widgets/css/tokens.css"
EXPLORER = {
    "query_token": "chat",
    "query": [1, 0.8],
    "key_tokens": ["the", "black", "cat", "sleeps"],
    "key_vectors": [[-0.6, 0.5], [2.4, 0.3], [0.9, 0.7], [0.3, -1.2]],
    "value_vectors": [[-1.7, 0.7], [1.5, 1.3], [1.3, -1.1], [-1.1, -1.3]],
    "scores": [-0.141, 1.867, 1.032, -0.467],
    "weights": [0.081, 0.600, 0.261, 0.058],
    "output": [1.04, 0.47],
}


@pytest.fixture(autouse=True)
def _quiet(capfd):
    """No picture may warn, log or leave a figure open: readers would see it under the cell."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    assert capfd.readouterr().err == ""
    assert plt.get_fignums() == []


def every_picture(tokens):
    """Each kind of picture, with these tokens wherever it takes a text."""
    size = len(tokens)
    even = np.full(size, 1 / size)
    points = np.stack([np.cos(np.arange(size)), np.sin(np.arange(size))], axis=1)
    some = tokens[:5]
    yield plots.bars(even, tokens)
    yield plots.heatmap(np.tile(even, (2, 1)), tokens[:2], tokens)
    yield plots.heatmaps(np.tile(even, (2, 2, 1)), tokens[:2], tokens, titles=tokens[:2])
    yield plots.weight_map(np.tile(even, (2, 1)), tokens[:2], tokens, row=0, title=tokens[0])
    yield plots.weight_ribbons(np.tile(even, (2, 1)), tokens[:2], tokens, row=0, title=tokens[0])
    yield plots.lines([2, 4], {name: [0, 1] for name in some}, tokens[0], tokens[-1])
    yield plots.regression([0, 1], [0, 1], [0, 1], {name: [0, 1] for name in some}, tokens[0], tokens[-1])
    shares = [(name, (1, 0), (0.5, 0), (1, 0.5)) for name in some]
    yield plots.drawn_curve(bins=[(1, 2), (3, 4)], series=shares, xlabel=tokens[0], ylabel=tokens[-1])
    step = Traced(tokens[0], tokens[-1], tokens[0], 0.5, even, even, None)
    yield plots.seq2seq_stepper(source=tokens, steps=[step, step], names=lambda i: tokens[i])
    yield plots.histograms({name: {"a": [0, 1]} for name in some}, tokens[0], 2)
    yield plots.score_explorer(
        query_token=tokens[0],
        query=[1, 0.8],
        key_tokens=tokens,
        key_vectors=points,
        value_vectors=points,
        scores=even,
        weights=even,
        output=[0, 0],
    )


def texts(picture):
    return [text.get_text() for text in picture.findobj(mpl.text.Text)]


def ticks(axis):
    return [
        (place, label.get_text())
        for place, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
    ]


# ---- colours


def test_colours_come_from_the_tokens_file():
    """A colour changed for the widgets changes in every picture."""
    light = CSS.read_text(encoding="utf-8").split('[data-theme="dark"]')[0]
    for name in ["paper", "ink", "hair", "q-mark", "k-text", "v-mark", "you-mark", "err-mark", "w0", "w8"]:
        assert f"--{name}: {INK[name]};" in light


def test_the_ramp_meets_its_stops_and_steps_evenly():
    """256 entries through the nine stops; no step that the eye would take for an edge."""
    assert plots.RAMP.shape == (256, 3)
    for stop in (0, 8):
        np.testing.assert_allclose(plots.RAMP[stop * 255 // 8], to_rgb(INK[f"w{stop}"]), atol=1e-6)
    for stop in range(1, 8):  # the stops between fall between two entries
        near = plots.RAMP[[int(stop * 255 / 8), int(stop * 255 / 8) + 1]]
        assert np.abs(near - to_rgb(INK[f"w{stop}"])).min(axis=0).max() < 0.01
    steps = np.linalg.norm(np.diff(colours._oklab(plots.RAMP), axis=0), axis=1)
    assert steps.max() / steps.min() < 1.08


def test_oklab_agrees_with_its_published_values():
    """Ottosson's table: white is (1, 0, 0); pure red is about (.628, .225, .126)."""
    found = colours._oklab(np.array([[1, 1, 1], [1, 0, 0]], dtype=float))
    np.testing.assert_allclose(found, [[1, 0, 0], [0.627955, 0.224863, 0.125846]], atol=2e-4)
    np.testing.assert_allclose(colours._srgb(found), [[1, 1, 1], [1, 0, 0]], atol=1e-6)


def test_numbers_on_cells_can_be_read():
    """4.5:1 or better on every colour of the ramp (WCAG)."""

    def luminance(rgb):
        linear = np.where(
            np.array(rgb) <= 0.04045, np.array(rgb) / 12.92, ((np.array(rgb) + 0.055) / 1.055) ** 2.4
        )
        return float(linear @ [0.2126, 0.7152, 0.0722])

    shades = np.linspace(0, 1, 101)
    axes = plots.heatmap(shades[None], ["q"], [f"{i}" for i in range(101)]).axes[0]
    for weight, text in zip(shades, axes.texts, strict=True):
        pair = sorted([luminance(weight_colour(weight)), luminance(to_rgb(text.get_color()))])
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, weight


# ---- the figure itself


def test_a_picture_shows_itself_once_as_png_with_a_stable_text():
    """No address in the stored output, an alternative text in its metadata, nothing open in pyplot."""
    picture = plots.bars([0.25, 0.75], ["the", "cat"])
    data, metadata = picture._repr_mimebundle_()
    assert set(data) == {"image/png", "text/plain"}
    assert data["text/plain"] == repr(picture) == "Figure: Weights of 2 tokens; cat has the largest, .75."
    assert metadata["image/png"] == {"alt": "Weights of 2 tokens; cat has the largest, .75.", "width": 480}
    png = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    assert png.size == (960, 216)
    assert picture._repr_html_() is None


def test_a_picture_stands_on_opaque_paper_whatever_the_settings_outside():
    """On a dark page or under a reader's own style the picture stays the same, byte for byte."""
    plain = plots.score_explorer(**EXPLORER).png()
    foreign = {"savefig.transparent": True, "text.parse_math": True, "font.family": ["serif"]}
    with mpl.rc_context(foreign | {"xtick.labelcolor": "red", "xtick.labelsize": 30, "grid.color": "red"}):
        assert plots.score_explorer(**EXPLORER).png() == plain
        saved = io.BytesIO()
        plots.histograms({"a": {"b": [0, 1]}}, "x", 2).savefig(saved, dpi=192, facecolor=INK["paper"])
    inside = io.BytesIO(plots.histograms({"a": {"b": [0, 1]}}, "x", 2).png())
    pixels = [np.asarray(Image.open(file).convert("RGB"), dtype=int) for file in (saved, inside)]
    assert np.abs(pixels[0] - pixels[1]).max() < 8  # but for the 256 colours of the stored picture
    corner = Image.open(io.BytesIO(plain)).convert("RGBA").getpixel((0, 0))
    assert corner == (*(round(255 * part) for part in to_rgb(INK["paper"])), 255)


def test_style_leaves_the_reader_s_settings_alone():
    before = dict(mpl.rcParams)
    for picture in every_picture(["the", "cat"]):
        picture.png()
    assert dict(mpl.rcParams) == before


# ---- tokens


def test_hostile_tokens_are_drawn_as_they_are():
    """R097, R100: `$$` is no formula, `_x` no private name, markup no markup; no word on stderr."""
    drawn = [token for token in HOSTILE if all(ink._drawable(char) for char in token)]
    assert len(drawn) > 25
    for picture in every_picture(HOSTILE):
        picture.png()
    assert [
        text for _, text in ticks(plots.bars(np.ones(len(drawn)) / len(drawn), drawn).axes[0].yaxis)
    ] == drawn
    shown = texts(plots.heatmap(np.ones((2, len(drawn))), ["$$", "_x"], drawn))
    assert set(drawn) <= set(shown)
    assert {"$$", "_x"} <= set(texts(plots.lines([2, 4], {"$$": [0, 1], "_x": [1, 0]}, "x", "y")))


def test_a_curve_can_be_read_without_eyes():
    """The words of a measured curve hold no number."""
    said = plots.lines([1, 2], {"right": [1 / 3, 1], "_x": [0, 0.25]}, "heads", "share", figures=True).alt
    assert said == "share against heads, for right, _x. right: 0.333 at 1, 1 at 2. _x: 0 at 1, 0.25 at 2."
    assert "1 at" not in plots.lines([1, 2], {"right": [1 / 3, 1]}, "heads", "share").alt


def test_a_glyph_that_no_face_has_is_spelled_out(monkeypatch):
    """R096: without a Chinese face 我 becomes U+6211, never a box; a face that is there is used."""
    ink.faces.cache_clear(), ink._drawable.cache_clear()
    monkeypatch.setattr(font_manager, "get_font_names", lambda: ["DejaVu Sans"])
    try:
        picture = plots.bars([0.5, 0.5], ["我", "</s>"])
        assert [text for _, text in ticks(picture.axes[0].yaxis)] == ["U+6211", "</s>"]
        picture.png()
    finally:
        monkeypatch.undo()
        ink.faces.cache_clear(), ink._drawable.cache_clear()


def test_what_would_be_invisible_or_turn_text_round_is_spelled_out():
    assert ink.token("\u202eabc") == "U+202Eabc"
    assert ink.token("a\u200db\nc\xa0") == "aU+200DbU+000AcU+00A0"


def test_long_tokens_are_cut_only_where_panels_would_collide():
    picture = plots.score_explorer(**EXPLORER | {"query_token": "incomprehensibilities"})
    assert "q incomprehen…" in texts(picture)
    assert "incomprehensibilities" in texts(plots.bars([1], ["incomprehensibilities"]))


def test_repeated_tokens_keep_their_own_bars():
    """R099: the, cat, the: three bars at 0, 1, 2, not two."""
    axes = plots.bars([0.1, 0.3, 0.6], ["the", "cat", "the"]).axes[0]
    assert [(bar.get_y() + bar.get_height() / 2, bar.get_width()) for bar in axes.patches] == [
        (0, 0.1),
        (1, 0.3),
        (2, 0.6),
    ]
    assert ticks(axes.yaxis) == [(0, "the"), (1, "cat"), (2, "the")]


@pytest.mark.parametrize("draw", [lambda names: plots.bars([0.2, 0.8], names),
                                  lambda names: plots.heatmap([[0.2, 0.8]], ["q"], names)])  # fmt: skip
def test_a_label_too_few_is_refused_by_name(draw):
    with pytest.raises(ValueError, match=r"tokens must name each of the 2 rows or columns, got 1"):
        draw(["cat"])


# ---- numbers


@pytest.mark.parametrize(
    "weights",
    [
        torch.tensor([[0.25, 0.0, 0.75], [0.0, 1.0, 0.0]], dtype=kind, requires_grad=True)
        for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64)
    ]
    + [[[0.25, 0.0, 0.75], [0.0, 1.0, 0.0]], np.array([[0.25, 0, 0.75], [0, 1, 0]], dtype=np.float16)],
    ids=str,
)
def test_a_heatmap_shows_the_numbers_it_was_given_the_right_way_round(weights):
    """Two queries, three keys: two rows, three columns, any float type; the input is left as it was."""
    axes = plots.heatmap(weights, ["le", "chat"], ["the", "black", "cat"]).axes[0]
    mesh = axes.collections[0]
    np.testing.assert_array_equal(mesh.get_array(), [[0.25, 0, 0.75], [0, 1, 0]])
    assert mesh.get_clim() == (0, 1)
    assert ticks(axes.yaxis) == [(0.5, "le"), (1.5, "chat")]
    assert ticks(axes.xaxis) == [(0.5, "the"), (1.5, "black"), (2.5, "cat")]
    assert axes.yaxis_inverted()  # the first query on top
    assert not axes.xaxis_inverted()
    assert {text.get_position(): text.get_text() for text in axes.texts}[2.5, 0.5] == ".75"
    if isinstance(weights, torch.Tensor):
        assert weights.requires_grad


def test_a_heatmap_of_several_heads_is_refused():
    """Silently averaging heads would hide opposite ones."""
    with pytest.raises(ValueError, match=r"axes \(queries, keys\), none empty; got shape \(2, 3, 5\)"):
        plots.heatmap(np.zeros((2, 3, 5)), [""] * 3, [""] * 5)


HEADS = np.arange(1, 31).reshape(3, 2, 5) / 30  # three heads, two queries, five keys


@pytest.mark.parametrize(
    "given",
    [
        HEADS,
        HEADS.tolist(),
        torch.tensor(HEADS).half(),
        torch.tensor(HEADS).bfloat16(),
        torch.tensor(HEADS, requires_grad=True),
        [torch.tensor(head, requires_grad=True) for head in HEADS],  # as models give them
    ],
    ids=lambda given: type(given).__name__ + str(getattr(given, "dtype", "")),
)
def test_heads_stand_side_by_side_the_right_way_round(given):
    """R103, R106: rows are queries, columns keys; one norm for all maps; tokens at the outer sides alone."""
    picture = plots.heatmaps(given, ["le", "chat"], ["我们", "$$", "_x", "the", "the"])
    maps = [axes for axes in picture.axes if axes.images]
    assert [axes.get_title("left") for axes in maps] == ["head 0", "head 1", "head 2"]
    for axes, head in zip(maps, HEADS, strict=True):
        np.testing.assert_allclose(axes.images[0].get_array(), head, atol=5e-3)
        assert axes.images[0].get_clim() == (0, 1)
        assert axes.yaxis_inverted()
    shown = [text for _, text in ticks(maps[0].xaxis)]
    assert shown == [ink.token("我们"), "$$", "_x", "the", "the"]
    assert [text for _, text in ticks(maps[0].yaxis)] == ["le", "chat"]
    assert [ticks(axes.yaxis) for axes in maps[1:]] == [[], []]
    picture.png()


def test_layers_are_lines_of_heads():
    """R087: each map says its layer and head; one map alone is the still picture of AttentionHeatmap."""
    picture = plots.heatmaps(np.full((2, 3, 4, 5), 0.2), list("abcd"), list("uvwxy"))
    maps = [axes for axes in picture.axes if axes.images]
    assert [axes.get_title("left") for axes in maps][2:4] == ["layer 0, head 2", "layer 1, head 0"]
    assert len({axes.get_position().y0 for axes in maps[:3]}) == 1
    one = plots.heatmaps([[0.25, 0.75]], ["q"], ["a", "b"])
    assert one.png() == plots.weight_map([[0.25, 0.75]], ["q"], ["a", "b"]).png()


def test_masked_cells_are_hatched_in_every_map():
    """R105: True = may attend; the others carry a hatch and no number."""
    mask = np.array([[True, True, True, False, False], [True] * 5])
    picture = plots.heatmaps(HEADS, ["le", "chat"], list("abcde"), mask=mask)
    for axes in [axes for axes in picture.axes if axes.images]:
        np.testing.assert_array_equal(np.ma.getmaskarray(axes.images[0].get_array()), ~mask)
        assert [patch.get_hatch() for patch in axes.patches] == ["////"]
        assert len(axes.texts) == mask.sum()


NAN = float("nan")


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.heatmap([[0.5, NAN]], "q", "kk"), "weights must be finite, got NaN"),
        (lambda: plots.heatmap([[-0.5, 1.5]], "q", "kk"), "weights must be between 0 and 1, got -0.5"),
        (lambda: plots.heatmap([["a", "b"]], "q", "kk"), r"weights must be numbers .* got list \[\['a'"),
        (lambda: plots.heatmaps([0.5, 0.5], "q", "kk"), r"axes \(heads, queries, keys\).*got shape \(2,\)"),
        (lambda: plots.heatmaps([[[0.5, NAN]]], "q", "kk"), "weights must be finite, got NaN"),
        (lambda: plots.heatmaps([[[0.5], [1, 0]]], "qq", "kk"), "weights must be numbers"),
        (
            lambda: plots.heatmaps(np.zeros((3, 1, 2)), "qq", "kk"),
            "query_tokens must name each of the 1 rows",
        ),
        (lambda: plots.heatmaps(np.zeros((5, 5, 1, 2)), "q", "kk"), r"25 maps.*at most 24.*weights\[layer\]"),
        (
            lambda: plots.heatmaps(np.zeros((2, 1, 2)), "q", "kk", titles="ab"),
            "titles must name each of the 2",
        ),
        (
            lambda: plots.heatmaps(np.zeros((2, 1, 2)), "q", "kk", mask=[[1]]),
            r"mask must be boolean.*got int64 of shape",
        ),
        (lambda: plots.bars([-0.5, 0.5], "kk"), "weights must be between 0 and 1, got -0.5"),
        (lambda: plots.bars([0.5, 1.5], "kk"), "weights must be between 0 and 1, got 1.5"),
        (lambda: plots.bars([NAN, 0.5], "kk"), "weights must be finite"),
        (lambda: plots.bars([], ""), r"weights must .* none empty; got shape \(0,\)"),
        (lambda: plots.bars([[0.5, 0.5]], "k"), r"weights must .* axes \(keys\).* got shape \(1, 2\)"),
        (lambda: plots.lines([], {"a": []}, "x", "y"), r"x must .* none empty; got shape \(0,\)"),
        (lambda: plots.lines(3, {"a": [1]}, "x", "y"), r"x must .* got shape \(\)"),
        (lambda: plots.lines([0, 2], {"a": [1, 1]}, "x", "y"), "x must be above 0, got 0"),
        (lambda: plots.lines([2, 4], {}, "x", "y"), "curves must hold at least one name, got none"),
        (lambda: plots.lines([2, 4], [1, 2], "x", "y"), r"curves must be a mapping .* got list \[1, 2\]"),
        (lambda: plots.lines([2, 4], {"a": "up"}, "x", "y"), "curve 'a' must be numbers .* got str 'up'"),
        (lambda: plots.lines([2, 4], {"a": [1, NAN]}, "x", "y"), "curve 'a' must be finite"),
        (lambda: plots.lines([2, 4], {"a": [1]}, "x", "y"), "'a' must have as many numbers as x, 2, got 1"),
        (lambda: plots.regression([1], [2, 3], [1], {"a": [1]}, "x", "y"), "values must be as many as keys"),
        (lambda: plots.regression([1], [NAN], [1], {"a": [1]}, "x", "y"), "values must be finite"),
        (lambda: plots.regression([1], [1], [1, 2], {"a": [1]}, "x", "y"), "as many numbers as queries, 2"),
        (lambda: plots.histograms({"a": {"r": [0, NAN]}}, "x", 2), "sample 'a', 'r' must be finite"),
        (lambda: plots.histograms({"a": {"r": []}}, "x", 2), "sample 'a', 'r' must .* none empty"),
        (lambda: plots.histograms({}, "x", 2), "columns must hold at least one name"),
        (lambda: plots.histograms({"a": {}}, "x", 2), "column 'a' must hold at least one name"),
        (lambda: plots.histograms({"a": [0, 1]}, "x", 2), "column 'a' must be a mapping"),
        (
            lambda: plots.histograms({"a": {"r": [0]}, "b": {"s": [0]}}, "x", 2),
            r"'b' must have the rows \['r'\]",
        ),
        (lambda: plots.histograms({"a": {"r": [0]}}, "x", 0), "reach must be .* above 0, got int 0"),
        (lambda: plots.histograms({"a": {"r": [0]}}, "x", NAN), "reach must be .* above 0, got float nan"),
    ],
)
def test_numbers_that_would_draw_a_lie_are_refused_by_name(draw, message):
    """A NaN left out, a bar outside its axis or a lost row look like answers."""
    with pytest.raises((TypeError, ValueError), match=message):
        draw()


def test_a_weight_may_be_rounded_a_hair_above_one():
    """What float32 arithmetic does to a mean of weights is no fault of the reader."""
    assert plots.bars([1 + 1e-7, -1e-8], "ab").axes[0].patches[0].get_width() == 1


def test_curves_leave_the_colours_to_query_key_and_value():
    """Blue is a key and green a value in every picture: curves differ by grey and dash, five ways."""
    axes = plots.lines([2, 4], {f"{i}": [0, i] for i in range(5)}, "x", "y").axes[0]
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == 5
    for line in axes.lines:
        assert np.ptp(to_rgb(line.get_color())) < 0.06, line.get_color()


def test_bars_are_coloured_by_the_fixed_norm():
    """The same weight has the same ink in every picture, also where it is the largest."""
    alone = plots.bars([0.3], ["a"]).axes[0].patches[0].get_facecolor()
    beside = plots.bars([0.3, 0.7], ["a", "b"]).axes[0].patches[0].get_facecolor()
    assert alone == beside == (*plots.RAMP[round(255 * 0.3)], 1)


def test_curves_and_points_carry_their_numbers_and_names():
    x = torch.tensor([2, 8, 64])
    axes = plots.lines(x, {"÷ 1": [0.36, 0.63, 0.97], "÷ √d": [0.29, 0.32, 0.34]}, "d", "top", top=1).axes[0]
    np.testing.assert_allclose(
        [line.get_ydata() for line in axes.lines], [[0.36, 0.63, 0.97], [0.29, 0.32, 0.34]]
    )
    assert [(note.get_text(), *note.xy) for note in axes.texts] == [("÷ 1", 64, 0.97), ("÷ √d", 64, 0.34)]
    assert axes.get_ylim() == (0, 1)
    assert [place for place, _ in ticks(axes.xaxis)] == [2, 8, 64]
    axes = plots.regression([0, 3, 6], [1, 2, 4], [0, 6], {"w": [1, 3]}, "x", "y").axes[0]
    np.testing.assert_array_equal(axes.lines[0].get_xydata(), [[0, 1], [3, 2], [6, 4]])
    np.testing.assert_array_equal(axes.lines[1].get_xydata(), [[0, 1], [6, 3]])


@pytest.mark.parametrize("draw", ["lines", "regression"])
def test_names_of_curves_that_end_together_do_not_overlap(draw):
    """Three curves meet: their names stand one line apart, in the curves' order, around the place."""
    curves = {"b": [0, 0.5], "c": [0, 0.501], "a": [0, 0.499], "far": [0, 1]}
    if draw == "lines":
        axes = plots.lines([2, 4], curves, "d", "y", top=1).axes[0]
    else:
        axes = plots.regression([0, 1], [0, 1], [0, 1], curves, "x", "y").axes[0]
    height = axes.get_window_extent().height * 0.75 / np.ptp(axes.get_ylim())  # points per unit of y
    at = {note.get_text(): note.xyann[1] + height * note.xy[1] for note in axes.texts}
    assert at["a"] + 12 < at["b"] < at["c"] - 12
    assert at["b"] == pytest.approx(0.5 * height, abs=1)
    assert at["far"] == pytest.approx(height, abs=1)


def test_more_curves_than_shades_are_refused():
    """A curve dropped in silence would be a lie."""
    with pytest.raises(ValueError, match="up to 5, got 6"):
        plots.lines([2, 4], {str(i): [0, 1] for i in range(6)}, "x", "y")


def test_histograms_count_each_sample_in_its_own_place():
    narrow, wide = np.array([-1.0, 0, 1]), np.array([-2.0, 0, 2])
    picture = plots.histograms({"a": {"r": narrow, "s": wide}, "b": {"r": wide, "s": narrow}}, "x", 3)
    grid = np.array(picture.axes).reshape(2, 2)
    for axes, sample in zip(grid.ravel(), [narrow, wide, wide, narrow], strict=True):
        counts, edges, _ = axes.patches[0].get_data()
        np.testing.assert_array_equal(counts, np.histogram(sample, edges)[0])
        assert axes.texts[0].get_text() == f"σ {sample.std():.2f}"
    assert [axes.get_title() for axes in grid[0]] == ["a", "b"]
    assert [axes.get_ylabel() for axes in grid[:, 0]] == ["r", "s"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.84, ".84"),
        (-0.141, "−.14"),
        (1.867, "1.87"),
        (10.5, "10.50"),
        (-0.001, ".00"),
        (0, ".00"),
        (1, "1.00"),
    ],
)
def test_two_decimals_without_the_zero(value, shown):
    assert ink.decimals(value) == shown


# ---- the flow chart


def test_the_flow_chart_shows_arrows_scores_weights_and_output_at_their_places():
    """The fallback of ScoreExplorer must tell the same story as the widget."""
    plane, scores, weights, hull = plots.score_explorer(**EXPLORER).axes
    tips = [note.xy for note in plane.texts if note.arrow_patch]
    assert tips == [(1, 0.8), (-0.6, 0.5), (2.4, 0.3), (0.9, 0.7), (0.3, -1.2)]
    assert [bar.get_width() for bar in scores.patches] == EXPLORER["scores"]
    assert [bar.get_width() for bar in weights.patches] == EXPLORER["weights"]
    shown = [".08", ".60", ".26", ".06", "Σ 1.000"]
    assert [text.get_text() for text in weights.texts] == ["weights", "softmax", *shown]
    assert {"−.14", "1.87", "the", "black", "q·k ÷ √d"} <= {text.get_text() for text in scores.texts}
    np.testing.assert_array_equal(hull.lines[-1].get_xydata(), [EXPLORER["output"]])
    assert {note.get_text(): note.xy for note in hull.texts}["black"] == (1.5, 1.3)


def test_the_flow_chart_says_which_score_and_temperature():
    picture = plots.score_explorer(**EXPLORER, score="cosine", temperature=2)
    assert {"q·k ÷ (|q| |k|)", "softmax of score ÷ 2"} <= set(texts(picture))
    assert "cat" not in picture.alt
    assert ".60, falls on black" in picture.alt


def test_the_second_panel_shows_the_measured_medians_and_one_draw():
    """Where no script runs, the picture of many dimensions must not show the plane, nor spoil the guess."""
    table = {
        "meta": {"draws": 8000},
        "widths": [2, 8],
        "top": {"1": [0.36, 0.63], "d": [0.24, 0.19]},
        "gradient": {"1": [0.37, 0.35], "d": [0.34, 0.33]},
        "draw": {"dots": [[0.0, 1.0], [2.0, 0.0]]},
    }
    bars, curve = plots.many_dimensions(table=table, width=2, guess=0.55).axes
    np.testing.assert_allclose([bar.get_height() for bar in bars.patches], [0.268941, 0.731059], atol=1e-6)
    np.testing.assert_array_equal(
        curve.lines[0].get_xydata(), [[2, 0.36]]
    )  # the rest is for the reader to find
    np.testing.assert_array_equal(curve.lines[-1].get_xydata(), [[8, 0.55]])
    picture = plots.many_dimensions(table=table, width=2, divisor="d", reach=8)
    np.testing.assert_array_equal(picture.axes[1].lines[0].get_xydata(), [[2, 0.24], [8, 0.19]])
    weights = [bar.get_height() for bar in picture.axes[0].patches]
    np.testing.assert_allclose(weights, [0.377541, 0.622459], atol=1e-6)
    assert "d = 2, scored by q·k ÷ d: the top weight is .24, the softmax gradient .34" in picture.alt


def test_the_widget_shows_the_panel_that_it_is_set_to():
    """On GitHub or without scripts the second panel must not be replaced by a picture of the plane."""
    widget = ScoreExplorer(panels="dimensions", width=64, reach=512, divisor="sqrt", guess=0.5)
    assert "at d = 64, scored by q·k ÷ √d" in widget._picture().alt
    assert "The query chat" in ScoreExplorer()._picture().alt


def test_the_hull_holds_its_corners_and_nothing_else():
    """A value inside the others is no corner; two or three values in a line still draw."""
    corners = (
        plots.score_explorer(**EXPLORER | {"value_vectors": [[0, 0], [2, 0], [1, 2], [1, 0.5]]})
        .axes[3]
        .patches[0]
        .get_xy()
    )
    assert {tuple(corner) for corner in corners} == {(0, 0), (2, 0), (1, 2)}
    plots.score_explorer(**EXPLORER | {"value_vectors": [[0, 0], [1, 1], [2, 2], [2, 2]]}).png()


def test_both_planes_keep_equal_units():
    """An angle of 90° must look like one."""
    picture = plots.score_explorer(**EXPLORER)
    for axes in (picture.axes[0], picture.axes[3]):
        box = axes.get_window_extent()
        assert box.width / np.ptp(axes.get_xlim()) == pytest.approx(box.height / np.ptp(axes.get_ylim()))


def test_what_is_to_be_guessed_is_not_in_the_picture():
    """A printed page must not answer the question that it asks."""
    asking = ScoreExplorer(predict=True)
    assert not [
        text for text in texts(asking._picture()) if text.startswith((".", "−", "Σ", "1.", "output "))
    ]
    assert asking._picture().alt.endswith("the weights are hidden.")
    asking.expected = 2
    assert ".60" in texts(asking._picture())
    assert asking._picture().alt.endswith(".60, falls on black.")
