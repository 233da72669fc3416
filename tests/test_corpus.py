"""The running corpus: splits, words, batches."""

import hashlib
import os
import random
import subprocess
import sys
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_helpers.corpus import BINS, Pair, Vocabulary, batches, corpus, length_bin, sampling, tokenize
from attn_helpers.corpus.lexicon import DEEDS
from attn_helpers.corpus.vocabulary import BOS, EOS, PAD, UNK

SMALL = {"train": 301, "validation": 41, "test": 61, "held_out": 23}
SPECIAL = {PAD, BOS, EOS, UNK}


@cache
def book():
    """The corpus of the chapters."""
    return corpus()


def parts(splits):
    return {name: part for name, part in vars(splits).items() if isinstance(part, list)}


# ---- splits ------------------------------------------------------------------------------------------


def digest(splits):
    text = "\n".join(repr((p.source, p.target, sorted(p.sure), sorted(p.possible))) for p in splits.train)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_the_same_seed_gives_the_same_corpus():
    """A claim measured on one machine is about the same sentences on another."""
    assert corpus(3, **SMALL) == corpus(3, **SMALL)
    assert corpus(3, **SMALL) != corpus(4, **SMALL)


def test_the_order_of_sets_does_not_leak_into_the_corpus():
    """Python shuffles the hashes of strings anew in every process."""
    code = "from tests.test_corpus import SMALL, corpus, digest; print(digest(corpus(3, **SMALL)))"
    here = Path(__file__).parent.parent
    seen = set()
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(here)}
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=here,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(run.stdout.strip())
    assert seen == {digest(corpus(3, **SMALL))}


def test_no_part_shows_a_sentence_of_another():
    """A test sentence that was trained on measures memory."""
    sources = [pair.source for part in parts(book()).values() for pair in part]
    assert len(sources) == len(set(sources))
    assert book().probe.source not in sources


def test_the_sentence_of_the_book_is_kept_out_even_when_it_is_drawn(monkeypatch):
    """The black cat is seldom drawn by chance, so another sentence takes its place: one that would be."""
    drawn = corpus(3, **SMALL).train[0]
    monkeypatch.setattr(sampling, "hero", lambda: drawn)
    splits = corpus(3, **SMALL)
    assert splits.probe == drawn
    assert drawn.source not in {pair.source for part in parts(splits).values() for pair in part}


def test_every_bin_has_its_share():
    """The fall of accuracy with length is drawn from at least 150 unique sentences a bin."""
    for name, size in (("train", 12000), ("validation", 600), ("test", 1200)):
        counts = Counter(length_bin(len(pair.source)) for pair in parts(book())[name])
        assert counts == dict.fromkeys(range(6), size // 6)
    lengths = [len(pair.source) for part in parts(book()).values() for pair in part]
    assert (min(lengths), max(lengths)) == (3, 29)
    assert BINS == ((1, 6), (7, 9), (10, 12), (13, 16), (17, 20), (21, 29))


def test_sizes_that_six_does_not_divide():
    """Asked for 301, one gets 301."""
    splits = corpus(3, **SMALL)
    assert [len(part) for part in parts(splits).values()] == list(SMALL.values())
    assert corpus(3, train=0, validation=0, test=0, held_out=0).train == []


@pytest.mark.parametrize(("size", "error"), [(-1, ValueError), (2.5, TypeError), ("8000", TypeError)])
def test_a_size_that_is_none_is_refused(size, error):
    """With the name of the argument."""
    with pytest.raises(error, match="train"):
        corpus(train=size)


FINITE = {form for deed in DEEDS for form in (*deed.verb.forms[:2], deed.verb.forms[3])}
FINITE |= {"est", "sont", "suis", "peut", "peuvent", "peux", "doit", "doivent", "dois"}
FINITE |= {"va", "vont", "vais", "veut", "veulent", "veux"}


def negates_within_que(pair):
    """Whether some *que* of *that* or *whom* meets *ne* before any verb: que la fille ne lit pas."""
    for t, word in enumerate(pair.target):
        asks = {pair.source[s] for u, s in pair.sure if u == t}
        if word in ("que", "qu'") and asks & {"that", "whom"}:
            rest = pair.target[t + 1 :]
            if next(w for w in rest if w in FINITE or w in ("ne", "n'")) in ("ne", "n'"):
                return True
    return False


def test_the_held_out_construction_is_held_out():
    """No part but its own has a negation inside *that the girl …*; all of its own have one."""
    held_out = book().held_out_construction
    assert len(held_out) == 300
    assert all(map(negates_within_que, held_out))
    for name in ("train", "validation", "test"):
        pairs = parts(book())[name]
        assert [" ".join(pair.source) for pair in pairs if negates_within_que(pair)] == []
        assert any({"que", "ne", "pas"} <= set(pair.target) for pair in pairs)


def test_nothing_that_is_asked_was_never_shown():
    """A word of the test that training never had would be a fault of the corpus, not of the model."""
    for side in ("source", "target"):
        counts = Counter(word for pair in book().train for word in getattr(pair, side))
        others = [p for name, part in parts(book()).items() if name != "train" for p in part]
        assert min(counts[word] for pair in [*others, book().probe] for word in getattr(pair, side)) >= 5


# ---- words -------------------------------------------------------------------------------------------

TOKENS = ["the"] * 10 + ["apple"] * 5 + ["cat"] * 2


@given(st.permutations(TOKENS))
def test_numbers_do_not_hang_on_the_order_of_words(tokens):
    """Unknown is unknown, whatever came first; every word goes there and back."""
    vocabulary = Vocabulary(tokens)
    assert list(vocabulary) == ["the", "apple", "cat"]
    assert vocabulary.encode(["the", "apple", "cat", "zzz"]) == [4, 5, 6, UNK]
    assert vocabulary.decode([4, 5, 6]) == ["the", "apple", "cat"]
    assert len({*vocabulary.encode(tokens)} | SPECIAL) == len(vocabulary) == 7
    assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)


