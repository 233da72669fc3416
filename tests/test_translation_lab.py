"""TranslationLab from Python's side: what travels, what PyTorch makes of it; the page makes the same."""

import base64
import json
import os
import re
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from traitlets import TraitError

from attn_helpers.attention_seq2seq import AttentionDecoder, LuongDecoder
from attn_helpers.change_rates import MODELS, change_rates, held_out
from attn_helpers.corpus import Vocabulary, corpus, tokenize
from attn_helpers.corpus.vocabulary import BOS, EOS, UNK
from attn_helpers.decoding import translate
from attn_helpers.ladder import vocabularies
from attn_helpers.layers import Sizes
from attn_helpers.operating import Operation, operate
from attn_helpers.running import one_thread
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.trained import load_trained
from attn_helpers.transformer import Transformer
from attn_helpers.widgets import TranslationLab
from attn_helpers.widgets.lab_traits import as_json
from attn_helpers.widgets.model_payload import pack_model, rounded

ROOT = Path(__file__).parents[1]
FIXTURE = ROOT / "tests" / "fixtures" / "translation_lab.json"
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))
WORDS = vocabularies(corpus(0).train)
TINY = (
    Vocabulary(["the", "black", "cat", "sleeps", "a"]),
    Vocabulary(["le", "chat", "noir", "dort", "un", "ne", "pas"]),
)
KINDS = {  # sizes that no two axes share, where they may differ
    "plain": {"width": 6, "heads": 3, "inner": 5, "layers": 2},
    "norms last": {"width": 6, "heads": 2, "inner": 7, "layers": 1, "norm": "post"},
    "one head, biases": {"width": 7, "heads": 1, "inner": 5, "layers": 3, "bias": True},
    "learned places": {"width": 6, "heads": 2, "inner": 5, "layers": 1, "positions": "learned"},
    "no places": {"width": 10, "heads": 5, "inner": 3, "layers": 2, "positions": "none"},
    "tied": {"width": 6, "heads": 2, "inner": 11, "layers": 1, "tied": True},
}
TYPED = [
    "the black cat sleeps",
    "  The BLACK\tcat\nsleeps. ",
    "the king's dog — don't! l'ami d'Anna; qu'elle aujourd'hui",
    "my aunt’s l’ami donʼt",
    "<b>cat</b> &amp; <img src=x>",
    "我们 the 猫睡觉 かな",
    "👩‍👩‍👧 cats 🐈‍⬛!",
    "E\u0301cole éCOLE İstanbul ΣΑΣ ﬁn",
    "l' s' qu' 's x's' twenty-one 3.14 a·b a--b",
    "zero\u200bwidth \u202eabc soft\u00adhyphen",
    "",
    " \u00a0 ",
    *HOSTILE,
    " ".join(HOSTILE),
]


def transformer(tied=False, seed=5, **sizes):
    """A Transformer of random weights, large enough that words differ; NumPy's, so that they last."""
    made = Transformer(len(TINY[0]), len(TINY[1]), Sizes(**sizes), tied=tied)
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for weight in made.parameters():
            weight.copy_(torch.from_numpy(rng.normal(size=weight.shape)))
    return made.eval()


def gru(decoder=AttentionDecoder, seed=3, **options):
    torch.manual_seed(seed)
    made = Seq2Seq(Encoder(len(TINY[0]), 3, 6, bidirectional=True), decoder(len(TINY[1]), 5, 6, **options))
    with torch.no_grad():
        for weight in made.parameters():
            weight.mul_(3)
    return made.eval()


def lab(models=None, **traits):
    return TranslationLab(gru() if models is None else models, TINY, **traits)


ROW = (0.5, 0.0, 0.125, 0.375)
OPERATIONS = [
    [],
    [Operation("zero", (0,))],
    [Operation("swap", (0, 2)), Operation("uniform", (1,), (0, 0))],
    [Operation("zero", (1,)), Operation("set", (1,), (0, 0), ROW)],
    [Operation("set", (1,), None, ROW), Operation("set", (0,), (0, 0), ROW), Operation("zero", (60,))],
]


