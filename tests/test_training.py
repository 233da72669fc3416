"""The training loop: what it counts, what it leaves alone, what it keeps, and what survives an accident."""

import copy
import math
import threading
import warnings
from itertools import chain

import pytest
import torch
from torch import nn

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus.batches import batches
from attn_helpers.corpus.pairs import Pair
from attn_helpers.corpus.vocabulary import BOS, EOS, PAD, Vocabulary
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.training import (
    History,
    Settings,
    cache,
    code_hash,
    data_hash,
    fingerprint,
    fit,
    log_spaced,
    loop,
    loss_per_token,
    token_loss,
)

WORDS = Vocabulary(list("abcdefg")), Vocabulary(list("tuvwxyz"))
ACROSS = dict(zip("abcdefg", "tuvwxyz", strict=True))
SHORT = Settings(steps=5, size=7)


def some_pairs(count=60, seed=0):
    """Words one by one, in order: short, and easy."""
    make = torch.Generator().manual_seed(seed)
    sizes = torch.randint(1, 6, (count,), generator=make).tolist()
    sources = [["abcdefg"[i] for i in torch.randint(7, (n,), generator=make)] for n in sizes]
    return [Pair(tuple(source), tuple(ACROSS[word] for word in source)) for source in sources]


PAIRS = some_pairs()


def build(seed=0, decoder=Decoder, **more):
    torch.manual_seed(seed)
    return Seq2Seq(Encoder(len(WORDS[0]), 5, 8, **more), decoder(len(WORDS[1]), 5, 8, **more))


def same(one, other):
    return all(map(torch.equal, one.state_dict().values(), other.state_dict().values()))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every test keeps its models in a folder of its own."""
    monkeypatch.setenv("ATTN_HELPERS_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


# ---- the loss ----------------------------------------------------------------------------------------


def test_loss_is_divided_by_words_not_by_padded_length():
    """Logits all alike, 4, 2 and 0 words of 4: ln 10 each, whatever the padding (R070)."""
    target = torch.tensor([[5, 5, 5, 5], [5, 5, PAD, PAD], [PAD] * 4])
    total, words = token_loss(torch.ones(3, 4, 10), target)
    assert words == 6
    assert total.item() / words == pytest.approx(math.log(10), abs=1e-6)
    assert total.item() / target.numel() == pytest.approx(math.log(10) / 2, abs=1e-6)  # the fault: by length


def test_padding_alone_has_no_loss_and_no_gradient():
    """A mean over nothing would be NaN, and NaN would be everywhere after one step (R067)."""
    logits = torch.randn(2, 3, 5, requires_grad=True)
    total, words = token_loss(logits, torch.zeros(2, 3, dtype=torch.long))
    (total / max(words, 1)).backward()
    assert (total.item(), words) == (0.0, 0)
    assert torch.equal(logits.grad, torch.zeros(2, 3, 5))


def test_padding_competes_in_the_softmax():
    """Three classes alike, PAD one of them: ln 3, as documented, not ln 2 (R068)."""
    assert token_loss(torch.ones(1, 1, 3), torch.tensor([[1]]))[0].item() == pytest.approx(math.log(3))


@pytest.mark.parametrize("target", [[[4, 5, 6]], [[4, 5, PAD]], [[PAD, PAD, PAD]]])
def test_one_padding_or_none(target):
    """Shapes do not depend on how much padding there happens to be (R065)."""
    total, words = token_loss(torch.ones(1, 3, 7), torch.tensor(target))
    assert total.item() == pytest.approx(words * math.log(7), abs=1e-5)


def test_inputs_and_labels_are_shifted_by_one():
    """Inputs bos a b, labels a b eos; in the shorter row eos is never an input that is asked (R073, R074)."""
    (batch,) = batches([Pair(("a", "b"), ("t", "u")), Pair(("a",), ("t",))], *WORDS)
    t, u = WORDS[1].encode(["t", "u"])
    rows = batch.rows.argsort()
    assert batch.target_in[rows].tolist() == [[BOS, t, u], [BOS, t, PAD]]
    assert batch.target_out[rows].tolist() == [[t, u, EOS], [t, EOS, PAD]]


def test_a_padded_batch_teaches_what_its_sentences_teach():
    """Gradients of a batch are the sums of its sentences' gradients (R074)."""
    together, alone = build().double(), build().double()
    for batch in batches(PAIRS[:9], *WORDS, size=9):
        token_loss(together(batch.source, batch.source_lengths, batch.target_in).logits, batch.target_out)[
            0
        ].backward()
    for batch in batches(PAIRS[:9], *WORDS, size=1):
        token_loss(alone(batch.source, batch.source_lengths, batch.target_in).logits, batch.target_out)[
            0
        ].backward()
    for one, other in zip(together.parameters(), alone.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, atol=1e-10, rtol=0)


