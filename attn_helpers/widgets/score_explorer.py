"""ScoreExplorer: one query among keys in the plane, and what many dimensions do to its weights. Chapter 1."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from traitlets import Bool, Dict, Enum, Int, TraitError, Unicode, default, validate

from attn_helpers.scoring import attend_numpy, score_numpy, sharpness_table
from attn_helpers.sharpness import DIVISORS, WIDTHS
from attn_helpers.widgets.base import AttnWidget, Finite, Tokens, Vector, Vectors, css, join_modules
from attn_helpers.widgets.packed import packed

Array = NDArray[np.float64]
_TOKENS = ("the", "black", "cat", "sleeps")
_MODULES = (
    *("attn.js", "words.js", "dom.js", "view.js", "controls.js", "geometry.js", "score_words.js"),
    *("score_pictures.js", "score_plane.js", "score_dims.js", "score_explorer.js"),
)
_KEPT = (
    "query",
    "key_vectors",
    "value_vectors",
    "score",
    "temperature",
    "predict",
    "expected",
)  # what Reset brings back


class ScoreExplorer(AttnWidget):
    """Drag a query and its keys; see scores, weights and the output among the values follow.

    Below the plane, eight keys in up to 512 dimensions: guess the top weight, drag d, pick the divisor that
    holds it. Set `panels` to "plane" or "dimensions" for one of the two alone. With `predict` the plane keeps
    scores, weights and output to itself until the reader chooses the key that wins.

    `scores`, `weights` and `output` are what the page shows, computed anew with `attend_numpy`.
    Raises TraitError for NaN, for vectors beyond ±1e6, for wrong shapes, for a target that is no key, and
    where tokens, keys and values differ in number.
    """

    _esm = packed(join_modules(*_MODULES))
    _css = css("attn.css", "score_explorer.css")

    query = Vector((1.0, 0.8), help="q").tag(sync=True)
    query_token = Unicode("chat").tag(sync=True)
    key_tokens = Tokens(_TOKENS, help="S labels of keys and values").tag(sync=True)
    key_vectors = Vectors(((-0.6, 0.5), (2.4, 0.3), (0.9, 0.7), (0.3, -1.2)), help="(S, 2)").tag(sync=True)
    value_vectors = Vectors(((-1.7, 0.7), (1.5, 1.3), (1.3, -1.1), (-1.1, -1.3)), help="(S, 2)").tag(
        sync=True
    )
    target = Int(None, allow_none=True, help="the key that ought to win, for the title").tag(sync=True)
    score = Enum(("dot", "scaled_dot", "cosine", "additive"), "scaled_dot").tag(sync=True)
    temperature = Finite(1.0, low=0.01, high=100.0, help="divides the scores").tag(sync=True)
    predict = Bool(False, help="hide what the plane comes to until a key is chosen").tag(sync=True)
    expected = Int(None, allow_none=True, help="the key that the reader expects to win").tag(sync=True)
    challenge = Finite(
        None, allow_none=True, help="closest to the hull's edge so far; None: not taken up"
    ).tag(sync=True)

    panels = Enum(("both", "plane", "dimensions"), "both").tag(sync=True)
    width = Enum(WIDTHS, WIDTHS[0], help="d in the second panel").tag(sync=True)
    divisor = Enum(tuple(DIVISORS), "1", help="of q·k: 1, √d or d").tag(sync=True)
    guess = Finite(None, low=0.0, high=1.0, allow_none=True, help="of the top weight at the largest d").tag(
        sync=True
    )
    reach = Enum((0, *WIDTHS), 0, help="largest d seen: as far as the curve is drawn").tag(sync=True)

    _start = Dict(help="where Reset goes back to").tag(sync=True)
    _sharpness = Dict(help="sharpness_table(): the measured medians and one draw").tag(sync=True)

    @default("target")
    def _default_target(self) -> int | None:
        ours = self.query_token == "chat" and self.key_tokens == _TOKENS
        return _TOKENS.index("cat") if ours else None

    @default("_start")
    def _default_start(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _KEPT}

    @default("_sharpness")
    def _default_sharpness(self) -> dict[str, Any]:
        return sharpness_table()

    @validate("key_tokens", "key_vectors", "value_vectors")
    def _one_of_each_per_key(self, proposal: dict[str, Any]) -> Any:
        names = ("key_tokens", "key_vectors", "value_vectors")
        counts = {name: len(getattr(self, name)) for name in names}
        counts[proposal["trait"].name] = len(proposal["value"])
        if len(set(counts.values())) > 1:
            got = ", ".join(f"{count} {name}" for name, count in counts.items())
            raise TraitError(
                f"ScoreExplorer needs a token, a vector and a value for each key, got {got}; "
                "change their number together, in: with widget.hold_trait_notifications(): …"
            )
        return proposal["value"]

    @validate("target", "expected")
    def _a_key(self, proposal: dict[str, Any]) -> Any:
        name, value, count = proposal["trait"].name, proposal["value"], len(self.key_tokens)
        if value is not None and not 0 <= value < count:
            raise TraitError(
                f"ScoreExplorer.{name} takes None or the index of one of {count} keys, got {value}"
            )
        return value

    @property
    def scores(self) -> Array:
        """One per key, (S,)."""
        scores: Array = score_numpy([self.query], self.key_vectors, self.score)[0]
        return scores

    @property
    def weights(self) -> Array:
        """Softmax of scores ÷ temperature, (S,)."""
        weights: Array = self._attend()[1][0]
        return weights

    @property
    def output(self) -> Array:
        """The values' mean by these weights, (2,)."""
        output: Array = self._attend()[0][0]
        return output

    def _attend(self) -> tuple[Array, Array]:
        return attend_numpy(
            [self.query],
            self.key_vectors,
            self.value_vectors,
            score=self.score,
            temperature=self.temperature,
        )

    def _summary(self) -> str:
        return f"1×{len(self.key_tokens)}, {self.score}"

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        if self.panels == "dimensions":
            return plots.many_dimensions(
                table=self._sharpness,
                width=self.width,
                divisor=self.divisor,
                reach=self.reach,
                guess=self.guess,
            )
        return plots.score_explorer(
            query_token=self.query_token,
            query=self.query,
            key_tokens=self.key_tokens,
            key_vectors=self.key_vectors,
            value_vectors=self.value_vectors,
            scores=self.scores,
            weights=self.weights,
            output=self.output,
            score=self.score,
            temperature=self.temperature,
            hidden=self.predict and self.expected is None,
        )
