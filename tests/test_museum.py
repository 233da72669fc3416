"""The museum: each fault is one line, red when it is on, green when it is off; the loss falls either way."""

import ast
import inspect
import json
import re
import textwrap

import pytest
import torch

from attn_helpers import attention_seq2seq, ladder
from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import batches
from attn_helpers.decoding import translate
from attn_helpers.museum import FIRST_ROOM, NUMBERS, Fault, Number, judged, measure
from attn_helpers.museum.first_faults import FAULTS
from attn_helpers.museum.words import WORDS
from attn_helpers.trained import load_trained
from attn_helpers.training import History

TABLE = measure.table()
EXHIBITS = {exhibit.name: exhibit for exhibit in FIRST_ROOM}
each = pytest.mark.parametrize("exhibit", FIRST_ROOM, ids=lambda exhibit: exhibit.name)


@pytest.fixture(scope="module")
def model():
    """The real one, trained to the end without any fault."""
    return load_trained("bahdanau-bidirectional")


@pytest.fixture(scope="module")
def words():
    return measure.data()[1]


# ---- the test that bites -----------------------------------------------------------------------------


@each
def test_the_number_is_red_with_the_fault_and_green_without(exhibit, model, words):
    """R005, R047, R051: the number said to catch a fault misses it, or cries wolf at the right model."""
    number = NUMBERS[exhibit.number]
    assert number.fine(number.of(model, judged(), words))
    with exhibit.fault.on():
        value = number.of(model, judged(), words)
    assert not number.fine(value), value
    assert number.fine(number.of(model, judged(), words))


@each
def test_it_is_caught_before_the_first_step(exhibit, words):
    """A check that needs a trained model comes hours too late."""
    number, fresh = NUMBERS[exhibit.number], measure.untrained()
    assert number.fine(number.of(fresh, judged(), words))
    with exhibit.fault.on():
        assert not number.fine(number.of(fresh, judged(), words))


@pytest.mark.parametrize("name", NUMBERS)
def test_a_right_model_passes_every_number(name, model, words):
    """A number that is red for the right model proves nothing about the others."""
    number = NUMBERS[name]
    assert number.fine(number.of(model, judged(), words))
    assert number.fine(TABLE["right"]["numbers"][name])


# ---- the loss that does not tell ---------------------------------------------------------------------


@each
def test_the_loss_falls_with_the_fault_on(exhibit):
    """A fault that keeps the loss up is found by anyone who looks at the curve."""
    loss = exhibit.row["loss"]
    assert len(loss) == measure.POINTS
    assert loss[-1] <= 0.5 * loss[0]
    quarters = [sum(loss[i : i + 15]) for i in range(0, 60, 15)]
    assert quarters == sorted(quarters, reverse=True)  # and goes on falling


def test_the_table_belongs_to_the_code():
    """Page and widget print numbers of another program: run `python -m attn_helpers.museum` again."""
    assert set(TABLE) == {"right", *FAULTS}
    for name, row in TABLE.items():
        assert row["key"] == measure.key(FAULTS.get(name)), name


@pytest.mark.slow
def test_a_row_can_be_measured_again(words):
    """Anyone gets the stored row, within what another machine adds otherwise."""
    name = "fault-labels-unshifted"  # the number far from its limit, the training sharpest
    fault = FAULTS[name]
    again = measure.judge(*measure.train(fault), fault)
    stored = TABLE[name]
    assert again["exact"] == pytest.approx(stored["exact"], abs=0.05)
    assert again["loss"][:5] == pytest.approx(stored["loss"][:5], abs=0.05)
    assert again["loss"][-1] < 0.05
    found = {key for key, value in again["numbers"].items() if not NUMBERS[key].fine(value)}
    assert found == set(EXHIBITS[name].caught_by)


