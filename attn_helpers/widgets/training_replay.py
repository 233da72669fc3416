"""TrainingReplay: attention forms on a sentence; loss, AER and entropy on one cursor. Chapters 3 and 5."""

from typing import Any

from traitlets import Bytes, Int, List, TraitError, Tuple, Unicode, observe, validate

from attn_helpers.replay import Replay
from attn_helpers.widgets.base import AttnWidget, Tokens, css, join_modules
from attn_helpers.widgets.packed import packed
from attn_helpers.widgets.payload import pack

_MODULES = (
    *("attn.js", "words.js", "dom.js", "view.js", "decode.js", "canvas.js", "tokens.js", "controls.js"),
    *("svg.js", "replay.js", "replay_words.js", "replay_picture.js", "training_replay.js"),
)
_CURVES = ("loss", "aer", "entropy")
END = "⟨end⟩"


class TrainingReplay(AttnWidget):
    """Guess when a word finds its source, then drag: a training, seen again from its first step.

    replay   what was kept of the training: `load_replay(…)`, or `Replay.from_history(history, probes)`

    `at` is the snapshot in sight, `reached` the last that was: curves are drawn up to there. `row` is the
    target word that is asked about, `guess` the snapshot from which on, the reader thinks, its strongest
    source word is a gold one. Raises TypeError for what is no Replay, TraitError for what does not exist.
    """

    _esm = packed(join_modules(*_MODULES))
    _css = css("attn.css", "replay.css")

    at = Int(0, help="the snapshot in sight").tag(sync=True)
    reached = Int(0, help="the last snapshot that was in sight").tag(sync=True)
    row = Int(0, help="the target word that is asked about").tag(sync=True)
    guess = Int(None, allow_none=True, help="from which snapshot on the row is right").tag(sync=True)
    title = Unicode("", help="the question above; ours where empty").tag(sync=True)
    hint = Unicode("", help="what to touch").tag(sync=True)
    note = Unicode("", help="below: what was trained and judged").tag(sync=True)
    query_tokens = Tokens(("",), help="target words and their end").tag(sync=True)
    key_tokens = Tokens(("",), help="source words and their end").tag(sync=True)
    reserve = Tuple(Int(), Int(), default_value=(640, 1080), help="height in px, wide and on a phone")
    reserve.tag(sync=True)

    _steps: Any = List(help="(N,) updates before each snapshot").tag(sync=True)
    _curves: Any = List(help="loss, AER, entropy: (3, N)").tag(sync=True)
    _halves: Any = List(help="of each curve: the snapshot half-way down").tag(sync=True)
    _settles: Any = List(help="of each target word: from where on it is right, or None").tag(sync=True)
    _crossing: Any = List(help="[snapshot, [t, s], [t, s]], or nothing").tag(sync=True)
    _gold: Any = List(help="sure and possible links").tag(sync=True)
    _payload = Bytes(help="weights (N, 1, T, S), see payload.py").tag(sync=True)
    _shape = Tuple(*[Int()] * 4, default_value=(1, 1, 1, 1)).tag(sync=True)

    def __init__(self, replay: Replay, **traits: Any):
        if not isinstance(replay, Replay):
            raise TypeError(
                f"replay must be a Replay, got {type(replay).__name__}; "
                "of a training: Replay.from_history(history, probes)"
            )
        self.replay = replay
        pair, weights = replay.pair, replay.weights[:, None].astype(float)
        crossing = replay.crossing()
        super().__init__(
            query_tokens=[*pair.target, END],
            key_tokens=[*pair.source, END],
            _steps=list(replay.steps),
            _curves=[list(getattr(replay, name)) for name in _CURVES],
            _halves=[replay.half_way(name) for name in _CURVES],
            _settles=[replay.settles(row) for row in range(len(pair.target))],
            _crossing=[crossing[0], *map(list, crossing[1])] if crossing else [],
            _gold=[sorted(map(list, links)) for links in (pair.sure, pair.possible - pair.sure)],
            _payload=pack(weights),
            _shape=weights.shape,
            **{"row": _asked(replay), **traits},
        )

    @validate("at", "reached", "guess", "row")
    def _exists(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        last = (len(self._settles) if name == "row" else len(self._steps)) - 1
        if value is not None and last >= 0 and not 0 <= value <= last:
            raise TraitError(f"TrainingReplay.{name} takes 0 to {last}, got {value}")
        return value

    @observe("at")
    def _reach(self, change: Any) -> None:
        self.reached = max(self.reached, change["new"])

    def _summary(self) -> str:
        count, _, queries, keys = self._shape
        return f"{count} snapshots, {queries}×{keys}, step {self._steps[self.at]}"

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        return plots.training_replay(self.replay)


def _asked(replay: Replay) -> int:
    """The row to ask about: the first of a crossing, else the last to settle, else the first."""
    if crossing := replay.crossing():
        return crossing[1][0][0]
    settled = [(replay.settles(row) or 0, row) for row in range(len(replay.pair.target))]
    return max(settled, default=(0, 0))[1]