def cases():
    """Models, sentences, operations, and what PyTorch writes, for js/translate.js to reproduce."""
    found = []
    for name, kind in {**KINDS, "gru": None}.items():
        model = gru() if kind is None else transformer(**kind)
        payload, layout = pack_model(model)
        written = [operate(rounded(model), [4, 8, 5, 2], done)[-1] for done in OPERATIONS]
        head = {"name": name, "payload": base64.b64encode(payload).decode(), "layout": layout}
        found.append(
            {
                **head,
                "source": [4, 8, 5, 2],
                "operations": [[asdict(one) for one in done] for done in OPERATIONS],
                "written": [
                    {
                        "ids": one.ids,
                        "log_probs": [round(x, 5) for x in one.log_probs],
                        "rows": one.rows.double().numpy().round(5).tolist(),
                        "ended": one.ended,
                    }
                    for one in written
                ],
            }
        )
    return found


def fixture():
    """All that js is held to."""
    return {"cases": cases(), "typed": [[text, list(tokenize(text))] for text in TYPED]}


def node(tmp_path, script, *arguments):
    """What a script prints as JSON, in the node of the environment or of the machine."""
    (tmp_path / "run.mjs").write_text(
        script.replace("JS/", f"{(ROOT / 'attn_helpers/widgets/js').as_uri()}/"), "utf-8"
    )
    path = os.pathsep.join([str(ROOT / ".venv" / "bin"), os.environ.get("PATH", "")])
    command = [shutil.which("node", path=path) or "node", "run.mjs", *map(str, arguments)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# ---- the page's numbers are PyTorch's ------------------------------------------------------------


def test_the_stored_fixture_is_what_pytorch_says_today():
    """PyTorch's Transformer or ours changes, and the browser goes on with the old one."""
    stored, fresh = json.loads(FIXTURE.read_text("utf-8")), fixture()
    assert stored["typed"] == fresh["typed"]
    for old, new in zip(stored["cases"], fresh["cases"], strict=True):
        assert (old["name"], old["payload"], old["layout"]) == (new["name"], new["payload"], new["layout"])
        for one, other in zip(old["written"], new["written"], strict=True):
            assert (one["ids"], one["ended"]) == (other["ids"], other["ended"])
            np.testing.assert_allclose(one["log_probs"], other["log_probs"], atol=2e-4)
            np.testing.assert_allclose(one["rows"], other["rows"], atol=2e-4)


COMPARE = """import { readFileSync } from "node:fs";
import { netOf } from "JS/gru.js";
import { headsOf, MODELS, write } from "JS/translate.js";
const { layout, cases, words } = JSON.parse(readFileSync("about.json", "utf8"));
const bytes = readFileSync("payload");
const net = netOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), layout);
const wanted = new Float32Array(readFileSync("logits").buffer.slice(0));
const model = MODELS[layout.kind ?? "gru"];
let [at, worst, differing] = [0, 0, 0];
const times = [];
for (const { source, ids } of cases) {
  const started = performance.now();
  const written = write(net, source);
  times.push(performance.now() - started);
  if (`${written.ids}` !== `${ids}`) differing += 1;
  let state = model.start(net, source);
  for (const id of [1, ...ids]) {
    const { logits, state: next } = model.step(net, state, id);
    state = next;
    for (let i = 0; i < words; i++, at++) worst = Math.max(worst, Math.abs(logits[i] - wanted[at]));
  }
}
times.sort((a, b) => a - b);
const median = times[times.length >> 1];
console.log(JSON.stringify({ worst, differing, read: at, given: wanted.length, median }));
"""


@pytest.mark.parametrize("name", MODELS)
def test_500_held_out_sentences(name, tmp_path, record_property):
    """The page writes other words than the model: logits within 1e-3, greedy output the same, for all 500."""
    model, pairs = load_trained(name), held_out()
    payload, layout = pack_model(model)
    twin = rounded(model)
    found = translate(twin, pairs, WORDS)
    logits, cases = [], []
    with torch.no_grad(), one_thread():
        for pair, one in zip(pairs, found, strict=True):
            source = [*WORDS[0].encode(pair.source), EOS]
            forced = twin(
                torch.tensor([source]), torch.tensor([len(source)]), torch.tensor([[BOS, *one.tokens]])
            )
            logits.append(forced.logits[0].numpy().astype("<f4"))
            cases.append({"source": source, "ids": one.tokens})
    (tmp_path / "payload").write_bytes(payload)
    (tmp_path / "logits").write_bytes(b"".join(part.tobytes() for part in logits))
    about = {"layout": layout, "cases": cases, "words": len(WORDS[1])}
    (tmp_path / "about.json").write_text(json.dumps(about), "utf-8")
    said = node(tmp_path, COMPARE)
    record_property("said", said)
    assert said["read"] == said["given"] > 500 * len(WORDS[1])
    assert said["differing"] == 0
    assert said["worst"] < 1e-3
    assert said["median"] < 150  # 50 ms, with threefold slack
    assert len(payload) < 1_500_000
    plain = translate(model, pairs, WORDS)
    assert np.mean([a.tokens == b.tokens for a, b in zip(plain, found, strict=True)]) >= 0.99


# ---- what Python says ----------------------------------------------------------------------------


def test_what_python_says_is_what_was_done():
    """`translations` are of another sentence or of other operations than the traits."""
    widget = TranslationLab.of_trained("bahdanau-bidirectional", "transformer")
    assert list(widget.translations) == ["GRU with attention", "Transformer"]
    for said in widget.translations.values():
        assert said.before == said.after == "le chat noir dort"
        assert said.log_prob_before == said.log_prob_after > -0.1
    widget.operations = [("swap", (1, 2))]
    for (name, said), row in zip(widget.translations.items(), MODELS, strict=True):
        model = rounded(load_trained(row))
        right = operate(
            model, [*WORDS[0].encode(["the", "black", "cat", "sleeps"]), EOS], [Operation("swap", (1, 2))]
        )
        assert said.after == " ".join(WORDS[1].decode(right[-1].ids)), name
        assert said.log_prob_after == pytest.approx(sum(right[-1].log_probs))
    widget.text = "My aunt's old horse drinks WATER!"
    assert widget.tokens == ("my", "aunt", "'s", "old", "horse", "drinks", "water", "!")
    assert widget.unknown == ("!",)
    assert "The" not in repr(widget)
    assert repr(widget).startswith("TranslationLab(\"My aunt's old horse")


def test_the_first_sight_needs_no_weights():
    """The page is blank until half a megabyte has come, or shows the sentence before the last."""
    widget = lab(operations=[("zero", [0])], text="a cat sleeps")
    assert widget._sheets["text"] == "a cat sleeps"
    assert widget._sheets["operations"] == as_json(widget.operations)
    ((before, after),) = widget._sheets["made"]
    assert np.any(before["rows"][0])
    assert not np.any(after["rows"][0])
    widget.operations = []
    widget._repr_mimebundle_()
    ((before, after),) = widget._sheets["made"]
    assert before == after
    json.dumps(widget._sheets)
    assert len(json.dumps(lab(text="the cat " * 30)._sheets)) < 400_000


def test_python_translates_where_it_is_asked_to():
    """A model that no page can compute is shown as another one; or Python does not follow the page."""
    model = gru(LuongDecoder, score="dot")
    with pytest.raises(
        TypeError, match='LuongDecoder; with engine="python" a live kernel translates with it'
    ):
        lab(model)
    widget = lab(model, engine="python")
    assert widget._payloads == [b""]
    widget.set_state(
        {"text": "the cat", "operations": [{"kind": "uniform", "rows": [1], "head": None, "weights": None}]}
    )
    assert widget._sheets["text"] == "the cat"
    right = operate(model, [*TINY[0].encode(["the", "cat"]), EOS], [Operation("uniform", (1,))])
    assert widget._sheets["made"][0][1]["ids"] == right[-1].ids
    np.testing.assert_allclose(widget._sheets["made"][0][1]["rows"], right[-1].rows, atol=1e-6)


def test_page_and_python_agree():
    """The same model, bound to Python or travelling: the words are the same, log p to rounding."""
    for model in (gru(), transformer(**KINDS["plain"])):
        in_page, in_python = lab(model), lab(model, engine="python")
        for text in ("the black cat sleeps", "a cat", ""):
            in_page.text = in_python.text = text
            (one,), (other,) = in_page.translations.values(), in_python.translations.values()
            assert one.before == other.before
            assert one.log_prob_before == pytest.approx(other.log_prob_before, abs=0.02)


def test_the_model_stays_the_readers():
    """A widget that changes the model, or changes with it."""
    model = gru().train()
    widget = lab(model, engine="python")
    said = widget.translations
    assert model.training
    with torch.no_grad():
        model.decoder.output.bias += 100 * torch.randn(len(TINY[1]))
    assert widget.translations == said


def test_only_sixty_words_are_read():
    """A page of text stops the browser."""
    widget = lab(text="cat " * 1000)
    assert len(widget.tokens) == 60
    assert len(widget._sheets["made"][0][0]["rows"][0][0]) == 61


@pytest.mark.parametrize("text", TYPED)
def test_any_text_is_translated(text):
    """Markup, emoji, Chinese, nothing: an error instead of words."""
    widget = lab(text=text)
    ids = [*TINY[0].encode(widget.tokens), EOS]
    assert widget.unknown == tuple(w for w in widget.tokens if TINY[0].encode([w]) == [UNK])
    assert len(widget._sheets["made"][0][0]["rows"][0][0]) == len(ids)
    assert widget._picture().png()
    assert repr(widget)


def test_rates_are_the_measured_ones():
    """The bar says another number than the table, or that of another model."""
    widget = TranslationLab.of_trained("transformer", "bahdanau-bidirectional")
    assert widget._rates == [
        change_rates()["rates"][name] for name in ("transformer", "bahdanau-bidirectional")
    ]
    assert lab()._rates == [{}]
    assert widget.longest == 29


def test_the_page_counts_right():
    """The lab's page speaks of other models than those on it."""
    text = (ROOT / "book" / "translation_lab.md").read_text("utf-8")
    assert f"{len(corpus(0).train):,} sentences" in text.replace("\n", " ")
    assert f"{len(WORDS[0]) - 4} English words" in text
    shares = [one["all"][kind] for one in change_rates()["rates"].values() for kind in one["all"]]
    assert all(one["changed"] > one["of"] / 2 for one in shares)  # "most rows matter"
    heads = [one for name, one in change_rates()["rates"]["transformer"].items() if name != "all"]
    assert all(one["changed"] < 0.15 * one["of"] for kinds in heads for one in kinds.values())


# ---- traits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("operations", [("nil", [1])], "operation must be one of"),
        ("operations", [("zero", 1)], "list of operations such as"),
        ("operations", "zero", "list of operations such as"),
        ("operations", [("swap", [1])], "two different rows"),
        ("operations", [{"kind": "zero", "rows": [1], "colour": 3}], "colour"),
        ("challenge", ("zero", []), "one row"),
        ("row", -1, "None or 0 to 63"),
        ("row", 64, "None or 0 to 63"),
        ("head", (1, 0), r"TranslationLab.head takes .* below one of \[\(1, 1\)\], got \(1, 0\)"),
        ("operations", [("zero", [1], (0, 3))], r"TranslationLab.operations takes .*, got \(0, 3\)"),
        ("challenge", ("swap", [1, 2], (2, 0)), r"TranslationLab.challenge takes .*, got \(2, 0\)"),
        ("guess", "perhaps", "trade"),
        ("engine", "rust", "page"),
        ("examples", [], "at least one string"),
    ],
)
def test_what_does_not_exist_is_refused_by_name(trait, value, message):
    """A slip is taken for something else."""
    widget = lab()
    before = getattr(widget, trait)
    with pytest.raises(TraitError, match=message):
        setattr(widget, trait, value)
    assert getattr(widget, trait) == before