def test_loss_per_token_weighs_words_alike():
    """Sum over the corpus by words: the size of the batches does not show."""
    model = build()
    total = words = 0
    for batch in batches(PAIRS, *WORDS, size=1):
        logits = model(batch.source, batch.source_lengths, batch.target_in).logits.detach().double()
        total -= logits.log_softmax(-1).gather(-1, batch.target_out[..., None]).sum().item()
        words += batch.target_out.numel()
    assert loss_per_token(model, PAIRS, WORDS) == pytest.approx(total / words, abs=1e-5)


# ---- the loop ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("decoder", [Decoder, AttentionDecoder])
def test_the_loss_falls(decoder):
    """It trains: from guessing among 11 to nearly right."""
    torch.manual_seed(0)
    model = Seq2Seq(Encoder(len(WORDS[0]), 8, 32), decoder(len(WORDS[1]), 8, 32))
    history = fit(model, PAIRS, WORDS, Settings(steps=150, size=20, rate=2e-2), progress=False)
    assert history.loss[0] == pytest.approx(math.log(len(WORDS[1])), abs=0.4)
    assert history.loss[-1] < 0.4


def test_the_same_seed_gives_the_same_model():
    """A second run is the first; another seed is another order."""
    runs = []
    for seed in (3, 3, 4):
        model = build(dropout=0.3)
        torch.manual_seed(seed * 7 + len(runs))  # the caller's random numbers do not matter
        history = fit(model, PAIRS, WORDS, Settings(steps=12, size=7, seed=seed), progress=False)
        runs.append((model, history.loss))
    assert same(runs[0][0], runs[1][0])
    assert runs[0][1] == runs[1][1] != runs[2][1]


def test_the_callers_world_is_left_alone():
    """Random numbers, threads and mode are afterwards what they were."""
    model = build().eval()
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    threads = torch.get_num_threads()
    fit(model, PAIRS, WORDS, SHORT, progress=False)
    assert torch.equal(torch.rand(3), expected)
    assert torch.get_num_threads() == threads
    assert not model.training


def test_dropout_is_on_while_training_and_off_for_the_probes():
    """A snapshot is what the model would say, not what it says with words struck out (R080)."""
    seen = []
    model = build(dropout=0.5)
    model.encoder.dropout.register_forward_hook(lambda module, *_: seen.append(module.training))
    history = fit(model.eval(), PAIRS, WORDS, SHORT, probes=PAIRS[:2], progress=False)
    assert seen.count(True) == 5
    assert seen.count(False) == len(history.snapshots) > 0


def test_the_history_counts_words_not_padding():
    """The curve that is plotted, and the step that is made, are per word, whatever the shape (R070)."""
    model = build()
    all_at_once = Settings(steps=2, size=60)
    batch = next(loop._epochs(PAIRS, WORDS, all_at_once))
    assert (batch.target_out == PAD).any()
    logits = model(batch.source, batch.source_lengths, batch.target_in).logits.detach()
    total, words = token_loss(logits, batch.target_out)
    history = fit(model, PAIRS, WORDS, all_at_once, progress=False)
    assert history.loss[0] == pytest.approx(total.item() / words, abs=1e-5)


