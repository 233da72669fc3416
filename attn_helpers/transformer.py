"""Attention is all there is: an encoder and a decoder without recurrence. Chapter 5.

It reads and writes as chapter 2's models do: `training.fit` trains it, `decoding` translates with it.
Letters: B sentences, S source words, T target words, t of them read before, V words of a vocabulary,
L layers, H heads, m width of a word's vector (the paper's d_model).
"""

from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from attn_helpers import expect
from attn_helpers.layers import Cache, DecoderLayer, EncoderLayer, Sizes
from attn_helpers.masks import causal_mask, valid_length_mask
from attn_helpers.positions import PlacedEmbedding, positions_of
from attn_helpers.seq2seq import Decoded, Memory, Seq2Seq, State, Step


class CachedState(NamedTuple):
    """Where a decoder without recurrence stands: after all the words so far, whose keys it keeps."""

    hidden: Tensor  # (1, B, m) what the last layer made of the newest word; 0 before the first
    past: tuple[Cache, ...]  # per layer: the target's words so far; grows with every word
    source: tuple[Cache, ...]  # per layer: the source's words, projected once per sentence
    mask: Tensor  # (B, 1, S) bool, True = a word, not padding

    def select(self, rows: Tensor) -> "CachedState":
        """The given rows of the batch, in the given order, repeats allowed: what beam search goes on with."""
        past, source = (tuple(cache.select(rows) for cache in part) for part in (self.past, self.source))
        return CachedState(self.hidden[:, rows], past, source, self.mask[rows])


class Look(NamedTuple):
    """Where every head of every layer looks, before dropout."""

    encoder: Tensor  # (L, B, H, S, S) source words at source words
    decoder: Tensor  # (L, B, H, T, T) target words at target words up to themselves
    cross: Tensor  # (L, B, H, T, S) target words at source words


class TransformerEncoder(nn.Module):
    """n layers of {self-attention, feed-forward network}, each with first weights of its own."""

    def __init__(self, words: int, sizes: Sizes) -> None:
        super().__init__()
        self.words, self.hidden, self.layers = words, sizes.width, sizes.layers
        self.embedding = PlacedEmbedding(words, sizes.width, sizes.positions, sizes.dropout)
        self.stack = nn.ModuleList(EncoderLayer(sizes) for _ in range(sizes.layers))
        self.norm = _last_norm(sizes)

    def forward(self, source: Tensor, lengths: Tensor) -> Memory:
        """Read B sentences: source (B, S) with PAD at the right, lengths (B,) from 1 to S, EOS counted.

        Raises ValueError for lengths outside 1…S and for numbers outside the vocabulary.
        """
        expect.word_ids(source, self.words, "source")
        batch, size = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > size:
            raise ValueError(f"lengths must be {batch} numbers from 1 to {size}, got {lengths.tolist()}")
        return self.read(source, valid_length_mask(lengths, size))[0]

    def read(self, source: Tensor, mask: Tensor) -> tuple[Memory, Tensor]:
        """Read with padding at any place: mask (B, 1, S), True = a word. Also the weights (L, B, H, S, S).

        Positions count the words, so padding at the left moves nothing. Nothing but the words' states is
        handed to the decoder: the memory's `final` is empty, (0, B, m).
        """
        x, rows = self.embedding(source, positions_of(mask[:, 0])), []  # (B, S, m)
        for layer in self.stack:
            x, weights = layer(x, mask)
            rows.append(weights)
        states = self.norm(x).masked_fill(~mask.mT, 0)  # (B, S, m)
        return Memory(states, states.new_zeros(0, len(source), self.hidden), mask), torch.stack(rows)


