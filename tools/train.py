"""Train on a tab-separated file of your own, such as Tatoeba's: source⇥target⇥anything.

usage: python tools/train.py FILE [--steps N] [--pairs N] [--without-attention] [--keep MODEL.pt]

Prints the loss before and after, BLEU with k = 2 on sentences it never saw, and a few of its translations.
"""

import argparse
import sys
import time
from pathlib import Path

import torch

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import Pair, Splits, Vocabulary, read_pairs, split
from attn_helpers.decoding import translate
from attn_helpers.metrics import bleu
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.training import Settings, fit, loss_per_token

WORDS = 8000  # the most a vocabulary keeps: the output layer grows with it, and so does memory
FEWEST = 40  # pairs: two of them are held out
LONGEST = 30  # tokens a side: bounds the memory of a batch


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--steps", type=int, default=2000, help="64 sentences each (default 2000)")
    parser.add_argument("--pairs", type=int, default=20_000, help="read so many pairs (default 20000)")
    parser.add_argument("--hidden", type=int, default=256, help="width of the states (default 256)")
    parser.add_argument("--rate", type=float, default=2e-3, help="peak learning rate (default 0.002)")
    parser.add_argument("--without-attention", action="store_true", help="chapter 2's model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, metavar="MODEL.pt", help="write the weights there")
    return parser.parse_args(arguments)


def build(source: Vocabulary, target: Vocabulary, asked: argparse.Namespace) -> Seq2Seq:
    """An untrained model with a bidirectional encoder."""
    torch.manual_seed(asked.seed)
    encoder = Encoder(len(source), 128, asked.hidden, dropout=0.2, bidirectional=True)
    if asked.without_attention:
        return Seq2Seq(encoder, Decoder(len(target), 128, asked.hidden, dropout=0.2))
    return Seq2Seq(encoder, AttentionDecoder(len(target), 128, asked.hidden, dropout=0.2))


def prepared(asked: argparse.Namespace) -> tuple[Splits, tuple[Vocabulary, Vocabulary]]:
    """The file's pairs, a twentieth of them (at most 1000) held out twice, and the words of the rest."""
    reading = read_pairs(asked.file, longest=LONGEST, limit=asked.pairs)
    print(reading)
    if len(reading.pairs) < FEWEST:
        raise ValueError(
            f"{len(reading.pairs)} usable pairs; {FEWEST} are needed to train on and to judge by"
        )
    aside = min(1000, len(reading.pairs) // 20)
    parts = split(reading.pairs, validation=0, test=aside, seed=asked.seed)
    source = Vocabulary((word for pair in parts.train for word in pair.source), limit=WORDS)
    target = Vocabulary((word for pair in parts.train for word in pair.target), limit=WORDS)
    print(f"{len(parts.train):,} to train on, {aside:,} held out; {source}, {target}")
    return parts, (source, target)


def show(model: Seq2Seq, pairs: list[Pair], vocabularies: tuple[Vocabulary, Vocabulary]) -> float:
    """BLEU over the pairs, and the first few of them translated."""
    said = [vocabularies[1].decode(found.tokens) for found in translate(model, pairs, vocabularies)]
    for pair, words in list(zip(pairs, said, strict=True))[:5]:
        print(f"  {' '.join(pair.source)}  →  {' '.join(words)}   (reference: {' '.join(pair.target)})")
    return sum(bleu(words, pair.target) for words, pair in zip(said, pairs, strict=True)) / max(len(pairs), 1)


def main() -> None:
    """Read, train, judge."""
    asked = options()
    try:
        parts, words = prepared(asked)
    except (OSError, ValueError) as error:
        sys.exit(f"{asked.file}: {error}")
    model = build(*words, asked)
    before, start = loss_per_token(model, parts.test, words), time.perf_counter()
    settings = Settings(steps=asked.steps, rate=asked.rate, seed=asked.seed)
    history = fit(model, parts.train, words, settings)
    after = loss_per_token(model, parts.test, words)
    score = show(model, parts.test, words)
    print(f"loss on held-out sentences {before:.3f} → {after:.3f} nats per word, BLEU {score:.3f} (k = 2)")
    print(f"{history} in {time.perf_counter() - start:.0f} s")
    if asked.keep:
        torch.save(model.state_dict(), asked.keep)


if __name__ == "__main__":
    main()
