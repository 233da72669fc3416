"""Small talk: what is held out is held out, and every question has one answer."""

import pytest

from attn_helpers.corpus.small_talk import OPENINGS, PROBE, TOPICS, small_talk
from attn_helpers.corpus.text import tokenize

TALK = small_talk()


def bare(source):
    """A question without its opening."""
    for opening in sorted(map(tokenize, OPENINGS), key=len, reverse=True):
        if opening and source[: len(opening)] == opening:
            return source[len(opening) :]
    return source


def test_no_held_out_wording_is_shown():
    """Also not behind another opening: otherwise the figure would measure memory."""
    shown = {bare(pair.source) for pair in TALK.train}
    asked = {bare(pair.source) for pair in TALK.test}
    assert not shown & asked
    assert len(asked) == sum(len(topic.held_out) for topic in TOPICS)


def test_every_wording_after_every_opening_once():
    """No sentence twice, none lost."""
    for part, wordings in ((TALK.train, "asked"), (TALK.test, "held_out")):
        sources = [pair.source for pair in part]
        assert len(set(sources)) == len(sources)
        assert len(sources) == len(OPENINGS) * sum(len(getattr(topic, wordings)) for topic in TOPICS)


def test_one_question_has_one_answer():
    """Two answers to a wording could not both be learnt; every topic is asked for in both parts."""
    answers = {}
    for pair in (*TALK.train, *TALK.test):
        assert answers.setdefault(bare(pair.source), pair.target) == pair.target
    topics = {tokenize(topic.answer) for topic in TOPICS}
    assert len(topics) == len(TOPICS)
    assert {pair.target for pair in TALK.train} == {pair.target for pair in TALK.test} == topics


def test_held_out_wordings_are_of_known_words():
    """Where a word was never met, its wording could only be guessed: few are."""
    known = {word for pair in TALK.train for word in pair.source}
    strange = {word for pair in TALK.test for word in pair.source} - known
    assert len(strange) <= 10, strange


def test_the_notes_question():
    """ "Hi, how are you?" has the notes' answer, and it is no unseen sentence: the text must say so."""
    assert TALK.probe.source == tokenize(PROBE) == ("hi", ",", "how", "are", "you", "?")
    assert TALK.probe.target == ("i", "am", "fine")
    assert TALK.probe in TALK.train


@pytest.mark.parametrize("fault", [("I am fine", "are you well?"), ("see you tomorrow", "Hi, see you!")])
def test_a_leak_would_show(fault):
    """A training wording slipped among the held-out ones, bare or behind an opening, is found."""
    _, question = fault
    assert bare(tokenize(question)) in {bare(pair.source) for pair in TALK.train}