def test_what_the_room_says_of_its_numbers():
    """Each claim that stands beside an exhibit, read off the table."""
    for exhibit in FIRST_ROOM:
        assert exhibit.number in exhibit.caught_by
    caught = {name: set(exhibit.caught_by) for name, exhibit in EXHIBITS.items()}
    assert set.union(*caught.values()) == set(NUMBERS)
    assert all(any(name not in found for found in caught.values()) for name in NUMBERS)  # none catches all
    right = TABLE["right"]
    wrong, unused, flipped, leaks, dropped, unshifted = (exhibit.row for exhibit in FIRST_ROOM)
    assert all(0 <= weight <= 1 for row in wrong["weights"] for weight in row)
    assert all(sum(row) == pytest.approx(1, abs=1e-5) for row in unused["weights"])
    assert flipped["loss"] == unused["loss"]  # the same training as that of the ignored encoder
    assert all(row[-1] == 1 for row in flipped["weights"])
    assert abs(leaks["exact"] - right["exact"]) < 0.05  # the share of right translations hardly moves
    assert abs(leaks["loss"][-1] - right["loss"][-1]) < 0.02
    assert (dropped["loss"], dropped["weights"]) == (right["loss"], right["weights"])
    assert dropped["exact"] < 0.05
    assert unshifted["loss"][-1] < 0.05 * right["loss"][-1]
    assert unshifted["exact"] < 0.05
    assert right["said"] == list(measure.data()[0].probe.target)


# ---- the line ----------------------------------------------------------------------------------------


@each
def test_a_fault_is_one_line_of_the_real_function(exhibit):
    """The page shows a line that never ran, or a twin that differs in more than it admits."""
    right, wrong = exhibit.fault.lines()
    assert (len(right), len(wrong)) == (1, 1)
    functions = (vars(exhibit.fault.owner)[exhibit.fault.function], exhibit.fault.twin)
    for line, function in zip((right[0], wrong[0]), functions, strict=True):
        assert line in inspect.getsource(function)
    names = [list(inspect.signature(function).parameters) for function in functions]
    assert names[0] == names[1]


@each
def test_a_twin_with_its_line_mended_is_the_real_function(exhibit):
    """Something else than the faulty line is at work in the twin."""
    fault = exhibit.fault
    (right,), (wrong,) = fault.lines()
    real, twin = (
        ast.parse(textwrap.dedent(inspect.getsource(function)).replace(old, new)).body[0].body
        for function, old, new in ((vars(fault.owner)[fault.function], "", ""), (fault.twin, wrong, right))
    )
    if isinstance(real[0], ast.Expr) and isinstance(real[0].value, ast.Constant):
        real = real[1:]  # the docstring
    assert [ast.dump(line) for line in twin] == [ast.dump(line) for line in real]


def test_after_the_switch_all_is_as_it_was(model, words):
    """A fault that stays on poisons every chapter after it, also when the body fails."""
    before = {name: vars(fault.owner)[fault.function] for name, fault in FAULTS.items()}
    for fault in FAULTS.values():
        with fault.on():
            assert vars(fault.owner)[fault.function] is fault.twin
        with pytest.raises(KeyError), fault.on():
            raise KeyError
    assert {name: vars(fault.owner)[fault.function] for name, fault in FAULTS.items()} == before
    with FAULTS["fault-mask-flipped"].on(), FAULTS["fault-padding-leaks"].on():
        assert AttentionDecoder.attend is FAULTS["fault-padding-leaks"].twin
    assert AttentionDecoder.attend is before["fault-mask-flipped"]


def test_lines_are_compared_with_the_fault_off():
    """With the twin in its place there is nothing to compare, and the page would show no line."""
    fault = FAULTS["fault-mask-flipped"]
    with fault.on(), pytest.raises(RuntimeError, match="the fault is on"):
        fault.lines()
    assert fault.place == "attention_seq2seq.AttentionDecoder.attend"
    assert FAULTS["fault-labels-unshifted"].place == "corpus.batches._batch"
    assert "AttentionDecoder" in dir(attention_seq2seq)


def test_two_lines_are_two_lines():
    """`lines` would hide a second difference."""

    class Owner:
        def add(self, x):
            """Sum."""
            y = x + 1  # said
            return y * 2

    def twin(self, x):
        y = x - 1
        return y * 3

    assert Fault(Owner, "add", twin).lines() == (["y = x + 1", "return y * 2"], ["y = x - 1", "return y * 3"])


@each
def test_it_acts_where_it_is_said_to_act(exhibit, words):
    """A fault that "acts at inference" changes the training, or the other way round."""
    pairs = measure.data()[0].train[:8]
    fresh = measure.untrained()

    def loss():
        batch = next(batches(pairs, *words, size=8))
        return fresh(batch.source, batch.source_lengths, batch.target_in).logits

    before = loss()
    with exhibit.fault.on():
        assert torch.equal(before, loss()) != exhibit.fault.trains


