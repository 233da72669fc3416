"""TrainingReplay: how attention forms, snapshot by snapshot, beside three curves. Chapters 3 and 5."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from traitlets import Bool, Bytes, Dict, Int, TraitError, Tuple, Unicode, validate

from attn_helpers.corpus.pairs import Pair
from attn_helpers.replay import Replay
from attn_helpers.training.record import History
from attn_helpers.widgets.base import AttnWidget, Tokens, css, join_modules
from attn_helpers.widgets.heatmap_layout import is_dense
from attn_helpers.widgets.packed import packed
from attn_helpers.widgets.payload import pack, read_weights
from attn_helpers.widgets.replay_layout import height, row_pitch

_MODULES = (
    *("words.js", "dom.js", "view.js", "decode.js", "ramp.js", "tokens.js", "svg.js"),
    *("grid.js", "sentence.js", "replay.js", "replay_words.js", "replay_look.js"),
    *("replay_curves.js", "replay_panel.js", "training_replay.js"),
)
END = "⟨end⟩"
CURVES = ("loss", "aer", "entropy")


class TrainingReplay(AttnWidget):
    """Scrub through a training: loss, AER, words looked at, and the map of one sentence at the same step.

    replay    what `trained.load_replay` reads or `Replay.from_history` makes; or name → replay of the same
              pair at the same steps, such as the heads of a model, which the reader chooses from

    shown     which of the replays; `position` the snapshot in sight; `row` the target word asked about
    guess     the snapshot from which on, the reader thinks, the row's strongest word is a gold link for good
    revealed  False: AER and words looked at are drawn up to the cursor only, and the answer is not said;
              on the page it becomes True when the cursor reaches the answer or the last snapshot
    title, hint  words of the page; ours where empty

    `settled` is the answer, read off the data. Raises TypeError or ValueError for what cannot be replayed:
    fewer than two snapshots, NaN, replays that do not fit together; TraitError for what does not exist.
    """

    _esm = packed(join_modules(*_MODULES))
    _css = css("attn.css", "grid.css", "replay.css")

    names = Tokens(("",), help="of the replays").tag(sync=True)
    query_tokens = Tokens(("",), help="target words and their end, rows").tag(sync=True)
    key_tokens = Tokens(("",), help="source words and their end, columns").tag(sync=True)
    shown = Int(0, help="which of the replays").tag(sync=True)
    position = Int(0, help="which snapshot").tag(sync=True)
    row = Int(0, help="the target word asked about").tag(sync=True)
    guess = Int(None, allow_none=True, help="the reader's snapshot").tag(sync=True)
    revealed = Bool(False, help="whether all is shown").tag(sync=True)
    title = Unicode("", help="the question above").tag(sync=True)
    hint = Unicode("", help="what to touch").tag(sync=True)
    reserve = Tuple(Int(), Int(), help="height in px, wide and on a phone").tag(sync=True)

    _payload = Bytes(help="weights as bytes, see payload.py").tag(sync=True)
    _shape = Tuple(*[Int()] * 4, help="N snapshots, replays, T, S").tag(sync=True)
    _curves = Dict(help="steps (N), and per replay loss, AER, entropy (N); how many are judged").tag(
        sync=True
    )
    _gold = Tuple(help="sure and merely possible links (query, key)").tag(sync=True)
    _pitch = Tuple(help="height of a row in px, wide and on a phone").tag(sync=True)

    def __init__(self, replay: Replay | Mapping[str, Replay], **traits: Any):
        replays = dict(replay) if isinstance(replay, Mapping) else {"": replay}
        _check(replays)
        self._replays = tuple(replays.values())
        first = self._replays[0]
        sure, possible = first.pair.sure, first.pair.possible - first.pair.sure
        cells = read_weights(np.stack([one.weights for one in self._replays], axis=1))  # (N, views, T, S)
        traits.setdefault("row", _first_row(first))
        super().__init__(
            names=list(replays),
            query_tokens=[*first.pair.target, END],
            key_tokens=[*first.pair.source, END],
            _payload=pack(cells),
            _shape=cells.shape,
            _curves={"steps": list(first.steps), "judged": first.judged, **self._all_curves()},
            _gold=tuple(tuple(sorted(links)) for links in (sure, possible)),
            _pitch=row_pitch(cells.shape[2]),
            reserve=height(cells.shape),
            **traits,
        )

    def _all_curves(self) -> dict[str, list[list[float]]]:
        return {name: [list(getattr(one, name)) for one in self._replays] for name in CURVES}

    @classmethod
    def from_history(cls, history: History, probes: Sequence[Pair], **traits: Any) -> "TrainingReplay":
        """What `fit(…, probes=probes)` remembered; of a model with several heads, each, and their mean.

        The first probe is shown, the others are judged. Raises ValueError as `Replay.from_history`.
        """
        replays = Replay.of_heads(history, probes)
        return cls(replays if len(replays) > 1 else next(iter(replays.values())), **traits)

    @validate("shown", "position", "row", "guess")
    def _exists(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        snapshots, queries, _ = self._replays[0].weights.shape
        largest = {"shown": len(self._replays) - 1, "row": queries - 1}.get(name, snapshots - 1)
        if value is not None and not 0 <= value <= largest:
            raise TraitError(f"TrainingReplay.{name} takes 0 to {largest}, got {value}")
        return value

    @validate("names", "query_tokens", "key_tokens")
    def _as_many(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        axis = {"names": 1, "query_tokens": 2, "key_tokens": 3}[name]
        if len(value) != self._shape[axis]:
            raise TraitError(f"TrainingReplay.{name} takes {self._shape[axis]} words, got {len(value)}")
        return value

    @property
    def replay(self) -> Replay:
        """The replay in sight."""
        return self._replays[self.shown]

    @property
    def settled(self) -> int | None:
        """The step from which on the row's strongest word is a gold link for good; None: it never is."""
        found = self.replay.settles(self.row)
        return None if found is None else self.replay.steps[found]

    def _summary(self) -> str:
        snapshots, views, queries, keys = self._shape
        several = f", {views} replays" if views > 1 else ""
        return f"{snapshots} snapshots, {queries}×{keys}{several}"

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        return plots.training_replay(
            self.replay, position=self.position, row=self.row, title=self.names[self.shown]
        )


