"""Seq2SeqStepper: an encoder-decoder, one step at a time, computed in the page. Chapters 2 and 3."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from traitlets import Bool, Bytes, Dict, Int, List, TraitError, Tuple, validate

from attn_helpers.corpus.vocabulary import BOS, EOS, PAD, Vocabulary
from attn_helpers.seq2seq import Seq2Seq
from attn_helpers.widgets.base import AttnWidget, Tokens, css, join_modules
from attn_helpers.widgets.model_payload import pack_model, rounded
from attn_helpers.widgets.packed import packed
from attn_helpers.widgets.stepper_traits import Feeds, PairList

_MODULES = (
    *(
        "attn.js",
        "words.js",
        "geometry.js",
        "dom.js",
        "view.js",
        "controls.js",
        "svg.js",
        "linear.js",
        "gru.js",
        "trace.js",
    ),
    *("stepper_words.js", "stepper_look.js", "stepper_strips.js", "stepper_panel.js", "stepper.js"),
)
BEYOND = 6  # steps that the decoder may go on after the gold sentence has ended
NAMES = ("⟨pad⟩", "⟨start⟩", "⟨end⟩", "⟨unknown⟩")


class Traced(NamedTuple):
    """One step of the decoder."""

    reads: str  # y_{t-1}
    writes: str  # the most probable word; padding and begin are none
    gold: str | None  # None once the gold sentence is over
    gold_probability: float
    probabilities: NDArray[np.float64]  # (V,)
    context: NDArray[np.float64]  # c (c,)
    weights: NDArray[np.float64] | None  # (S,) where it looked; None without attention


class Seq2SeqStepper(AttnWidget):
    """Step through a decoder: [c; y] → state → five best words; feed it the gold word or its own.

    model         a trained Seq2Seq; its weights are copied, rounded to 16 bits, and travel with the widget
    pairs         sentences to choose from: corpus.Pair, or (source tokens, gold tokens)
    vocabularies  (source, target), those that the model was trained with

    sentence  which pair; `position` steps are made; `feeds` says after each step whether the "gold" word or
              its "own" is fed, the last choice holds on; `predict` asks for the next word before it is shown;
              `guess` is the reader's word, by number

    `steps` is what the page shows, computed anew by PyTorch from the same rounded weights.
    Raises TypeError or ValueError for a model that no page can compute, TraitError for what does not exist.
    """

    _esm = packed(join_modules(*_MODULES))
    _css = css("attn.css", "stepper.css")

    pairs = PairList(help="sentences to choose from").tag(sync=True)
    target_words = Tokens(("",), help="V names, by number").tag(sync=True)
    sentence = Int(0, help="which pair").tag(sync=True)
    position = Int(1, help="how many steps are made").tag(sync=True)
    feeds = Feeds(("gold",), help="what is fed after each step; the last choice holds on").tag(sync=True)
    predict = Bool(True, help="ask for the next word before it is shown").tag(sync=True)
    guess = Int(None, allow_none=True, help="the reader's word, by number").tag(sync=True)
    reserve = Tuple(Int(), Int(), default_value=(742, 1030), help="height in px, wide and on a phone")
    reserve.tag(sync=True)

    _payload = Bytes(help="weights as bytes, see model_payload.py").tag(sync=True)
    _layout = Dict(help="what is where in the payload").tag(sync=True)
    _ids: Any = List(help="per pair: source and gold words as numbers, with their end of sentence").tag(
        sync=True
    )

    def __init__(
        self,
        model: Seq2Seq,
        pairs: Sequence[Any],
        vocabularies: tuple[Vocabulary, Vocabulary],
        **traits: Any,
    ):
        payload, layout = pack_model(model)
        self._model = rounded(model)
        source, target = vocabularies
        for side, vocabulary, words in (
            ("source", source, model.encoder.words),
            ("target", target, model.decoder.words),
        ):
            if len(vocabulary) != words:
                raise ValueError(
                    f"the {side} vocabulary must have the model's {words} numbers, got {len(vocabulary)}"
                )
        frozen = PairList().validate(self, pairs)
        ids = [[[*source.encode(words), EOS], [*target.encode(gold), EOS]] for words, gold in frozen]
        names = target.names(range(len(target)))
        super().__init__(
            pairs=frozen, target_words=names, _payload=payload, _layout=layout, _ids=ids, **traits
        )

    @validate("pairs")
    def _fixed(self, proposal: dict[str, Any]) -> Any:
        if self._ids and len(proposal["value"]) != len(self._ids):
            raise TraitError(f"Seq2SeqStepper.pairs are fixed, {len(self._ids)} of them; make a new widget")
        return proposal["value"]

    @validate("sentence", "position", "guess")
    def _exists(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        longest = max((len(gold) for _, gold in self._ids), default=1) + BEYOND
        largest = {"sentence": len(self.pairs) - 1, "position": longest, "guess": len(self.target_words) - 1}
        if value is not None and not 0 <= value <= largest[name]:
            raise TraitError(f"Seq2SeqStepper.{name} takes 0 to {largest[name]}, got {value}")
        return value

    @property
    def steps(self) -> list[Traced]:
        """What the decoder did up to `position`, or up to the sentence's end if that comes first."""
        return self._walk(self.position)

    @torch.no_grad()
    def _walk(self, most: int) -> list[Traced]:
        source, gold = self._ids[self.sentence]
        state = self._model.start(torch.tensor([source]), torch.tensor([len(source)]))
        steps: list[Traced] = []
        reads = BOS
        while reads != EOS and len(steps) < min(most, len(gold) + BEYOND):
            t = len(steps)
            context = self._context(state)
            step = self._model.step(torch.tensor([reads]), state)
            right = gold[t] if t < len(gold) else None
            own = int(step.logits[0].index_fill(0, torch.tensor([PAD, BOS]), -torch.inf).argmax())
            steps.append(self._traced(step, reads, own, right, context))
            state = step.state
            reads = right if self.feeds[min(t, len(self.feeds) - 1)] == "gold" and right is not None else own
        return steps

    def _context(self, state: Any) -> Any:
        """c of the step that starts from this state."""
        attend = getattr(self._model.decoder, "attend", None)
        return (
            state.fixed[0][0] if attend is None else attend(state.hidden[-1][:, None], state.fixed)[0][0, 0]
        )

    def _traced(self, step: Any, reads: int, own: int, gold: int | None, context: Any) -> Traced:
        p = step.logits[0].double().softmax(-1).numpy()
        weights = None if step.weights is None else step.weights[0].double().numpy()
        right, chance = (None, 0.0) if gold is None else (self._name(gold), float(p[gold]))
        return Traced(self._name(reads), self._name(own), right, chance, p, context.double().numpy(), weights)

    def _name(self, number: int) -> str:
        words: tuple[str, ...] = self.target_words
        return NAMES[number] if number < len(NAMES) else words[number]

    def _summary(self) -> str:
        words, gold = self.pairs[self.sentence]
        return f"{' '.join(words)} → {' '.join(gold)}, step {self.position}"

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        return plots.seq2seq_stepper(
            source=self.pairs[self.sentence][0], steps=self._walk(max(1, self.position)), names=self._name
        )
