"""MaskLab: scores → mask → weights of a padded batch; what a wrong mask does to them. Chapters 1 and 5."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from traitlets import Bool, Dict, Enum, Int, TraitError, Tuple, default, validate

from attn_helpers.masks import causal_mask, combine_masks, valid_length_mask
from attn_helpers.scoring import score_numpy
from attn_helpers.widgets.base import AttnWidget, css, join_modules
from attn_helpers.widgets.mask_batch import PAD, SENTENCES, SIZES, TARGETS, WORDS, replay
from attn_helpers.widgets.mask_faults import BREAKAGES, FLOAT_TYPES
from attn_helpers.widgets.mask_traits import Batch, Cells, Sentences, Wholes
from attn_helpers.widgets.packed import packed

Array = NDArray[np.float64]

_MODULES = (
    *("attn.js", "words.js", "dom.js", "view.js", "controls.js"),
    *("svg.js", "mask.js", "mask_words.js", "mask_cards.js", "mask_grids.js", "mask_leak.js", "mask_lab.js"),
)


class MaskLab(AttnWidget):
    """Change a length, click a cell of the mask, break it; see scores, mask and weights follow.

    key_tokens, query_tokens                   (B, S), (B, T) words; the queries are the keys unless given
    key_vectors, value_vectors, query_vectors  (B, S, 2), (B, S, 2), (B, T, 2); known for the default's words
    lengths    (B,) keys that are no padding, 0…S; by default those before the first ⟨pad⟩
    causal     no query sees a later key; needs T = S
    flips      places (sentence, query, key) whose entry of the mask is turned over by hand
    breakage   "none", "no_mask", "flipped", "after_softmax", "half" (−1e9 in `float_type`), "finite" (−1e6)
    cell       the place that is looked at
    leak_guess "lower", "same" or "higher": what the reader expects of the loss, "" before

    `MaskLab.decoder()` shows target words at target words. Open a cell of the future there, and the page
    asks what training will make of it, then shows what it made of it: `attn_helpers.leak`.
    `mask`, `scores`, `weights`, `output`, `leaked`, `foreseen` are what the page shows, computed anew by
    `attn_helpers.masks` in float64. Only "half" can make NaN, in an empty row, which is what it shows.
    Raises TraitError for NaN, for wrong shapes, for places outside, and where sizes differ.
    """

    _esm = packed(join_modules(*_MODULES))
    _css = css("attn.css", "mask_lab.css")

    key_tokens = Sentences(SENTENCES, help="(B, S)").tag(sync=True)
    query_tokens = Sentences(help="(B, T)").tag(sync=True)
    query_vectors = Batch(help="(B, T, 2)").tag(sync=True)
    key_vectors = Batch(help="(B, S, 2)").tag(sync=True)
    value_vectors = Batch(help="(B, S, 2)").tag(sync=True)
    lengths = Wholes(help="(B,) keys that are no padding").tag(sync=True)
    causal = Bool(False, help="no query sees a later key").tag(sync=True)
    flips = Cells(help="entries of the mask turned over by hand").tag(sync=True)
    breakage = Enum(tuple(BREAKAGES), "none").tag(sync=True)
    float_type = Enum(tuple(FLOAT_TYPES), "float16", help="that stores −1e9").tag(sync=True)
    cell = Wholes(size=3, help="(sentence, query, key)").tag(sync=True)
    _lengths_before = Wholes(help="() or the lengths before a fault emptied the last sentence").tag(sync=True)
    predict = Bool(False, help="weights are hidden until the reader has marked the empty ones").tag(sync=True)
    guess = Cells(help="weights that the reader expects to be 0").tag(sync=True)
    leak_guess = Enum(("", "lower", "same", "higher"), "", help="the loss, expected").tag(sync=True)
    reserve = Tuple(Int(), Int(), default_value=None, allow_none=True, help="height in px, if not the usual")
    reserve.tag(sync=True)
    _leak = Dict(help="two trainings, one with a leak; empty: nothing is asked").tag(sync=True)

    @classmethod
    def decoder(cls, **traits: Any) -> "MaskLab":
        """Target words at target words, as a decoder reads them in training: padding and future hidden."""
        shown = {"key_tokens": TARGETS, "causal": True, "cell": (0, 1, 2), "reserve": (1290, 2366)}
        return cls(**{"_leak": replay(), **shown, **traits})

    @default("query_tokens")
    def _default_query_tokens(self) -> Any:
        return self.key_tokens

    @default("query_vectors")
    def _default_query_vectors(self) -> Any:
        return self._known("query_vectors", self.query_tokens, 0)

    @default("key_vectors")
    def _default_key_vectors(self) -> Any:
        return self._known("key_vectors", self.key_tokens, 1)

    @default("value_vectors")
    def _default_value_vectors(self) -> Any:
        return self._known("value_vectors", self.key_tokens, 2)

    @default("lengths")
    def _default_lengths(self) -> Any:
        return tuple((*words, PAD).index(PAD) for words in self.key_tokens)

    @default("cell")
    def _default_cell(self) -> Any:
        batch, queries, keys = self._shape
        return (batch - 1, min(1, queries - 1), keys - 1)

    @staticmethod
    def _known(trait: str, sentences: Any, part: int) -> Any:
        """Query, key or value of each word, as far as the widget knows the words."""
        strange = [word for words in sentences for word in words if word not in WORDS]
        if strange:
            raise TraitError(f"MaskLab.{trait} must be given: no vector is known for {strange[0]!r}")
        return tuple(tuple(WORDS[word][part] for word in words) for words in sentences)

    @property
    def _shape(self) -> tuple[int, int, int]:
        return len(self.key_tokens), len(self.query_tokens[0]), len(self.key_tokens[0])

    @validate(*SIZES)
    def _same_sizes(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        batch, queries, keys = self._shape
        want = [{"B": batch, "T": queries, "S": keys}[axis] for axis in SIZES[name]]
        got = [len(value), *(len(part) for part in value[:1] if name != "lengths")]
        if got != want:
            raise TraitError(
                f"MaskLab.{name} must have the axes ({', '.join(SIZES[name])}) = {tuple(want)}, got "
                f"{tuple(got)}; change sizes together: with widget.hold_trait_notifications(): …"
            )
        if name == "lengths" and max(value) > keys:
            raise TraitError(f"MaskLab.lengths must lie between 0 and S = {keys}, got {value}")
        return value

    @validate("causal")
    def _square(self, proposal: dict[str, Any]) -> bool:
        _, queries, keys = self._shape
        if proposal["value"] and queries != keys:
            raise TraitError(
                f"MaskLab.causal needs as many queries as keys, got {queries} and {keys}: which query stands "
                "at which key is not said"
            )
        return bool(proposal["value"])

    @validate("flips", "guess", "cell")
    def _inside(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        for place in (value,) if name == "cell" else value:
            if any(at >= size for at, size in zip(place, self._shape, strict=True)):
                raise TraitError(f"MaskLab.{name}: {place} lies outside (B, T, S) = {self._shape}")
        return value

    @property
    def mask(self) -> NDArray[np.bool_]:
        """True = may attend, (B, T, S)."""
        batch, queries, keys = self._shape
        parts = [valid_length_mask(self.lengths, keys)]  # (B, 1, S)
        parts += [causal_mask(queries)[None]] if self.causal else []  # (1, T, T)
        allowed = combine_masks(*parts).expand(batch, queries, keys).clone()
        for place in self.flips:
            allowed[place] = ~allowed[place]
        return np.asarray(allowed)

    @property
    def opened(self) -> tuple[tuple[int, int, int], ...]:
        """Words of the future, (sentence, query, key), that were opened by hand; padding tells nothing."""
        return tuple((b, t, s) for b, t, s in self.flips if self.causal and t < s < self.lengths[b])

    @property
    def scores(self) -> Array:
        """q·k / √2, (B, T, S)."""
        return score_numpy(self.query_vectors, self.key_vectors)

    @property
    def weights(self) -> Array:
        """What the softmax makes of scores and mask, right or broken, (B, T, S)."""
        scores, mask = torch.from_numpy(self.scores), torch.from_numpy(self.mask)
        return np.asarray(BREAKAGES[self.breakage](scores, mask, self.float_type))

    @property
    def leaked(self) -> Array:
        """Weight that each query gives to forbidden keys, (B, T): 0 if all is well."""
        return np.asarray(np.where(self.mask, 0, self.weights).sum(axis=-1))

    @property
    def foreseen(self) -> Array:
        """Weight that each query gives to later words, (B, T): of a decoder, 0 if all is well."""
        return np.asarray(np.triu(self.weights, 1).sum(axis=-1))

    @property
    def output(self) -> Array:
        """The values' mean by these weights, (B, T, 2)."""
        return np.asarray(self.weights @ np.asarray(self.value_vectors))

    def _summary(self) -> str:
        size = "×".join(map(str, self._shape))
        parts = [size, "causal" if self.causal else "", "" if self.breakage == "none" else self.breakage]
        return ", ".join(part for part in parts if part)

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        return plots.mask_lab(
            query_tokens=self.query_tokens,
            key_tokens=self.key_tokens,
            scores=self.scores,
            mask=self.mask,
            weights=self.weights,
        )
