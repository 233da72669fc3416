"""Run by Python in an environment like Colab's: uses every widget as cells do, prints what was seen as JSON.

Colab's own module is faked before anything is imported: it counts how often the widget manager is asked for.
"""

import contextlib
import json
import sys
import types

fake = types.ModuleType("google.colab.output")
fake._widgets = types.SimpleNamespace(_installed_url=None)
asked = []


def enable_custom_widget_manager():
    """What Colab offers, and anywidget has to call."""
    asked.append(True)
    fake._widgets._installed_url = "the manager's address"


fake.enable_custom_widget_manager = enable_custom_widget_manager
sys.modules.update({"google": types.ModuleType("google"), "google.colab": types.ModuleType("google.colab")})
sys.modules["google.colab.output"] = fake

import anywidget  # noqa: E402
import ipywidgets  # noqa: E402
import traitlets  # noqa: E402
from ipykernel.inprocess.ipkernel import InProcessKernel  # noqa: E402
from IPython.utils.capture import capture_output  # noqa: E402

from attn_helpers import widgets  # noqa: E402

MAKE = {
    "AttentionHeatmap": "AttentionHeatmap([[0.75, 0.25], [0.5, 0.5]], ['le', 'chat'], ['the', 'cat'])",
    "Seq2SeqStepper": "Seq2SeqStepper(Seq2Seq(Encoder(6, 2, 3), Decoder(6, 2, 3)), [(['a'], ['b'])] * 2,"
    " (Vocabulary(['a', 'b']),) * 2)",
    "TranslationLab": "TranslationLab(Seq2Seq(Encoder(6, 2, 4), AttentionDecoder(6, 2, 4)),"
    " (Vocabulary(['a', 'b']),) * 2)",
    "TrainingReplay": "TrainingReplay(dict.fromkeys('ab', load_replay('bahdanau-bidirectional')))",
}
CHANGES = {  # statements that between them change every trait that travels
    "AttentionHeatmap": [
        "w.row, w.column, w.title, w.hint, w.hint_narrow = 0, 1, 'Who?', 'Point.', 'Tap.'",
        "w.predict, w.guess, w.gold, w.show_gold, w.end_token = 1, 0, {'sure': [(0, 0)]}, False, 'cat'",
        "w.view, w.view = 'ribbons', 'grid'",
        "w.update([[[[1, 0]]] * 3] * 2, ['le'], ['the', 'cat'], mask=[[True, False]])",
        "w.layer, w.head, w.layer_labels, w.head_labels = 1, 'mean', ['a', 'b'], ['x', 'y', 'z']",
        "w.update([[1 / 99] * 99] * 99, ['le'] * 99, ['the'] * 99)",
    ],
    "DrawnCurve": [
        "half = {'mean': [0.5] * 6, 'low': [0.4] * 6, 'high': [0.6] * 6, 'about': ''}",
        "w.series = [{'name': name, **half} for name in 'ab']",
        "w.drawn, w.revealed, w.cursor = [0.5] * 6, 2, 1",
        "w.chosen, w.bins = 0, [*w.bins[:-1], (21, 30)]",
        "w.title, w.hint, w.about, w.note, w.xlabel, w.ylabel, w.conclusion = 'abcdefg'",
    ],
    "MaskLab": [
        "w.lengths, w.causal, w.flips, w.cell = (2, 0), True, [(0, 1, 1)], (0, 1, 1)",
        "w._lengths_before = 2, 1",
        "w.breakage, w.float_type, w.predict, w.guess = 'half', 'bfloat16', True, [(0, 0, 0)]",
        "w.leak_guess, w.reserve, w._leak = 'lower', (1, 2), MaskLab.decoder()._leak",
        "w.query_vectors, w.key_vectors, w.value_vectors = (numpy.ones((2, 4, 2)),) * 3",
        "w.query_tokens = w.key_tokens = [['a', 'b', 'c', 'd'], ['e', 'f', 'g', 'h']]",
    ],
    "MuseumRoom": [
        "w.shown, w.fault, w.row, w.guesses, w.title, w.reserve = 2, False, 3, (1,) * 6, 'a', (1, 2)",
        "w.query_tokens, w.key_tokens = [*'abcde'], [*'abcdef']",
        "w._room, w._payload, w._shape, w._pitch = {}, b'x', (1, 1, 1, 1), ()",
    ],
    "PositionWaves": [
        "w.positions, w.width, w.base, w.position, w.pair, w.order = 32, 16, 100, 9, 3, 7",
        "w.challenge, w.predict, w.guess, w.title, w.hint, w.reserve = True, True, 0.5, 'a', 'b', (1, 2)",
        "w._answers = {**w._answers, 'more': 1}",
    ],
    "Seq2SeqStepper": [
        "w.sentence, w.position, w.feeds, w.predict, w.guess = 1, 2, ['own'], False, 3",
        "w.pairs, w.target_words, w.reserve = [(['b'], ['a'])] * 2, [*'abcdef'], (1, 2)",
        "w._payload, w._layout, w._ids = b'x', {}, [[[5, 2], [4, 2]]] * 2",
    ],
    "ShapeLedger": [
        "w.sizes, w.axis, w.row, w.blank = {**w.sizes, 'm': 10}, 'T', 2, None",
        "w.guess, w.view_only, w.title, w.hint, w.reserve = ['B'], True, 'a', 'b', (1, 2)",
        "w._book = {**w._book, 'title': 'mine'}",
    ],
    "ScoreExplorer": [
        "w.predict, w.expected = True, 1",
        "w.query, w.query_token, w.target, w.score = torch.ones(2), 'chien', 1, 'cosine'",
        "w.temperature, w.challenge, w.panels, w.width, w.reach = 2, 0.5, 'plane', 8, 8",
        "w.divisor, w.guess, w._start, w._sharpness = 'd', 0.5, {}, {}",
        "with w.hold_trait_notifications():\n    w.target, w.key_tokens = None, ['a', 'b', 'c']\n"
        "    w.key_vectors = w.value_vectors = numpy.eye(3, 2)",
    ],
    "TrainingReplay": [
        "w.position, w.row, w.guess, w.revealed, w.shown, w.title, w.hint = 9, 2, 9, True, 1, 'a', 'b'",
        "w.names, w.query_tokens, w.key_tokens = [*'xy'], [*'abcde'], [*'abcde']",
        "w._payload, w._shape, w._curves, w._gold, w._pitch = b'x', (1, 1, 1, 1), {}, (), ()",
        "w.reserve = 1, 2",
    ],
    "TranslationLab": [
        "w.text, w.operations, w.row, w.bars = 'b a', [('zero', [0])], 1, True",
        "w.challenge, w.guess, w.examples, w.title, w.hint = ('swap', [0, 1]), 'trade', ['a'], 'x', 'y'",
        "w.engine, w.longest, w.reserve, w.head, w.names = 'python', 9, (1, 2), (0, 0), ['x']",
        "w._payloads, w._layouts, w._words, w._rates = [b'x'], [{}], ((), ()), [{'all': {}}]",
        "w._sheets, w._past, w._late, w._asked = {}, [{}], (), True",
    ],
}
CODE = {"_esm", "_css"}


