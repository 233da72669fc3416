"""Sentence pairs of real life: tab-separated files, and two files side by side."""

import gzip
import random
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attn_helpers import expect
from attn_helpers.corpus.pairs import Pair, Splits
from attn_helpers.corpus.text import tokenize

Texts = tuple[str, str]


@dataclass(frozen=True)
class Reading:
    """The pairs of a file, and the numbers of the lines that gave none."""

    pairs: list[Pair]
    malformed: tuple[int, ...]  # a column missing or empty, or not UTF-8
    too_long: tuple[int, ...]  # more tokens than was asked for
    repeated: int  # pairs that the file had before

    def __str__(self) -> str:
        counts = {"malformed": len(self.malformed), "too long": len(self.too_long), "repeated": self.repeated}
        left_out = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "none"
        return f"{len(self.pairs):,} pairs; lines left out: {left_out}"


def read_pairs(
    path: str | Path,
    beside: str | Path | None = None,
    *,
    columns: tuple[int, int] = (0, 1),
    longest: int = 40,
    limit: int | None = None,
) -> Reading:
    """Read pairs from a tab-separated file (Tatoeba's layout), or from two files line by line (Multi30k's).

    path     source⇥target⇥anything; with `beside`, one source sentence a line. .gz and .zip are unpacked
    beside   one target sentence a line, as many lines as `path`
    columns  which columns hold source and target, from 0
    longest  pairs with more tokens on a side are left out, which bounds the memory of a batch
    limit    stop after so many pairs

    Text is UTF-8 whatever the machine's locale, with or without a byte-order mark, lines ending in either
    way; `tokenize` cuts it. Malformed lines are left out, counted, and said in a warning.
    Raises FileNotFoundError, and ValueError for a file without any pair, for UTF-16, for an archive of
    several texts, and for two files of different length.
    """
    lines = _columns(path, columns) if beside is None else _side_by_side(path, beside)
    most = None if limit is None else expect.count(limit, "limit")
    reading = _reading(lines, expect.count(longest, "longest"), most)
    if reading.malformed:
        first = ", ".join(map(str, reading.malformed[:5])) + (", …" if len(reading.malformed) > 5 else "")
        warnings.warn(f"{path}: {len(reading.malformed):,} malformed lines left out: {first}", stacklevel=2)
    if not reading.pairs and most != 0:
        raise ValueError(f"{path} must hold one pair a line, source⇥target in UTF-8, got {reading}")
    return reading


def split(pairs: Sequence[Pair], validation: int = 500, test: int = 1000, seed: int = 0) -> Splits:
    """Split pairs at random so that no source sentence is in two parts, whatever its translations.

    Raises ValueError when nothing would be left to train on.
    """
    sizes = [expect.count(test, "test"), expect.count(validation, "validation")]
    by_source: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        by_source.setdefault(pair.source, []).append(pair)
    groups = list(by_source.values())
    random.Random(seed).shuffle(groups)
    if sum(sizes) >= len(groups):
        raise ValueError(f"validation + test must be below {len(groups)} source sentences, got {sum(sizes)}")
    parts = [[groups.pop()[0] for _ in range(size)] for size in sizes]  # one reference a sentence
    return Splits([pair for group in groups for pair in group], parts[1], parts[0])


def _reading(lines: Iterable[Texts | None], longest: int, limit: int | None) -> Reading:
    found: dict[Pair, None] = {}
    malformed, too_long, repeated = [], [], 0
    for number, texts in enumerate(lines, 1):
        if limit is not None and len(found) >= limit:
            break
        pair = Pair(tokenize(texts[0]), tokenize(texts[1])) if texts else Pair((), ())
        if not pair.source or not pair.target:
            malformed.append(number)
        elif max(len(pair.source), len(pair.target)) > longest:
            too_long.append(number)
        else:
            repeated += pair in found
            found[pair] = None
    return Reading(list(found), tuple(malformed), tuple(too_long), repeated)


def _columns(path: str | Path, columns: tuple[int, int]) -> Iterator[Texts | None]:
    wanted = [expect.count(column, "columns") for column in columns]
    for line in _lines(path):
        fields = line.split("\t") if line is not None else []
        yield (fields[wanted[0]], fields[wanted[1]]) if len(fields) > max(wanted) else None


def _side_by_side(path: str | Path, beside: str | Path) -> Iterator[Texts | None]:
    lengths = [sum(1 for _ in _raw_lines(Path(name))) for name in (path, beside)]
    if lengths[0] != lengths[1]:
        raise ValueError(f"{path} and {beside} must have equally many lines, got {lengths}")
    for source, target in zip(_lines(path), _lines(beside), strict=True):
        yield (source, target) if source is not None and target is not None else None


def _lines(path: str | Path) -> Iterator[str | None]:
    """The lines of a file, None for one that is not UTF-8; only a line feed ends a line."""
    for number, raw in enumerate(_raw_lines(Path(path))):
        if number == 0 and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise ValueError(f"{path} must be UTF-8, got UTF-16; save it as UTF-8")
        try:
            yield raw.decode("utf-8-sig" if number == 0 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            yield None


def _raw_lines(path: Path) -> Iterator[bytes]:
    if path.suffix == ".gz":
        with gzip.open(path) as unpacked:
            yield from unpacked
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            texts = [name for name in archive.namelist() if name.endswith((".txt", ".tsv"))]
            names = [name for name in texts if not name.startswith("_")]  # _about.txt
            if len(names) != 1:
                raise ValueError(f"{path} must hold one .txt or .tsv, got {archive.namelist()}; unpack it")
            with archive.open(names[0]) as member:
                yield from member
    else:
        with path.open("rb") as file:
            yield from file