def test_rates_are_those_used(monkeypatch):
    """The rate plotted is the rate of the update; it begins above 0 and peaks where asked (R071)."""
    used, step = [], torch.optim.AdamW.step
    monkeypatch.setattr(
        torch.optim.AdamW,
        "step",
        lambda self, *a: (used.append(self.param_groups[0]["lr"]), step(self, *a))[1],
    )
    history = fit(build(), PAIRS, WORDS, Settings(steps=40, size=7, rate=0.01), progress=False)
    assert history.rate == used
    assert history.rate[0] == pytest.approx(0.01 / 25)
    assert 0.0099 < max(history.rate) <= 0.01
    assert history.rate[-1] < 0.0002


def test_gradients_are_clipped(monkeypatch):
    """No update sees a gradient longer than `clip`."""
    norms, step = [], torch.optim.AdamW.step

    def measured(self, *rest):
        parts = [p.grad.norm() for group in self.param_groups for p in group["params"]]
        norms.append(torch.stack(parts).norm().item())
        return step(self, *rest)

    monkeypatch.setattr(torch.optim.AdamW, "step", measured)
    fit(build(), PAIRS, WORDS, Settings(steps=9, size=7, clip=0.01), progress=False)
    assert len(norms) == 9
    assert max(norms) == pytest.approx(0.01, rel=1e-4)


def test_one_step_is_a_training_too():
    """The shortest budget; and each epoch brings every pair."""
    assert len(fit(build(), PAIRS, WORDS, Settings(steps=1), progress=False).loss) == 1
    order = loop._epochs(PAIRS, WORDS, Settings(size=7))
    epochs = [[next(order).rows.tolist() for _ in range(9)] for _ in range(2)]
    assert [sorted(chain(*epoch)) for epoch in epochs] == [list(range(60))] * 2
    assert epochs[0] != epochs[1]


class Stops(Encoder):
    """The reader presses stop in the middle of the fourth step."""

    calls = 0

    def forward(self, source, lengths):
        self.calls += 1
        if self.calls == 4:
            raise KeyboardInterrupt
        return super().forward(source, lengths)


def test_an_interruption_keeps_what_was_reached(folder):
    """Three steps were made: they count, they are said to be three, and they are not kept as a whole run."""
    torch.manual_seed(0)
    model = Seq2Seq(Stops(len(WORDS[0]), 5, 8), Decoder(len(WORDS[1]), 5, 8))
    before = copy.deepcopy(model)
    history = fit(model, PAIRS, WORDS, SHORT, cache=True, progress=False)
    assert history.interrupted
    assert len(history.loss) == 3
    assert repr(history).endswith("interrupted)")
    assert not same(model, before)
    assert not folder.exists()  # not kept: it is no whole run


def test_a_loss_that_is_no_number_is_said():
    """A model full of NaN would train on, without a word."""
    model = build()
    with torch.no_grad():
        model.decoder.output.bias[4] = math.nan
    with pytest.raises(FloatingPointError, match="the loss became nan"):
        fit(model, PAIRS, WORDS, SHORT, progress=False)


@pytest.mark.parametrize(
    ("bad", "says"),
    [({"steps": 0}, "steps"), ({"size": 0}, "size"), ({"rate": 0}, "rate"), ({"clip": -1}, "clip")],
)
def test_settings_refuse(bad, says):
    """No step, no sentence, no rate."""
    with pytest.raises(ValueError, match=says):
        Settings(**bad)
    with pytest.raises(ValueError, match="at least one pair"):
        fit(build(), [], WORDS)


# ---- snapshots ---------------------------------------------------------------------------------------


def test_steps_are_close_together_early():
    """From before the first step to after the last."""
    assert log_spaced(750)[:5] == [0, 1, 2, 3, 5]
    for steps in (1, 2, 9, 750, 3000):
        spaced = log_spaced(steps)
        assert (spaced[0], spaced[-1]) == (0, steps)
        assert spaced == sorted(set(spaced))
        assert len(spaced) <= 24


