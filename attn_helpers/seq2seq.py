"""An encoder reads, a decoder writes, and one vector goes between them. Chapter 2.

Letters: B sentences, S source words, T target words, V words of a vocabulary, E embedding width, L layers,
h width of a state, c width of the context. Chapter 3 replaces the decoder and nothing else.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attn_helpers import expect
from attn_helpers.corpus.vocabulary import PAD
from attn_helpers.masks import valid_length_mask


class Memory(NamedTuple):
    """What an encoder has read."""

    states: Tensor  # (B, S, h) one per source word, of the last layer; 0 at padding
    final: Tensor  # (L, B, h) of each layer, after the sentence's own last word
    mask: Tensor  # (B, 1, S) bool, True = a word, not padding


class State(NamedTuple):
    """Where a decoder stands."""

    hidden: Tensor  # (L, B, h) changes with every word
    fixed: tuple[Tensor, ...]  # each (B, …), made once per sentence; without attention: the context c (B, c)

    def select(self, rows: Tensor) -> "State":
        """The given rows of the batch, in the given order, repeats allowed: what beam search goes on with."""
        return State(self.hidden[:, rows], tuple(tensor[rows] for tensor in self.fixed))


class Step(NamedTuple):
    """One word further."""

    logits: Tensor  # (B, V)
    state: State
    weights: Tensor | None  # (B, S) where the step looked; None without attention


class Decoded(NamedTuple):
    """A whole target sentence, read word by word with the right previous words."""

    logits: Tensor  # (B, T, V)
    states: Tensor  # (B, T, h) of the last layer
    weights: Tensor | None  # (B, T, S); None without attention


class Encoder(nn.Module):
    """A GRU over the source words. With `bidirectional`, each direction has half of the h units.

    Raises ValueError for an odd `hidden` then. Cho et al. 2014; Sutskever et al. 2014.
    """

    def __init__(
        self,
        words: int,
        embedding: int = 64,
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.0,
        *,
        bidirectional: bool = False,
    ) -> None:
        super().__init__()
        directions = 1 + bidirectional
        if hidden % directions:
            raise ValueError(f"hidden must be even, half for each direction, got {hidden}")
        self.words, self.hidden, self.layers = words, hidden, layers
        self.embedding = nn.Embedding(words, embedding, padding_idx=PAD)
        self.dropout = nn.Dropout(dropout)
        self.rnn = nn.GRU(
            embedding, hidden // directions, layers, batch_first=True, bidirectional=bidirectional
        )

    def forward(self, source: Tensor, lengths: Tensor) -> Memory:
        """Read B sentences. Packing ends each at its own length: no state ever sees padding.

        source (B, S) with PAD at the right, lengths (B,) from 1 to S, the end of sentence counted.
        Raises ValueError for lengths outside 1…S and for numbers outside the vocabulary.
        """
        batch, size = source.shape
        expect.word_ids(source, self.words, "source")
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > size:
            raise ValueError(f"lengths must be {batch} numbers from 1 to {size}, got {lengths.tolist()}")
        embedded = self.dropout(self.embedding(source))  # (B, S, E)
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, final = self.rnn(packed)  # final (L · directions, B, h / directions)
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=size)  # (B, S, h)
        final = final.unflatten(0, (self.layers, -1)).transpose(1, 2).flatten(2)  # (L, B, h)
        return Memory(states, final, valid_length_mask(lengths, size))


class Decoder(nn.Module):
    """A GRU over the target words; the same context c is joined to every one of them.

    words          V of the target; source_width: h of the encoder (None: as `hidden`)
    initial state  the encoder's final state, layer by layer; where widths differ, over a bridge (W h, tanh)
    context c      the final state of the encoder's last layer, joined to y_{t-1} at every step

    Notes, "seq2seq on RNNs"; Cho et al. 2014 for c at every step, Sutskever et al. 2014 for the hand-over.
    """

    def __init__(
        self,
        words: int,
        embedding: int = 64,
        hidden: int = 128,
        layers: int = 1,
        source_width: int | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.words, self.hidden, self.layers = words, hidden, layers
        self.source_width = source_width or hidden
        self.embedding = nn.Embedding(words, embedding, padding_idx=PAD)
        self.dropout = nn.Dropout(dropout)
        same = self.source_width == hidden
        self.bridge = nn.ModuleList(
            nn.Identity() if same else nn.Sequential(nn.Linear(self.source_width, hidden), nn.Tanh())
            for _ in range(layers)
        )
        self.rnn = nn.GRU(embedding + self.source_width, hidden, layers, batch_first=True)
        self.output = nn.Linear(hidden, words)

    def start(self, memory: Memory) -> State:
        """Hand the encoder's states over, layer by layer: the state before the first word."""
        hidden = torch.stack([bridge(h) for bridge, h in zip(self.bridge, memory.final, strict=True)])
        return State(hidden, (memory.final[-1],))  # (L, B, h) and c (B, c)

    def forward(self, target_in: Tensor, state: State) -> Decoded:
        """Teacher forcing: at step t read the right word y_{t-1}, whatever the model would have said.

        target_in (B, T): begin of sentence, then the words. Raises ValueError for numbers that are none.
        The GRU multiplies the inputs of all T steps by its weights at once; only h → h is a loop.
        """
        expect.word_ids(target_in, self.words, "target_in")
        embedded = self.dropout(self.embedding(target_in))  # (B, T, E)
        (context,) = state.fixed  # (B, c)
        repeated = context[:, None].expand(-1, target_in.shape[1], -1)  # (B, T, c)
        states, _ = self.rnn(torch.cat([embedded, repeated], dim=-1), state.hidden)  # (B, T, h)
        return Decoded(self.output(states), states, None)

    def step(self, token: Tensor, state: State) -> Step:
        """One word further: read y_{t-1} (B,), say what y_t may be."""
        (context,) = state.fixed  # (B, c)
        joined = torch.cat([self.dropout(self.embedding(token)), context], dim=-1)  # (B, E + c)
        states, hidden = self.rnn(joined[:, None], state.hidden)  # (B, 1, h), (L, B, h)
        return Step(self.output(states[:, 0]), State(hidden, state.fixed), None)


class Seq2Seq(nn.Module):
    """An encoder and a decoder of as many layers, since states are handed over layer by layer.

    Raises ValueError when they have not, or when `decoder.source_width` is not the encoder's `hidden`.
    """

    def __init__(self, encoder: Encoder, decoder: Decoder) -> None:
        super().__init__()
        for name, has, needs in (
            ("decoder.layers", decoder.layers, encoder.layers),
            ("decoder.source_width", decoder.source_width, encoder.hidden),
        ):
            if has != needs:
                raise ValueError(f"{name} must be the encoder's {needs}, got {has}")
        self.encoder, self.decoder = encoder, decoder

    def start(self, source: Tensor, lengths: Tensor) -> State:
        """Read the source (B, S), lengths (B,): the decoder's state before the first word."""
        state: State = self.decoder.start(self.encoder(source, lengths))
        return state

    def step(self, token: Tensor, state: State) -> Step:
        """Read the word y_{t-1} (B,), say what y_t may be: logits (B, V)."""
        return self.decoder.step(token, state)

    def forward(self, source: Tensor, lengths: Tensor, target_in: Tensor) -> Decoded:
        """Teacher forcing over a batch: logits (B, T, V) for the words after target_in (B, T)."""
        decoded: Decoded = self.decoder(target_in, self.start(source, lengths))
        return decoded
