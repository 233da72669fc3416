"""Small talk, written for this book: a dozen things one may ask, each in several wordings, one answer each.

So few sentences can be learnt by heart. Whether more was learnt than that, the wordings held out can tell.
"""

from dataclasses import dataclass

from attn_helpers.corpus.pairs import Pair, Splits
from attn_helpers.corpus.text import tokenize

OPENINGS = ("", "Hi, ", "Hello, ", "Good morning, ", "Good evening, ", "Excuse me, ")
PROBE = "Hi, how are you?"


@dataclass(frozen=True)
class Topic:
    """One thing that is asked, and what is answered to it."""

    answer: str
    asked: tuple[str, ...]  # wordings to learn from
    held_out: tuple[str, ...]  # wordings that nobody is shown


TOPICS = (
    Topic(
        "I am fine",
        ("how are you?", "how are you today?", "are you well?", "how do you feel?", "is all well with you?"),
        ("how do you feel today?", "are you fine?"),
    ),
    Topic(
        "my name is Ada",
        ("what is your name?", "who are you?", "what are you called?", "may I know your name?"),
        ("may I ask your name?", "and your name is?"),
    ),
    Topic(
        "I live by the sea",
        ("where do you live?", "where is your home?", "where is your house?", "in which place do you live?"),
        ("where are you at home?", "what place do you live in?"),
    ),
    Topic(
        "it is raining",
        ("how is the weather?", "what is the weather like?", "is it raining?", "is the weather good today?"),
        ("how is the weather today?", "do you know what the weather is like?"),
    ),
    Topic(
        "it is ten o'clock",
        ("what time is it?", "do you know what time it is?", "have you got the time?", "is it late?"),
        ("what is the time?", "may I know what time it is?"),
    ),
    Topic(
        "I like tea",
        ("what do you drink?", "what would you like to drink?", "do you drink tea?", "tea or coffee?"),
        ("would you like tea or coffee?", "what do you like to drink?"),
    ),
    Topic(
        "I read a book",
        ("what do you do today?", "what are you doing?", "what will you do today?", "are you busy?"),
        ("what are you doing today?", "are you busy today?"),
    ),
    Topic(
        "the station is near the bridge",
        ("where is the station?", "how do I get to the station?", "is the station near?"),
        ("do you know where the station is?", "which way to the station?"),
    ),
    Topic(
        "yes, I have a cat",
        ("do you have a cat?", "have you got a cat?", "is that your cat?", "do you like cats?"),
        ("is this cat your cat?", "you have a cat, have you?"),
    ),
    Topic(
        "see you tomorrow",
        ("goodbye!", "I have to go.", "I must go home now.", "see you!"),
        ("I have to go home now.", "I must go."),
    ),
    Topic(
        "you are welcome",
        ("thank you!", "thank you very much!", "thanks for the tea!", "many thanks!"),
        ("thank you for the book!", "thanks very much!"),
    ),
    Topic(
        "no problem at all",
        ("I am sorry!", "I am late, sorry!", "sorry, I did not know.", "please forgive me!"),
        ("sorry!", "I am sorry, I am late!"),
    ),
)


def small_talk() -> Splits:
    """Every wording after every opening; `test` holds the wordings that are in no training sentence.

    `probe` is the notes' own question, "Hi, how are you?". It *is* in the training part: a model that has
    learnt it by heart answers it.
    """
    train = [
        _pair(opening + asked, topic) for topic in TOPICS for asked in topic.asked for opening in OPENINGS
    ]
    test = [
        _pair(opening + asked, topic) for topic in TOPICS for asked in topic.held_out for opening in OPENINGS
    ]
    return Splits(train, [], test, [], _pair(PROBE, TOPICS[0]))


def _pair(question: str, topic: Topic) -> Pair:
    return Pair(tokenize(question), tokenize(topic.answer), construction=topic.answer)