@pytest.mark.parametrize("decoder", [Decoder, AttentionDecoder])
def test_snapshots_are_the_probes_without_padding(decoder):
    """The last one is what the trained model says of each probe, alone and in the order given (R077)."""
    model = build(decoder=decoder)
    probes = sorted(PAIRS[:5], key=lambda pair: -len(pair.source))
    history = fit(model, PAIRS, WORDS, SHORT, probes=probes, progress=False)
    assert [snap.step for snap in history.snapshots] == log_spaced(5)
    last = history.snapshots[-1]
    for i, pair in enumerate(probes):
        (batch,) = batches([pair], *WORDS)
        out = model(batch.source, batch.source_lengths, batch.target_in)
        right = out.logits.log_softmax(-1)[0, range(len(pair.target) + 1), batch.target_out[0]]
        torch.testing.assert_close(last.log_probs[i], right, atol=1e-5, rtol=0)
        torch.testing.assert_close(last.states[i], out.states[0], atol=1e-5, rtol=0)
        if out.weights is not None:
            torch.testing.assert_close(last.weights[i], out.weights[0], atol=1e-5, rtol=0)
    kept = [*last.log_probs, *last.states, *last.weights]
    assert all(not tensor.requires_grad and tensor.grad_fn is None for tensor in kept)
    assert all(type(loss) is float for loss in history.loss)
    assert len(last.weights) == (0 if decoder is Decoder else 5)


# ---- the cache ---------------------------------------------------------------------------------------


def trained(seed=0, settings=SHORT, pairs=PAIRS, words=WORDS, **more):
    model = build(seed)
    return model, fit(model, pairs, words, settings, cache=True, progress=False, **more)


def test_the_second_run_is_read_from_disk(folder):
    """The same model, the same history, at once; retrain=True trains all the same."""
    model, history = trained(probes=PAIRS[:2])
    again, read = trained(probes=PAIRS[:2])
    assert same(model, again)
    assert (history.cached, read.cached) == (False, True)
    assert (read.loss, read.rate) == (history.loss, history.rate)
    for one, other in zip(history.snapshots, read.snapshots, strict=True):
        assert one.step == other.step
        assert all(map(torch.equal, one.states, other.states))
    assert len(list(folder.iterdir())) == 1
    assert not trained(probes=PAIRS[:2], retrain=True)[1].cached


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"settings": Settings(steps=5, size=8)},
        {"settings": Settings(steps=5, size=7, seed=1)},
        {"pairs": PAIRS[::-1]},
        {"pairs": [*PAIRS[:-1], Pair(("a",), ("z",))]},
        {"words": (WORDS[0], Vocabulary([*"zyxwvut", "y"]))},
        {"probes": PAIRS[:1]},
    ],
)
def test_whatever_changes_the_result_changes_the_name(change):
    """A kept model is never passed off as another."""
    trained()
    assert not trained(**change)[1].cached
    assert trained()[1].cached


def test_code_and_torch_change_the_name_too(monkeypatch):
    """After an update the reader trains again."""
    trained()
    with monkeypatch.context() as patch:
        patch.setattr(torch, "__version__", "9.9")
        assert not trained()[1].cached
    with monkeypatch.context() as patch:
        patch.setattr(loop, "model_code_hash", lambda *_: "other code")
        assert not trained()[1].cached
    assert trained()[1].cached


@pytest.mark.parametrize(
    "harm",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda whole: b"",
        lambda whole: whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:],
        lambda whole: whole[:40] + b"\0" * 99 + whole[139:],
    ],
)
def test_a_damaged_file_is_trained_again_with_a_word(folder, harm):
    """Half a file, none, one flipped bit: never a wrong model, never a stop."""
    model, _ = trained()
    (path,) = folder.iterdir()
    path.write_bytes(harm(path.read_bytes()))
    with pytest.warns(UserWarning, match="cannot be used .* training again"):
        again, history = trained()
    assert not history.cached
    assert same(model, again)
    assert trained()[1].cached


def test_a_file_runs_no_code(folder):
    """What is read is numbers: a file made by someone else cannot do more than be wrong."""
    trained()
    (path,) = folder.iterdir()
    cache.save(path.name, {"weights": nn.Linear(2, 3)})
    with pytest.warns(UserWarning, match="training again"):
        assert not trained()[1].cached


