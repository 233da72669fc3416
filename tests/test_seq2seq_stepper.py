"""Seq2SeqStepper from Python's side: the weights that travel, the steps that PyTorch makes of them."""

import base64
import json
import os
import re
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from traitlets import TraitError

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import Pair, Vocabulary
from attn_helpers.corpus.vocabulary import BOS, EOS, UNK
from attn_helpers.decoding import greedy
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.widgets import Seq2SeqStepper
from attn_helpers.widgets.model_payload import STEPS, pack_model, rounded, unpack_model

ROOT = Path(__file__).parents[1]
FIXTURE = ROOT / "tests" / "fixtures" / "seq2seq_stepper.json"
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))
WORDS = ("the", "black", "cat", "sleeps", "small"), ("le", "chat", "noir", "dort", "petit", "ne", "pas")
PAIRS = (
    Pair(("the", "black", "cat", "sleeps"), ("le", "chat", "noir", "dort")),
    Pair(("the", "small", "cat"), ("le", "petit", "chat")),
)
KINDS = {  # case: encoder and decoder, widths of distinct primes where they may differ
    "plain": {},
    "two layers": {"layers": 2},
    "bridge": {"wide": 7},
    "bidirectional bridge": {"layers": 2, "bidirectional": True, "hidden": 10, "wide": 7},
    "additive": {"score": "additive"},
    "additive, bidirectional": {"score": "additive", "bidirectional": True, "layers": 2, "wide": 11},
    "uniform": {"score": "uniform"},
    "dot": {"score": "dot"},
    "scaled dot": {"score": "scaled_dot", "bidirectional": True},
    "cosine": {"score": "cosine"},
    "bilinear": {"score": "bilinear", "bidirectional": True, "wide": 11},
}


def model(hidden=6, layers=1, bidirectional=False, wide=None, score=None, seed=5, embedding=3, words=(9, 11)):
    """A model of random weights, large enough to open and close gates; NumPy's, so that they last."""
    encoder = Encoder(words[0], embedding, hidden, layers, bidirectional=bidirectional)
    shape = (words[1], embedding + 2, wide or hidden, layers, hidden)
    decoder = Decoder(*shape) if score is None else AttentionDecoder(*shape, score=score, attention=5)
    made = Seq2Seq(encoder, decoder)
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for weight in made.parameters():
            weight.copy_(torch.from_numpy(rng.normal(size=weight.shape)))
    return made.eval()


def vocabularies():
    return Vocabulary(WORDS[0]), Vocabulary(WORDS[1])


def stepper(pairs=PAIRS, **options):
    kinds = ("hidden", "layers", "bidirectional", "wide", "score", "seed")
    given = {name: options.pop(name) for name in kinds if name in options}
    return Seq2SeqStepper(model(**given), pairs, vocabularies(), **options)


@torch.no_grad()
def told(made, source, fed):
    """What PyTorch's own forward pass says of one sentence: memory, logits, states, weights."""
    memory = made.encoder(torch.tensor([source]), torch.tensor([len(source)]))
    decoded = made(torch.tensor([source]), torch.tensor([len(source)]), torch.tensor([fed]))
    return memory, decoded


def cases():
    """Payloads and what PyTorch makes of them, for js/gru.js to reproduce."""
    return [case(name, *pack_model(model(**kind)), **kind) for name, kind in KINDS.items()]


def case(name, payload, layout, **kind):
    """One model: its bytes, a sentence, words fed, and PyTorch's numbers with these very weights."""
    made = loaded(payload, layout, **kind)
    source, fed = [4, 8, 5, 2], [1, 10, 4, 4, 7]
    memory, decoded = told(made, source, fed)
    numbers = {"states": memory.states[0], "final": memory.final[:, 0], "logits": decoded.logits[0]}
    numbers |= {"hidden": decoded.states[0]}
    numbers |= {} if decoded.weights is None else {"weights": decoded.weights[0]}
    lists = {key: value.double().numpy().round(7).tolist() for key, value in numbers.items()}
    head = {"name": name, "payload": base64.b64encode(payload).decode(), "layout": layout}
    return {**head, "source": source, "fed": fed, **lists}


def loaded(payload, layout, **kind):
    """A model with the weights of these bytes."""
    made = model(**kind)
    weights = unpack_model(payload, layout)
    made.load_state_dict(
        {k: torch.from_numpy(weights[k]).reshape(v.shape) for k, v in made.state_dict().items()}
    )
    return made


# ---- the weights that travel ---------------------------------------------------------------------