def _first_row(replay: Replay) -> int:
    """The row asked about unless another is given: one of the crossing, else one that settles late."""
    if crossing := replay.crossing():
        return int(crossing[1][0][0])
    when = [-1 if (at := replay.settles(row)) is None else at for row in range(len(replay.pair.target))]
    return int(np.argmax(when)) if when else 0


def _check(replays: dict[str, Replay]) -> None:
    """Expect at least one replay, all of one pair at the same steps, with something that moves."""
    odd = next((one for one in replays.values() if not isinstance(one, Replay)), None)
    if odd is not None:
        raise TypeError(
            f"replay must be a Replay, or a mapping name → Replay, got {type(odd).__name__}; "
            "TrainingReplay.from_history takes what fit returned"
        )
    if not replays:
        raise ValueError("replay must hold at least one Replay, got an empty mapping")
    first = next(iter(replays.values()))
    for name, one in replays.items():
        if (one.pair, one.steps, one.weights.shape) != (first.pair, first.steps, first.weights.shape):
            raise ValueError(f"replays must be of one pair at the same steps, got another in {name!r}")
        for curve in CURVES:
            if not np.isfinite(getattr(one, curve)).all():
                raise ValueError(f"replay.{curve} must be finite, got NaN or infinity")
    if len(first.steps) < 2:
        raise ValueError("replay must hold at least 2 snapshots, got 1: nothing moves; train for longer")
    if is_dense(*first.weights.shape[1:]):
        raise ValueError(
            f"replay must be of a pair of 40 words and 1024 cells at most, got {first.weights.shape[1:]}"
        )