def test_without_weights_the_page_cannot_compute():
    """Switched over, it would say for ever that the model is on its way."""
    widget = lab(engine="python")
    with pytest.raises(TraitError, match='for "page" make another'):
        widget.engine = "page"
    assert widget.engine == "python"
    other = lab()
    other.engine = "python"
    other.engine = "page"  # its weights did travel


def test_operations_are_taken_in_any_spelling():
    """A list from a page, tuples from a cell, NumPy weights: one form travels."""
    row = np.array([0.5, 0.5, 0, 0, 0])
    widget = lab(
        operations=[Operation("zero", (1,)), ("swap", [1, 2]), {"kind": "set", "rows": (0,), "weights": row}]
    )
    kept = (
        Operation("zero", (1,)),
        Operation("swap", (1, 2)),
        Operation("set", (0,), None, (0.5, 0.5, 0, 0, 0)),
    )
    assert widget.operations == kept
    sent = json.loads(json.dumps(widget.get_state()["operations"]))
    assert sent[1] == {"kind": "swap", "rows": [1, 2], "head": None, "weights": None}
    widget.operations = sent  # as a page sends them
    assert widget.operations == kept


def test_what_was_checked_cannot_be_changed_in_place():
    """R110: an operation that was never checked, or one that the page never hears of."""
    widget = lab(operations=[("zero", [1])], challenge=("swap", [1, 2]))
    assert not hasattr(widget.operations, "append")
    for one in (widget.operations[0], widget.challenge):
        assert not hasattr(one.rows, "append")
        with pytest.raises(AttributeError):
            one.rows = (7,)
    given = [("zero", [1])]
    widget.operations = given
    given.append(("foo", [1]))
    assert widget.operations == (Operation("zero", (1,)),)