def unlucky(change):
    """A function of the reader's that fails."""
    raise ZeroDivisionError("no cat")


def use(shell, kind):
    """Make a widget, change it by cells and from the page, show it in three ways."""
    sent, heard = set(), []
    shell.run_cell(f"w = {MAKE.get(kind, kind + '()')}").raise_error()
    w = shell.user_ns["w"]
    w._send = lambda msg, buffers=None: sent.update(msg["state"], (path[0] for path in msg["buffer_paths"]))
    w.observe(heard.append)
    for statement in ["w.language = 'xx'", *CHANGES[kind]]:
        shell.run_cell(statement).raise_error()
    w.observe(unlucky, "language")
    with contextlib.suppress(ZeroDivisionError):
        w.set_state({"language": "en"})
    with capture_output() as said:
        shell.run_cell("print('first')\ndisplay(w)").raise_error()
    ours = set(w.keys) - set(anywidget.AnyWidget().keys) - CODE
    return {
        "unsent": sorted(ours - sent),
        "unheard": sorted(ours - {change["name"] for change in heard}),
        "code": {name: len(getattr(w, name)) for name in CODE},
        "trouble": w._trouble,
        "shown": [about(said.outputs[-1].data, said.outputs[-1].metadata), about(*w._repr_mimebundle_())],
        "last line": about(*shell.display_formatter.format(w)),
    }


def about(data, metadata):
    """Which pictures of a widget are there, and what they say to Colab."""
    return sorted(data), metadata.get("application/vnd.jupyter.widget-view+json")


shell = InProcessKernel.instance().shell  # without a kernel, ipywidgets 7 sends nothing
shell.run_cell("import numpy, torch\nfrom attn_helpers.widgets import *").raise_error()
shell.run_cell("from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq").raise_error()
shell.run_cell("from attn_helpers.attention_seq2seq import AttentionDecoder").raise_error()
shell.run_cell("from attn_helpers.corpus import Vocabulary").raise_error()
shell.run_cell("from attn_helpers.trained import load_replay").raise_error()
seen = {kind: use(shell, kind) for kind in widgets.__all__}
versions = {module.__name__: module.__version__ for module in (anywidget, ipywidgets, traitlets)}
print(json.dumps({"home": widgets.__file__, "versions": versions, "asked": len(asked), "seen": seen}))