def test_a_folder_that_cannot_be_written_costs_a_word(folder, monkeypatch):
    """A read-only home, a full disk: the model is trained all the same, and nothing half-written stays."""
    folder.write_text("a file where the folder should be")
    with pytest.warns(UserWarning, match="could not be kept"):
        _, history = trained()
    assert len(history.loss) == 5
    folder.unlink()

    def fails(self, target):
        raise PermissionError("no")

    monkeypatch.setattr("pathlib.Path.replace", fails)
    with pytest.warns(UserWarning, match="could not be kept"):
        trained()
    assert list(folder.iterdir()) == []


def test_readers_and_writers_at_once():
    """While others write the same file, it is there whole or not at all."""
    content = {"weights": torch.arange(50_000.0)}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        writers = [
            threading.Thread(target=lambda: [cache.save("x.pt", content) for _ in range(10)])
            for _ in range(3)
        ]
        for writer in writers:
            writer.start()
        read = [cache.load("x.pt") for _ in range(60)]
        for writer in writers:
            writer.join()
    assert said == []
    assert all(found is None or torch.equal(found["weights"], content["weights"]) for found in read)
    assert cache.load("x.pt") is not None


# ---- hashes ------------------------------------------------------------------------------------------


def test_words_about_code_do_not_count():
    """Comments, docstrings and blank lines may change; a number may not; a # in a string is no comment."""
    code = 'def f(x):\n    """Say."""\n\n    # why\n    return x + 1  # so\n\n\nNAME = "#1"\n'
    assert fingerprint.bare(code) == 'def f(x):\n    return x + 1\nNAME = "#1"'
    assert fingerprint.bare(code.replace("x + 1", "x + 2")) != fingerprint.bare(code)
    assert fingerprint.bare('class A:\n    """One\n    two."""\n') == "class A:"


def test_imports_count(monkeypatch):
    """A change in what a module uses is a change of the module; expect's sentences are none."""
    names, read = [], fingerprint._path
    monkeypatch.setattr(fingerprint, "_path", lambda name: names.append(name) or read(name))
    before = code_hash(["attn_helpers.seq2seq"])
    assert {"attn_helpers.seq2seq", "attn_helpers.masks", "attn_helpers.corpus.vocabulary"} <= set(names)
    assert "attn_helpers.corpus.lexicon" not in names
    bare = fingerprint.bare
    monkeypatch.setattr(fingerprint, "bare", lambda source: bare(source).replace("dim=-1", "dim=-2"))
    assert code_hash(["attn_helpers.seq2seq"]) != before


def test_a_class_of_the_readers_own_counts():
    """Train a decoder of one's own in a notebook, change it, run again: it is trained again."""
    own = fingerprint.model_code_hash(Seq2Seq(Stops(11, 5, 8), Decoder(11, 5, 8)))
    assert own != fingerprint.model_code_hash(build())
    made = type("Made", (Encoder,), {"__module__": "nowhere"})
    with pytest.raises(ValueError, match="cache=False"):
        fingerprint.model_code_hash(Seq2Seq(made(11, 5, 8), Decoder(11, 5, 8)))


def test_data_counts_word_by_word_and_link_by_link():
    """Order of sentences and each link; not the order in which a set happens to be stored."""
    links = [(i, j) for i in range(5) for j in range(5)]
    one, other = (Pair(("a",), ("b",), frozenset(order), frozenset()) for order in (links, links[::-1]))
    assert data_hash([one]) == data_hash([other])
    assert data_hash([one]) != data_hash([Pair(("a",), ("b",), frozenset(links[1:]), frozenset())])
    assert data_hash(PAIRS) != data_hash(PAIRS[::-1])


def test_history_is_short_to_read():
    """What a cell shows: no list of a thousand numbers, no address, no seconds that differ each time."""
    assert repr(History()) == "History(0 steps)"
    assert repr(History(loss=[2.0, 1.2345], seconds=3.2)) == "History(2 steps, last loss 1.234)"


def test_progress_is_on_standard_output_and_can_be_silenced(capsys, monkeypatch):
    """No red box in a notebook; TQDM_DISABLE=1 for stored pages (R144, R152)."""
    fit(build(), PAIRS, WORDS, SHORT)
    out, err = capsys.readouterr()
    assert "5/5" in out
    assert "loss=" in out
    assert err == ""
    fit(build(), PAIRS, WORDS, SHORT, progress=False)
    assert capsys.readouterr() == ("", "")
