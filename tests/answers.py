"""What every exercise's verdict on an answer must be, whatever the chapter."""

import re


def expect_told(said, words):
    """One line, right or not yet, that says by `words` (a pattern) which misconception the answer shows."""
    assert said.startswith(("✓ ", "not yet: "))
    assert "\n" not in said
    assert re.search(words, said), said