def test_the_name_of_the_unknown_is_the_callers():
    """Also for a word beyond the limit."""
    vocabulary = Vocabulary(TOKENS, limit=1, unknown="[?]")
    assert vocabulary.decode(vocabulary.encode(["the", "cat", "zzz"])) == ["the", "[?]", "[?]"]
    assert "cat" not in vocabulary
    assert "the" in vocabulary
    assert repr(vocabulary) == "Vocabulary(1 words)"


@pytest.mark.parametrize("typed", ["<pad>", "<bos>", "<eos>", "<unk>", "<s>", "</s>", "[PAD]"])
def test_a_typed_special_name_is_a_word(typed):
    """A reader who types <eos> does not end the sentence, even where the corpus holds that very word."""
    assert set(Vocabulary(TOKENS).encode([typed, *tokenize(typed)])) == {UNK}
    knows = Vocabulary([typed, *TOKENS])
    (number,) = knows.encode([typed])
    assert number not in SPECIAL
    assert knows.decode([number, EOS, number]) == [typed]


def test_one_letter_written_in_two_ways_is_one_word():
    """é as one character, é as e and an accent: lengths 1 and 2, the same number."""
    one, two = unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")
    assert (len(one), len(two)) == (1, 2)
    vocabulary = Vocabulary([one, two])
    assert list(vocabulary) == [one]
    assert vocabulary.encode([one, two]) == [4, 4]
    assert two in vocabulary


def test_decoding_stops_at_the_end():
    """What a model writes behind EOS is not shown; PAD and BOS are no words, but have names for a plot."""
    vocabulary = Vocabulary(["le", "chat"])
    ids = [BOS, *vocabulary.encode(["le", "chat"]), PAD, EOS, 4]
    assert vocabulary.decode(ids) == ["le", "chat"]
    assert vocabulary.names(ids) == ["<bos>", "le", "chat", "<pad>", "<eos>", "chat"]
    assert vocabulary.decode(torch.tensor(ids)) == ["le", "chat"]


@pytest.mark.parametrize("number", [-1, 6])
def test_a_number_of_no_word_is_refused(number):
    """Python's -1 would quietly be the last word."""
    with pytest.raises(ValueError, match="between 0 and 5"):
        Vocabulary(["le", "chat"]).decode([number])


def test_a_string_is_not_a_list_of_words():
    """A sentence would become a row of letters."""
    with pytest.raises(TypeError, match="tokenize"):
        Vocabulary("le chat")
    with pytest.raises(TypeError, match="tokenize"):
        Vocabulary(["le"]).encode("le chat")


# ---- batches -----------------------------------------------------------------------------------------


def words(pairs):
    return [
        Vocabulary(word for pair in pairs for word in getattr(pair, side)) for side in ("source", "target")
    ]