def test_the_stored_fixture_is_what_pytorch_says_today():
    """PyTorch's GRU or ours changes, and the browser goes on with the old one."""
    stored = json.loads(FIXTURE.read_text("utf-8"))
    two_way = [one["layout"]["directions"] == 2 for one in stored]
    assert two_way == [kind.get("bidirectional", False) for kind in KINDS.values()]
    assert [one["name"] for one in stored] == list(KINDS), f"write it again: python {Path(__file__).name}"
    for old, kind in zip(stored, KINDS.values(), strict=True):
        assert base64.b64decode(old["payload"]) == pack_model(model(**kind))[0]
        fresh = case(old["name"], base64.b64decode(old["payload"]), old["layout"], **kind)
        assert fresh["layout"] == old["layout"]
        for name in ("states", "final", "logits", "hidden", "weights"):
            np.testing.assert_allclose(old.get(name, 0), fresh.get(name, 0), atol=2e-5, err_msg=old["name"])


@pytest.mark.parametrize("kind", KINDS)
def test_no_weight_is_off_by_more_than_a_step(kind):
    """R112: rows scrambled, signs lost, or too few bits."""
    made = model(**KINDS[kind])
    weights = unpack_model(*pack_model(made))
    assert list(weights) == list(made.state_dict())
    for name, value in made.state_dict().items():
        table = np.atleast_2d(value.numpy())
        most = np.abs(table).max(axis=1, keepdims=True) / (2 * STEPS)
        assert (np.abs(weights[name] - table) <= most + 3e-7).all(), name  # and float32's own rounding


def test_half_a_megabyte_is_enough():
    """The weights of chapter 2's model weigh more than 16 bits each."""
    made = Seq2Seq(Encoder(300, 64, 128), Decoder(300, 64, 128))
    count = sum(weight.numel() for weight in made.parameters())
    payload, layout = pack_model(made)
    rows = sum(rows for _, rows, _ in layout["tensors"])
    assert len(payload) == 2 * count + 4 * rows
    assert len(payload) < 600_000


def test_zeros_and_transposed_weights_travel():
    """R112: a row of zeros divides by zero; a strided weight arrives scrambled."""
    made = model()
    with torch.no_grad():
        made.decoder.output.weight[4] = 0
        made.decoder.output.weight.data = made.decoder.output.weight.data.T.contiguous().T
    np.testing.assert_allclose(
        unpack_model(*pack_model(made))["decoder.output.weight"],
        made.decoder.output.weight.detach(),
        atol=1e-4,
    )


def test_the_original_model_stays_as_it_was():
    """A widget that rounds the model the reader goes on training."""
    made = model(score="additive").train()
    before = {name: value.clone() for name, value in made.state_dict().items()}
    twin = rounded(made)
    assert made.training
    assert not twin.training
    assert all(torch.equal(value, before[name]) for name, value in made.state_dict().items())
    widget = Seq2SeqStepper(made, PAIRS, vocabularies(), position=3)
    steps = widget.steps
    with torch.no_grad():
        made.decoder.output.bias += 100 * torch.randn(11)
    np.testing.assert_allclose(widget.steps[2].probabilities, steps[2].probabilities)


class Louder(Decoder):
    """A decoder of a reader's own."""


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (nn.GRU(3, 4), TypeError, "a Seq2Seq of an Encoder .*, got GRU"),
        (Seq2Seq(Encoder(9, 3, 6), Louder(11, 3, 6)), TypeError, "got Seq2Seq of Encoder and Louder"),
        (Seq2Seq(Encoder(4000, 64, 512), Decoder(4000, 64, 512)), ValueError, "at most 2,000,000 weights"),
    ],
)
def test_a_model_that_no_page_can_compute_is_refused(made, error, message):
    """The page shows numbers of another model, or loads for minutes."""
    with pytest.raises(error, match=message):
        pack_model(made)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_is_refused_by_name(value):
    """R109: a model whose training failed shows bars of NaN."""
    made = model()
    with torch.no_grad():
        made.decoder.rnn.bias_hh_l0[3] = value
    with pytest.raises(ValueError, match=r"finite weights, got NaN or infinity in decoder\.rnn\.bias_hh_l0"):
        pack_model(made)


def test_vocabularies_must_be_those_of_the_model():
    """Words and numbers are shifted: the picture is fluent nonsense."""
    source, target = vocabularies()
    with pytest.raises(ValueError, match="source vocabulary must have the model's 9 numbers, got 11"):
        Seq2SeqStepper(model(), PAIRS, (target, source))
    with pytest.raises(ValueError, match="target vocabulary must have the model's 11 numbers, got 9"):
        Seq2SeqStepper(model(), PAIRS, (source, source))