class TransformerDecoder(nn.Module):
    """n layers of {masked self-attention, cross-attention, feed-forward network}.

    tied  E, the target's embedding, serves as the output's weights too (Press and Wolf 2017)
    """

    def __init__(self, words: int, sizes: Sizes, *, tied: bool = False) -> None:
        super().__init__()
        self.words, self.source_width, self.layers = words, sizes.width, sizes.layers
        self.embedding = PlacedEmbedding(words, sizes.width, sizes.positions, sizes.dropout)
        self.stack = nn.ModuleList(DecoderLayer(sizes) for _ in range(sizes.layers))
        self.norm = _last_norm(sizes)
        self.output = nn.Linear(sizes.width, words)
        if tied:
            _tie(self)
            self.register_load_state_dict_post_hook(_tie)  # type: ignore[no-untyped-call]

    def start(self, memory: Memory) -> CachedState:
        """No word yet. The source's keys and values are made here, once for all the words to come."""
        source = tuple(cast(DecoderLayer, layer).remember(memory.states) for layer in self.stack)
        past = tuple(Cache(keys[:, :, :0], values[:, :, :0]) for keys, values in source)
        return CachedState(torch.zeros_like(memory.states[None, :, 0]), past, source, memory.mask)

    def forward(self, target_in: Tensor, state: CachedState) -> Decoded:
        """Teacher forcing: all T words at once, since the causal mask lets none see a later one.

        target_in (B, T): begin of sentence, then the words. Raises ValueError for numbers that are none.
        The weights (B, T, S) are the mean over the cross-attention of all heads of all layers.
        """
        return self.write(target_in, state)[0]

    def step(self, token: Tensor, state: CachedState) -> Step:
        """One word further: y_{t-1} (B,) meets the earlier words in the cache; say what y_t may be."""
        decoded, state, _ = self.write(token[:, None], state)
        return Step(decoded.logits[:, 0], cast(State, state), cast(Tensor, decoded.weights)[:, 0])

    def write(self, words: Tensor, state: CachedState) -> tuple[Decoded, CachedState, tuple[Tensor, Tensor]]:
        """T words after the state's t words. Training, translating, looking: all come through here.

        returns  decoded, the longer state, weights (L, B, H, T, t + T) and cross weights (L, B, H, T, S)
        """
        expect.word_ids(words, self.words, "target_in")
        old, new = state.past[0].keys.shape[2], words.shape[1]
        mask = causal_mask(new, old + new, align="end", device=words.device)[None]  # (1, T, t + T)
        x = self.embedding(words, torch.arange(old, old + new, device=words.device)[None])  # (B, T, m)
        past, rows, cross = [], [], []
        for layer, seen, source in zip(self.stack, state.past, state.source, strict=True):
            x, longer, weights, cross_weights = layer(x, seen, source, mask, state.mask)
            past.append(longer)
            rows.append(weights)
            cross.append(cross_weights)
        states, every = self.norm(x), torch.stack(cross)  # (B, T, m), (L, B, H, T, S)
        decoded = Decoded(self.output(states), states, every.mean((0, 2)))
        state = state._replace(hidden=states[None, :, -1], past=tuple(past))
        return decoded, state, (torch.stack(rows), every)


class Transformer(Seq2Seq):
    """Encoder and decoder of one shape. It starts, steps and learns as every `Seq2Seq`.

    sizes  as the paper's, but small, and the norms before the blocks
    tied   the output shares the weights of the target's embedding

    Raises ValueError for sizes that do not fit. Vaswani et al. 2017, section 3; notes, "Transformer".
    """

    def __init__(
        self, source_words: int, target_words: int, sizes: Sizes | None = None, *, tied: bool = False
    ) -> None:
        self.sizes = sizes or Sizes()
        encoder = TransformerEncoder(source_words, self.sizes)
        decoder = TransformerDecoder(target_words, self.sizes, tied=tied)
        super().__init__(encoder, decoder)  # type: ignore[arg-type]  # they offer what chapter 2's offer

    def extra_repr(self) -> str:
        """Settings that no weight shows, such as the number of heads: a cached training is named by it."""
        return repr(self.sizes)

    @torch.no_grad()
    def look(self, source: Tensor, lengths: Tensor, target_in: Tensor) -> Look:
        """The weights of all heads under teacher forcing: source (B, S), lengths (B,), target_in (B, T)."""
        encoder = cast(TransformerEncoder, self.encoder)
        decoder = cast(TransformerDecoder, self.decoder)
        memory, read = encoder.read(source, valid_length_mask(lengths, source.shape[1]))
        return Look(read, *decoder.write(target_in, decoder.start(memory))[2])


def _tie(decoder: nn.Module, _: object = None) -> None:
    """One matrix for both; again after `load_state_dict`, which with assign=True would part them."""
    decoder.output.weight = decoder.embedding.weight  # type: ignore[union-attr]


def _last_norm(sizes: Sizes) -> nn.Module:
    """After layers that norm what they read ("pre"), nobody has normed what they hand on."""
    return nn.LayerNorm(sizes.width) if sizes.norm == "pre" else nn.Identity()
