"""Exercise: the loss of a batch, with the labels one place on and without the padding. Chapter 2."""

from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from attn_helpers.judge import Answer, Exercise

PAD, BOS, EOS = 0, 1, 2  # the numbers of corpus.vocabulary, said once more for the reader of this page


def _random(lengths: tuple[int, ...], vocabulary: int) -> Answer:
    """Sentences of so many words, as ⟨start⟩ words ⟨end⟩ ⟨pad⟩ …, and logits for all but the first."""
    make = torch.Generator().manual_seed(0)
    words = torch.full((len(lengths), max(lengths) + 2), PAD)
    for row, length in zip(words, lengths, strict=True):
        row[0], row[length + 1] = BOS, EOS
        row[1 : length + 1] = torch.randint(4, vocabulary, (length,), generator=make)
    return torch.randn(len(lengths), words.shape[1] - 1, vocabulary, generator=make), words


def _losses(logits: Tensor, labels: Tensor) -> Tensor:
    """−log p of every label, the padding's too. (B, T)."""
    return F.cross_entropy(logits.mT, labels, reduction="none")


def _loss(
    reduce: Callable[[Tensor, Tensor], Tensor], *, shift: int = 1, counts: tuple[int, ...] = (PAD,)
) -> Callable[..., Answer]:
    """A loss made of all losses (B, T) and of which of them count; `counts` are labels that do not."""

    def answer(logits: Tensor, words: Tensor) -> Answer:
        labels = words[:, shift : shift + logits.shape[1]]
        kept = torch.stack([labels != number for number in counts]).all(0)
        return (reduce(_losses(logits, labels), kept.float()),)

    return answer


def _per_word(losses: Tensor, kept: Tensor) -> Tensor:
    return (losses * kept).sum() / kept.sum()


def _padded_length(losses: Tensor, kept: Tensor) -> Tensor:
    return (losses * kept).sum() / kept.numel()


def _everything(losses: Tensor, kept: Tensor) -> Tensor:
    return losses.mean()


_UNSHIFTED = (
    "the labels are not shifted: you ask each step for the word it was given, and copying needs no "
    "translation. Step t reads word t and must say word t + 1: the labels are words[:, 1:]"
)
_DIVIDED = (
    "the sum is right, but you divide by the padded length, B · T: a batch with much padding then looks "
    "better than it is. Divide by the number of words"
)

LOSS = Exercise(
    arguments=("logits", "words"),
    parts=("loss",),
    examples=(lambda: _random((5, 3), 7), lambda: _random((2, 7, 4), 11)),
    right=_loss(_per_word),
    praise="the loss per word: every step is asked for the next word, and padding is asked for nothing.",
    sizes_hint="; F.cross_entropy wants the V logits on axis 1: logits.mT is (B, V, T)",
    mistakes=(
        (_loss(_per_word, shift=0), _UNSHIFTED),
        (_loss(_padded_length, shift=0), f"{_UNSHIFTED}. And divide by the number of words, not by B · T"),
        (_loss(_everything, shift=0), f"{_UNSHIFTED}. And the padding must not count"),
        (_loss(_padded_length), _DIVIDED),
        (
            _loss(_everything),
            "padding counts as a word: what stands behind ⟨end⟩ is nothing to be said. Leave labels 0 out",
        ),
        (
            _loss(lambda losses, kept: (losses * kept).sum()),
            "this is the sum over the words; divide by their number, or long batches weigh more",
        ),
        (
            _loss(lambda losses, kept: (losses * kept).sum() / len(losses)),
            "this is the loss per sentence: you divide by B. Divide by the number of words",
        ),
        (
            _loss(lambda losses, kept: ((losses * kept).sum(1) / kept.sum(1)).mean()),
            "this is a mean of means: a word of a short sentence weighs more than one of a long sentence. "
            "Sum over all words first, then divide",
        ),
        (
            _loss(_per_word, counts=(PAD, EOS)),
            "the end of sentence is left out, so nothing would learn to stop: ⟨end⟩ is a label, too",
        ),
        (
            lambda logits, words: (-_loss(_per_word)(logits, words)[0],),
            "the sign is wrong: the loss is minus the logarithm of a probability, so it is above 0",
        ),
    ),
)