# ---- the steps -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_gold_steps_are_teacher_forcing(kind):
    """The stepper walks another way than the model was trained on: off by one, or a stale state."""
    widget = stepper(**KINDS[kind], position=5)
    made = rounded(model(**KINDS[kind]))
    _, decoded = told(
        made,
        [*vocabularies()[0].encode(PAIRS[0].source), EOS],
        [BOS, *vocabularies()[1].encode(PAIRS[0].target)],
    )
    wanted = decoded.logits[0].double().softmax(-1).numpy()
    steps = widget.steps
    assert [step.reads for step in steps] == ["⟨start⟩", "le", "chat", "noir", "dort"]
    assert [step.gold for step in steps] == ["le", "chat", "noir", "dort", "⟨end⟩"]
    np.testing.assert_allclose([step.probabilities for step in steps], wanted, atol=1e-6)
    if decoded.weights is not None:
        np.testing.assert_allclose([step.weights for step in steps], decoded.weights[0], atol=1e-6)
    else:
        assert all(np.array_equal(step.context, steps[0].context) for step in steps)  # the same c
    golds = vocabularies()[1].encode(PAIRS[0].target)
    assert steps[1].gold_probability == pytest.approx(wanted[1, golds[1]], abs=1e-6)


@pytest.mark.parametrize("kind", ["plain", "additive", "dot"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_own_steps_are_greedy_decoding(kind, seed):
    """Free running in the widget is not what the chapter's translations were made with."""
    widget = stepper(**KINDS[kind], seed=seed, position=10, feeds=("own",))
    source = [*vocabularies()[0].encode(PAIRS[0].source), EOS]
    (found,) = greedy(
        rounded(model(**KINDS[kind], seed=seed)), torch.tensor([source]), torch.tensor([5]), limit=10
    )
    said = [step.writes for step in widget.steps if step.writes != "⟨end⟩"]
    wanted = ["⟨unknown⟩" if id == UNK else vocabularies()[1].names([id])[0] for id in found.tokens]
    assert said == wanted[: len(said)]
    assert len(said) in (len(found.tokens), 5 + 6)


def test_each_step_can_be_fed_gold_or_own():
    """A choice at one step changes the steps before it, or is forgotten after one."""
    gold, mixed = stepper(position=5), stepper(position=5, feeds=("gold", "own"))
    own = [step.writes for step in mixed.steps]
    assert own[1] != "chat"  # else nothing is tested
    assert [step.reads for step in mixed.steps] == ["⟨start⟩", "le", *own[1:4]][: len(mixed.steps)]
    for before, after in zip(gold.steps[:2], mixed.steps[:2], strict=True):
        np.testing.assert_array_equal(before.probabilities, after.probabilities)
    back = stepper(position=5, feeds=("gold", "own", "gold"))
    assert [step.reads for step in back.steps] == ["⟨start⟩", "le", own[1], "noir", "dort"]


def test_it_never_says_padding_or_begin():
    """The best word is one that no translation holds."""
    made = model()
    with torch.no_grad():
        made.decoder.output.bias[:2] = 1000
    widget = Seq2SeqStepper(made, PAIRS, vocabularies(), position=3)
    assert {step.writes for step in widget.steps} <= {*WORDS[1], "⟨end⟩", "⟨unknown⟩"}


def test_it_stops_at_its_own_end_and_at_a_limit():
    """A step after the end of sentence, or a walk without end."""
    made = model()
    with torch.no_grad():
        made.decoder.output.bias[EOS] = 1000
    assert len(Seq2SeqStepper(made, PAIRS, vocabularies(), position=5, feeds=("own",)).steps) == 1
    with torch.no_grad():
        made.decoder.output.bias[EOS] = -1000
    steps = Seq2SeqStepper(made, PAIRS, vocabularies(), position=11, feeds=("own",)).steps
    assert len(steps) == 5 + 6
    assert [step.gold for step in steps[5:]] == [None] * 6
    assert len(Seq2SeqStepper(made, PAIRS, vocabularies(), position=11).steps) == 5


def test_a_neighbour_in_the_list_changes_nothing():
    """A sentence's steps depend on the sentences it is offered with."""
    alone = stepper(pairs=PAIRS[1:], position=4).steps
    among = stepper(position=4, sentence=1).steps
    assert [step.reads for step in alone] == [step.reads for step in among]
    np.testing.assert_array_equal([s.probabilities for s in alone], [s.probabilities for s in among])


def test_an_unknown_word_is_said_to_be_one():
    """A word the model never saw is shown as if it were known."""
    widget = stepper(pairs=[(["the", "zebra"], ["le", "zèbre"])], position=2)
    assert widget._ids[0] == [
        [*vocabularies()[0].encode(["the"]), UNK, EOS],
        [*vocabularies()[1].encode(["le"]), UNK, EOS],
    ]
    assert widget.steps[1].gold == "⟨unknown⟩"


# ---- traits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("sentence", 2, "0 to 1, got 2"),
        ("position", -1, "0 to 11, got -1"),
        ("position", 12, "0 to 11, got 12"),
        ("guess", 11, "0 to 10, got 11"),
        ("feeds", (), "at least one of"),
        ("feeds", ("golden",), "at least one of"),
        ("pairs", PAIRS[:1], "are fixed, 2 of them"),
        ("pairs", [], "at least one pair"),
        ("pairs", [("the cat", "le chat"), PAIRS[1]], "each a list"),
    ],
)
def test_what_does_not_exist_is_refused_by_name(trait, value, message):
    """A slip shows another step than the reader asked for."""
    widget = stepper()
    before = getattr(widget, trait)
    with pytest.raises(TraitError, match=rf"Seq2SeqStepper\.{trait}.*{re.escape(message)}"):
        setattr(widget, trait, value)
    assert getattr(widget, trait) == before