@pytest.mark.parametrize(
    ("models", "error", "message"),
    [
        ({}, ValueError, "at least one model"),
        (nn.GRU(3, 4), TypeError, "must be Seq2Seq, Transformers among them, got GRU"),
        (Seq2Seq(Encoder(9, 3, 4), Decoder(11, 3, 4)), ValueError, "got one without attention"),
        (
            Seq2Seq(Encoder(9, 3, 4), AttentionDecoder(11, 3, 4, score="uniform")),
            ValueError,
            "choose where they look",
        ),
        (
            Seq2Seq(Encoder(8, 3, 4), AttentionDecoder(11, 3, 4)),
            ValueError,
            "source vocabulary must have the model's 8",
        ),
        (
            Seq2Seq(Encoder(9, 3, 4), AttentionDecoder(10, 3, 4)),
            ValueError,
            "target vocabulary must have the model's 10",
        ),
    ],
)
def test_models_that_cannot_be_shown_are_refused(models, error, message):
    """A map without rows to operate on, or words of another model."""
    with pytest.raises(error, match=message):
        TranslationLab(models, TINY)


class Louder(Transformer):
    """A Transformer of a reader's own."""


def test_a_transformer_of_ones_own_is_not_taken_for_ours():
    """The page computes what the subclass does not."""
    with pytest.raises(TypeError, match="got Louder of TransformerEncoder and TransformerDecoder"):
        pack_model(Louder(9, 11, Sizes(width=6, heads=2)))


# ---- pictures ------------------------------------------------------------------------------------


def test_the_picture_says_what_is_seen():
    """Print shows another state than the page."""
    widget = TranslationLab.of_trained("transformer", operations=[("zero", [1])], row=1)
    picture = widget._picture()
    (said,) = widget.translations.values()
    assert said.before != said.after
    assert picture.alt == f"the black cat sleeps → {said.before}, after the operation {said.after}."
    data, about = widget._repr_mimebundle_()
    assert about["image/png"]["alt"] == picture.alt
    assert re.match(r"TranslationLab\('the black cat sleeps': le chat noir dort → ", data["text/plain"])
    (axes,) = picture.axes
    drawn = axes.images[0].get_array()
    right = operate(widget._models[0], [*WORDS[0].encode(widget.tokens), EOS], [Operation("zero", (1,))])[-1]
    np.testing.assert_allclose(drawn, right.rows.mean(1), atol=1e-6)
    widget.head = (1, 0)
    np.testing.assert_allclose(widget._picture().axes[0].images[0].get_array(), right.rows[:, 2], atol=1e-6)


if __name__ == "__main__":
    FIXTURE.write_text(json.dumps(fixture(), ensure_ascii=False) + "\n", "utf-8")
