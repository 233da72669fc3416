"""Decoders that look back: at each step a context of their own. Chapter 3.

Letters as in seq2seq.py: B sentences, S source words, T target words, h width of a state, c width of the
encoder's states (keys and values), a hidden width of the additive score.
"""

import torch
from torch import Tensor, nn

from attn_helpers import expect
from attn_helpers.masks import masked_softmax
from attn_helpers.scoring import SCORES, AdditiveScore
from attn_helpers.seq2seq import Decoded, Decoder, Memory, State, Step


class AttentionDecoder(Decoder):
    """Every step asks anew: c_t = Σ softmax(a(s_{t-1}, h_i)) h_i over the encoder's states h_i.

    s_{t-1}  the decoder's state *before* the step, of its last layer; at t = 1 the initial state
    score    "additive" (Bahdanau), "bilinear", "dot", "scaled_dot", "cosine", or "uniform": all words alike
    hidden   h; the scores without weights of their own need it equal to `source_width`

    Padding is never looked at. All else is `Decoder`'s: c_t joined to y_{t-1}, states handed over.
    Raises ValueError for an unknown score and for widths that do not fit it.
    Notes, "seq2seq with attention"; Bahdanau et al. 2015, section 3.1; dot scores: Luong et al. 2015.
    """

    def __init__(
        self,
        words: int,
        embedding: int = 64,
        hidden: int = 128,
        layers: int = 1,
        source_width: int | None = None,
        dropout: float = 0.0,
        *,
        score: str = "additive",
        attention: int = 64,
    ) -> None:
        super().__init__(words, embedding, hidden, layers, source_width, dropout)
        if score not in (names := ("additive", "bilinear", "uniform", *SCORES)):
            raise ValueError(f"score must be one of {', '.join(names)}, got {score!r}")
        if score in SCORES and self.source_width != hidden:
            raise ValueError(
                f"score {score!r} needs source_width = hidden, got {self.source_width} and {hidden}"
            )
        self.score = score
        if score == "additive":
            self.additive = AdditiveScore(hidden, self.source_width, attention)
        if score == "bilinear":
            weight = torch.empty(hidden, self.source_width)  # W of q W kᵀ
            self.bilinear = nn.Parameter(nn.init.xavier_uniform_(weight))

    def start(self, memory: Memory) -> State:
        """The initial state, and what is made once per sentence: keys, values, mask."""
        hidden = super().start(memory).hidden  # (L, B, h)
        key = memory.states  # (B, S, c)
        if self.score == "additive":
            key = key @ self.additive.key_weight.mT  # (B, S, a): W_k h_i does not change from step to step
        if self.score == "bilinear":
            key = key @ self.bilinear.mT  # (B, S, h): no more does W h_i
        return State(hidden, (key, memory.states, memory.mask))

    def forward(self, target_in: Tensor, state: State) -> Decoded:
        """Teacher forcing, as `Decoder.forward`; c_t waits for s_{t-1}, so the steps are a loop."""
        expect.word_ids(target_in, self.words, "target_in")
        inputs = self._inputs(self.dropout(self.embedding(target_in)))  # (B, T, 3h), all steps at once
        wide = self._context_weight()  # cut once: every cut costs a gradient of the whole matrix
        states, rows, hidden = [], [], list(state.hidden)
        for now in inputs.unbind(1):  # (B, 3h)
            hidden, weights = self._advance(now, wide, hidden, state.fixed)
            states.append(hidden[-1])
            rows.append(weights)
        stacked = torch.stack(states, dim=1)  # (B, T, h)
        return Decoded(self.output(stacked), stacked, torch.stack(rows, dim=1))

    def step(self, token: Tensor, state: State) -> Step:
        """One word further, and where the decoder looked for it."""
        inputs = self._inputs(self.dropout(self.embedding(token)))  # (B, 3h)
        hidden, weights = self._advance(inputs, self._context_weight(), list(state.hidden), state.fixed)
        return Step(self.output(hidden[-1]), State(torch.stack(hidden), state.fixed), weights)

    def attend(self, query: Tensor, fixed: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        """Where to look with the queries (B, T, h): the contexts (B, T, c) and the weights (B, T, S)."""
        key, value, mask = fixed
        weights = masked_softmax(self._scores(query, key), mask)
        return weights @ value, weights

    def _scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The queries (B, T, h) of each sentence against its keys: (B, T, S)."""
        if self.score == "uniform":
            return key.new_zeros(len(key), query.shape[1], key.shape[1])
        if self.score == "additive":
            asked = query @ self.additive.query_weight.mT  # (B, T, a)
            return torch.tanh(asked[:, :, None] + key[:, None]) @ self.additive.value_weight
        return SCORES["dot" if self.score == "bilinear" else self.score](query, key)

    def _inputs(self, embedded: Tensor) -> Tensor:
        """W y + b of the first layer's three gates, for y (…, E): the part that needs no context."""
        weight, bias = self._weights("ih", 0)
        return nn.functional.linear(embedded, weight[:, : embedded.shape[-1]], bias)

    def _context_weight(self) -> Tensor:
        """W_c (3h, c), the part of the first layer's weights that meets the context."""
        return self._weights("ih", 0)[0][:, -self.source_width :]

    def _advance(
        self, inputs: Tensor, wide: Tensor, hidden: list[Tensor], fixed: tuple[Tensor, ...]
    ) -> tuple[list[Tensor], Tensor]:
        """Look with s_{t-1}, then move every layer one step: L new states (B, h) and the weights (B, S)."""
        context, weights = self.attend(hidden[-1][:, None], fixed)  # the query is the state before the step
        # [W_y W_c] [y; c] = W_y y + W_c c
        moved = [self._cell(inputs + context[:, 0] @ wide.mT, hidden[0], 0)]
        for layer in range(1, self.layers):
            below = nn.functional.linear(moved[-1], *self._weights("ih", layer))  # (B, 3h)
            moved.append(self._cell(below, hidden[layer], layer))
        return moved, weights[:, 0]

    def _cell(self, inputs: Tensor, hidden: Tensor, layer: int) -> Tensor:
        """One GRU step, gates in PyTorch's order: r, z, n. inputs (B, 3h), hidden (B, h) → (B, h)."""
        from_input = inputs.chunk(3, dim=-1)
        from_state = nn.functional.linear(hidden, *self._weights("hh", layer)).chunk(3, dim=-1)
        reset = torch.sigmoid(from_input[0] + from_state[0])
        keep = torch.sigmoid(from_input[1] + from_state[1])
        new = torch.tanh(from_input[2] + reset * from_state[2])
        return torch.lerp(new, hidden, keep)

    def _weights(self, kind: str, layer: int) -> tuple[Tensor, Tensor]:
        return getattr(self.rnn, f"weight_{kind}_l{layer}"), getattr(self.rnn, f"bias_{kind}_l{layer}")


class LuongDecoder(AttentionDecoder):
    """First move, then look: the query is s_t, and what is found is joined to s_t for the choice of a word.

    s_t = GRU(y_{t-1}, s_{t-1});  c_t = Σ softmax(a(s_t, h_i)) h_i;  logits = W_o tanh(W_a [c_t; s_t])

    The GRU never sees c_t, so under teacher forcing no step waits for attention: all T queries at once.
    (Luong's *input feeding*, which hands tanh(W_a [c_t; s_t]) on to the next step, is left out.)
    Arguments and errors as `AttentionDecoder`. Luong et al. 2015, section 3.1, "global attention".
    """

    def __init__(
        self,
        words: int,
        embedding: int = 64,
        hidden: int = 128,
        layers: int = 1,
        source_width: int | None = None,
        dropout: float = 0.0,
        *,
        score: str = "bilinear",
        attention: int = 64,
    ) -> None:
        super().__init__(
            words, embedding, hidden, layers, source_width, dropout, score=score, attention=attention
        )
        self.rnn = nn.GRU(embedding, hidden, layers, batch_first=True)  # y_{t-1} alone
        self.combine = nn.Linear(self.source_width + hidden, hidden, bias=False)  # W_a

    def forward(self, target_in: Tensor, state: State) -> Decoded:
        """Teacher forcing, as `Decoder.forward`; no loop over the steps is left."""
        expect.word_ids(target_in, self.words, "target_in")
        states, _ = self.rnn(self.dropout(self.embedding(target_in)), state.hidden)  # (B, T, h)
        logits, weights = self._say(states, state.fixed)
        return Decoded(logits, states, weights)

    def step(self, token: Tensor, state: State) -> Step:
        """One word further, and where the decoder looked for it."""
        states, hidden = self.rnn(self.dropout(self.embedding(token))[:, None], state.hidden)
        logits, weights = self._say(states, state.fixed)
        return Step(logits[:, 0], State(hidden, state.fixed), weights[:, 0])

    def _say(self, states: Tensor, fixed: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        """Logits (B, T, V) and weights (B, T, S) for states (B, T, h)."""
        context, weights = self.attend(states, fixed)  # (B, T, c)
        return self.output(torch.tanh(self.combine(torch.cat([context, states], dim=-1)))), weights