def test_one_string_is_no_sentence():
    """A sentence given as one string becomes a row of letters."""
    with pytest.raises(TraitError, match=r"pairs|each a list of at least one token"):
        stepper(pairs=[("the cat", "le chat")])


def test_the_first_sight_is_the_question():
    """The book opens with the answer instead of the question."""
    widget = stepper()
    assert (widget.position, widget.predict, widget.guess, widget.feeds) == (1, True, None, ("gold",))
    assert widget.steps[-1].gold == "le"
    assert repr(widget) == "Seq2SeqStepper(the black cat sleeps → le chat noir dort, step 1)"


def test_what_stands_where_no_script_runs():
    """R125: GitHub and print show the same numbers in a picture and in words."""
    widget = stepper(position=3)
    data, metadata = widget._repr_mimebundle_()
    assert len(data["image/png"]) > 5000
    last = widget.steps[-1]
    alt = metadata["image/png"]["alt"]
    off = sum(step.writes != step.gold for step in widget.steps)
    shown = f"{last.gold_probability:.2f}".removeprefix("0")
    assert f"at step 3 it reads chat and writes {last.writes}" in alt
    assert f"the gold word noir has probability {shown}; {off} of 3 words off gold" in alt
    widths = [bar.get_width() for bar in widget._picture().axes[0].patches]
    np.testing.assert_allclose(widths, [step.gold_probability for step in widget.steps])


def test_hostile_tokens_are_drawn_in_silence():
    """R119: a token that Matplotlib reads as a formula, or cannot draw, warns under the cell."""
    tokens = [token for token in HOSTILE if token]
    words = Vocabulary(tokens)
    made = model(words=(len(words), len(words)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Seq2SeqStepper(made, [(tokens, tokens)], (words, words), position=9)._picture().png()


# ---- the browser's side in node ------------------------------------------------------------------


def test_node_agrees_with_pytorch_at_full_size(tmp_path):
    """1e-3 is missed with the widths of the chapter, in float32 sums of hundreds of numbers."""
    made = Seq2Seq(
        Encoder(300, 64, 128, bidirectional=True), AttentionDecoder(310, 64, 128, score="additive")
    )
    payload, layout = pack_model(made)
    source, fed = [*range(7, 36), EOS], [BOS, *range(40, 69)]
    _, decoded = told(rounded(made), source, fed)
    (tmp_path / "payload").write_bytes(payload)
    about = {"layout": layout, "source": source, "fed": fed}
    (tmp_path / "about.json").write_text(json.dumps(about), "utf-8")
    (tmp_path / "run.mjs").write_text(
        f"""import {{ readFileSync }} from "node:fs";
import {{ advance, begin, encode, netOf }} from "{(ROOT / "attn_helpers/widgets/js/gru.js").as_uri()}";
const {{ layout, source, fed }} = JSON.parse(readFileSync("about.json", "utf8"));
const bytes = readFileSync("payload");
const net = netOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), layout);
const started = performance.now();
const memory = encode(net, source);
let hidden = begin(net, memory);
const steps = fed.map((id) => {{
  const step = advance(net, memory, hidden, id);
  hidden = step.hidden;
  return step;
}});
const took = performance.now() - started;
const [logits, weights] = ["logits", "weights"].map((name) => steps.map((step) => step[name]));
console.log(JSON.stringify({{ logits, weights, took }}));
""",
        "utf-8",
    )
    path = os.pathsep.join([str(ROOT / ".venv" / "bin"), os.environ.get("PATH", "")])
    out = subprocess.run(
        [shutil.which("node", path=path) or "node", "run.mjs"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert out.returncode == 0, out.stderr
    found = json.loads(out.stdout)
    np.testing.assert_allclose(found["logits"], decoded.logits[0], atol=1e-4)
    np.testing.assert_allclose(found["weights"], decoded.weights[0], atol=1e-5)
    assert np.argmax(found["logits"], -1).tolist() == decoded.logits[0].argmax(-1).tolist()
    assert found["took"] < 1000  # 30 words in, 30 out; a step of a reader is a thirtieth


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(one) for one in cases())
    FIXTURE.write_text(f"[\n{lines}\n]\n", "utf-8")