PAIRS = [Pair(tuple("abcde"[: 1 + i % 5]), tuple("vwxyz"[: 1 + i * i % 5])) for i in range(23)]


@pytest.mark.parametrize("seed", [None, 5])
@pytest.mark.parametrize("size", [1, 7, 23, 64])
def test_every_pair_once_and_back_in_order(size, seed):
    """A prediction shown beside the wrong sentence looks like a bad model."""
    source, target = words(PAIRS)
    seen = []
    for batch in batches(PAIRS, source, target, size=size, seed=seed):
        seen += batch.rows.tolist()
        assert len(batch.rows) <= size
        for i, row in enumerate(batch.rows.tolist()):
            assert tuple(source.decode(batch.source[i])) == PAIRS[row].source
            assert tuple(target.decode(batch.target_out[i])) == PAIRS[row].target
    assert sorted(seen) == list(range(23))


def test_what_a_batch_holds():
    """The source ends with EOS, the decoder reads BOS and one word less, lengths count the end, PAD is 0."""
    pairs = [Pair(("a", "b", "c"), ("x",)), Pair(("a",), ("x", "y"))]
    source, target = words(pairs)
    (batch,) = batches(pairs, source, target)
    a, b, c = source.encode(["a", "b", "c"])
    x, y = target.encode(["x", "y"])
    assert batch.rows.tolist() == [1, 0]
    assert batch.source.tolist() == [[a, EOS, PAD, PAD], [a, b, c, EOS]]
    assert batch.source_lengths.tolist() == [2, 4]
    assert batch.target_in.tolist() == [[BOS, x, y], [BOS, x, PAD]]
    assert batch.target_out.tolist() == [[x, y, EOS], [x, EOS, PAD]]
    assert batch.target_lengths.tolist() == [3, 2]
    assert {tensor.dtype for tensor in vars(batch).values()} == {torch.int64}


def test_without_a_seed_from_short_to_long_and_with_one_shuffled():
    """The same seed repeats an epoch; another one is another order of other batches."""
    source, target = words(PAIRS)

    def rows(seed):
        return [batch.rows.tolist() for batch in batches(PAIRS, source, target, size=4, seed=seed)]

    lengths = [len(PAIRS[row].source) for batch in rows(None) for row in batch]
    assert lengths == sorted(lengths)
    assert rows(1) == rows(1) != rows(2)
    assert sorted(map(sorted, rows(1))) != sorted(map(sorted, rows(2)))
    assert rows(0) != rows(None)


def test_little_is_padding():
    """Batches of neighbours in length: padded to the corpus's longest, half of all cells would be empty."""
    train = book().train
    full = [
        batch.source_lengths.sum() / batch.source.numel() for batch in batches(train, *words(train), seed=1)
    ]
    assert sum(full) / len(full) > 0.98
    assert sum(len(pair.source) + 1 for pair in train) / (30 * len(train)) < 0.55


@pytest.mark.parametrize(("size", "error"), [(0, ValueError), (-1, ValueError), (2.5, TypeError)])
def test_an_impossible_size_is_refused(size, error):
    """Before the first batch, with the name of the argument."""
    with pytest.raises(error, match="size"):
        next(batches(PAIRS, *words(PAIRS), size=size))


def test_no_pairs_no_batches():
    """An empty list is no fault."""
    assert list(batches([], *words(PAIRS))) == []


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), max_size=20), st.integers(0, 3))
def test_lengths_tell_words_from_padding(sizes, seed):
    """Beyond its length a row is PAD, before it never, whoever the neighbours are."""
    pairs = [Pair(("a",) * s, ("b",) * t) for s, t in sizes]
    random.Random(seed).shuffle(pairs)
    for batch in batches(pairs, *words(PAIRS), size=3, seed=seed):
        for ids, lengths in ((batch.source, batch.source_lengths), (batch.target_out, batch.target_lengths)):
            assert torch.equal(ids != PAD, torch.arange(ids.shape[1]) < lengths[:, None])
            assert (ids.gather(1, lengths[:, None] - 1) == EOS).all()
        assert torch.equal(batch.target_in[:, 1:] != PAD, batch.target_out[:, 1:] != PAD)


def test_a_corpus_is_the_callers_own():
    """A cell that sorts or shortens its sentences would change them for every widget after it."""
    first = corpus(3, **SMALL)
    kept = list(first.train)
    first.train.clear()
    assert corpus(3, **SMALL).train == kept