def test_the_trained_model_stops_translating(model, words):
    """Switched on in the model of chapter 3, a fault that counts is heard."""
    pair = measure.data()[0].probe

    def said():
        return words[1].decode(translate(model, [pair], words, limit=12)[0].tokens)

    assert said() == list(pair.target)
    for name in ("fault-context-unused", "fault-mask-flipped", "fault-state-dropped", "fault-wrong-axis"):
        with FAULTS[name].on():
            assert said() != list(pair.target), name
    assert said() == list(pair.target)


# ---- the numbers themselves --------------------------------------------------------------------------


def test_a_number_knows_its_side():
    """A limit read from the wrong side passes what it should stop; NaN passes everything."""
    most, least = Number(lambda *_: 0.0, 0.5), Number(lambda *_: 0.0, 0.5, least=True)
    assert [most.fine(x) for x in (0.4, 0.5, 0.6)] == [True, True, False]
    assert [least.fine(x) for x in (0.4, 0.5, 0.6)] == [False, True, True]
    assert not most.fine(float("nan"))
    assert not least.fine(float("nan"))


def test_numbers_are_taken_without_dropout_and_leave_the_mode(words):
    """With dropout on, the same sentence twice would differ, and every model would be caught."""
    model = measure.untrained().train()
    model.decoder.dropout.p = model.encoder.dropout.p = 0.5
    threads = torch.get_num_threads()
    for name in ("alone", "step-by-step", "foresight"):
        assert NUMBERS[name].fine(NUMBERS[name].of(model, judged(), words)), name
    assert model.training
    assert torch.get_num_threads() == threads


def test_the_judged_sentences_have_padding():
    """Sentences of one length would hide every fault of the mask."""
    pairs = judged()
    assert len(pairs) == 16
    assert pairs[0] == measure.data()[0].probe
    assert len({len(pair.source) for pair in pairs}) > 7
    mates = measure.mates()
    assert [len(pair.source) - len(mates[0].source) for pair in mates] == [0, 1, 1, 1]
    assert ladder.vocabularies(measure.data()[0].train)[0].encode(pairs[0].source) == measure.data()[1][
        0
    ].encode(pairs[0].source)


# ---- the words beside them ---------------------------------------------------------------------------


@each
def test_an_exhibit_is_told_in_full(exhibit):
    """A card without its line, its number or a place where people met it is no exhibit."""
    card = exhibit._repr_markdown_()
    (right,), (wrong,) = exhibit.fault.lines()
    assert f"# right\n{right}\n# faulty\n{wrong}\n" in card
    assert WORDS[exhibit.number].says in card
    for value in (TABLE["right"]["numbers"][exhibit.number], exhibit.row["numbers"][exhibit.number]):
        assert f"{value:.3f} with" in card
    assert exhibit.met
    for met in exhibit.met:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", met.where)
        assert f"({met.url})" in card
        assert met.url.startswith("https://github.com/")
    for text in (exhibit.title, exhibit.fine, exhibit.because):
        assert text.endswith(".")


def test_every_number_has_words():
    """A number without a name cannot be chosen."""
    assert list(WORDS) == list(NUMBERS)
    assert len({words.short for words in WORDS.values()}) == len(WORDS)


# ---- the file ----------------------------------------------------------------------------------------


def test_a_measurement_goes_on_where_it_stopped(tmp_path, monkeypatch):
    """Rows that are up to date are kept, others measured; what is half-written is never there."""
    done = []

    def train(fault, steps=None):
        done.append(fault)
        return None, [1.0]

    monkeypatch.setattr(measure, "train", train)
    monkeypatch.setattr(measure, "judge", lambda model, loss, fault: {"loss": loss})
    path = tmp_path / "museum.json"
    some = {name: FAULTS[name] for name in list(FAULTS)[:2]}
    measure.measure_all(some, path)
    assert done == [None, *some.values()]
    measure.measure_all(FAULTS, path)
    assert list(json.loads(path.read_text("utf-8"))["rows"]) == ["right", *FAULTS]
    assert done[3:].count(None) == 1  # one training serves the right row's faults at inference
    assert FAULTS["fault-state-dropped"] not in done
    before = len(done)
    measure.measure_all(FAULTS, path)
    assert len(done) == before
    monkeypatch.setattr(measure, "key", lambda fault: "another program")
    measure.measure_all(some, path)
    assert done[before:] == [None, *some.values()]
    assert list(tmp_path.iterdir()) == [path]


def test_half_a_training_is_no_measurement(monkeypatch):
    """Ctrl-C during a training must not write a half-trained model's figures."""
    monkeypatch.setattr(measure, "fit", lambda *_, **__: History(interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        measure.train(None, steps=1)
