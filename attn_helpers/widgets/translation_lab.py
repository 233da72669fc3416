"""TranslationLab: a trained model translates in the page; its rows are operated on. Chapters 3 and 5."""

from collections.abc import Mapping
from typing import Any

from traitlets import Bool, Bytes, Dict, Enum, Int, List, TraitError, Tuple, Unicode, observe, validate

from attn_helpers import operating
from attn_helpers.corpus import tokenize
from attn_helpers.corpus.vocabulary import EOS, UNK, Vocabulary
from attn_helpers.operating import Written
from attn_helpers.seq2seq import Seq2Seq
from attn_helpers.steering import heads_of
from attn_helpers.widgets.base import AttnWidget, Tokens, css, join_modules
from attn_helpers.widgets.lab_models import (
    END,
    Translated,
    as_named,
    drawn,
    pack,
    ready,
    room,
    sheet,
    trained_models,
    translated,
)
from attn_helpers.widgets.lab_traits import OneOperation, Operations, as_json, expect_heads
from attn_helpers.widgets.packed import packed

_MODULES = (
    *("attn.js", "words.js", "dom.js", "view.js", "controls.js", "ramp.js"),
    *("linear.js", "gru.js", "transformer.js", "translate.js", "reading.js", "lab_words.js", "lab_look.js"),
    *("lab_map.js", "lab_panel.js", "translation_lab.js"),
)
MOST = 60  # words that are read; the models have met 29 at most
OUTCOMES = ("trade", "nothing", "own", "more")  # of an operation, see js/lab_look.js


class TranslationLab(AttnWidget):
    """Choose or type a sentence, operate on a row of attention; the model translates, and goes on from there.

    models        a trained Seq2Seq with attention, or name → model, side by side
    vocabularies  (source, target), those that the models were trained with
    rates         name → what `change_rates` knows of the model; none: nothing is said about other sentences

    text        the sentence; the first 60 words of it are read
    operations  what is done to rows, in order: ("zero", [1]), ("uniform", [1]), ("swap", [1, 2]), or
                ("set", [1], None, weights); steps count from 0; a third entry (layer, head) means one head;
                read back as frozen `Operation`s
    row         the step in sight; `head` (layer, head) shown and operated on, None: their mean, and all
    bars        whether the row's bars can be dragged
    challenge   an operation whose outcome the reader is asked for first; `guess`: "trade", "nothing", …
    engine      "page": the weights, rounded to 16 bits, travel, and the page computes; "python": PyTorch
                computes in a live kernel, with any model of the package
    examples    sentences to choose from; title, hint: words of the page, ours where empty

    `translations` is what stands on the page, computed by PyTorch. Raises TypeError or ValueError for models
    that cannot be shown, TraitError for what does not exist.
    """

    _esm = packed(join_modules(*_MODULES))
    _css = css("attn.css", "translation_lab.css")

    names = Tokens(("",), help="of the models").tag(sync=True)
    text = Unicode("the black cat sleeps", help="the sentence").tag(sync=True)
    operations = Operations(default_value=(), help="done to rows, in order").tag(sync=True, to_json=as_json)
    row = Int(None, allow_none=True, help="the step in sight").tag(sync=True)
    head = Tuple(Int(), Int(), default_value=None, allow_none=True, help="layer and head; None: all")
    head.tag(sync=True)
    bars = Bool(False, help="whether the row's bars can be dragged").tag(sync=True)
    challenge = OneOperation(None, allow_none=True, help="the reader says first what it will do")
    challenge.tag(sync=True, to_json=as_json)
    guess = Enum(OUTCOMES, None, allow_none=True, help="what the reader said").tag(sync=True)
    examples = Tokens(
        (
            "the black cat sleeps",
            "the small white dog does not see the cat",
            "my aunt 's old horse drinks water",
        ),
        help="sentences to choose from",
    ).tag(sync=True)
    longest = Int(0, help="words of the longest sentence they have learned from; 0: unknown").tag(sync=True)
    engine = Enum(("page", "python"), "page", help="who computes").tag(sync=True)
    title = Unicode("", help="the question above").tag(sync=True)
    hint = Unicode("", help="what to touch").tag(sync=True)
    reserve = Tuple(Int(), Int(), default_value=(0, 0), help="height in px, wide and on a phone")
    reserve.tag(sync=True)

    _payloads: Any = List(Bytes(), help="weights as bytes, see model_payload.py").tag(sync=True)
    _layouts: Any = List(Dict(), help="what is where in the payloads, and how many heads look").tag(sync=True)
    _late = Tuple(("_payloads",), help="what a page may bring after the widget is drawn").tag(sync=True)
    _words = Tuple(help="names by number, of the source and of the target").tag(sync=True)
    _rates: Any = List(Dict(), help="per model: how often an operation changes a translation").tag(sync=True)
    _sheets = Dict(help="what PyTorch made of this sentence and these operations").tag(sync=True)
    _asked = Bool(False, help="whether the challenge is over").tag(sync=True)
    _past: Any = List(help="earlier sentences and their operations, for undo").tag(sync=True)

    def __init__(
        self,
        models: Seq2Seq | Mapping[str, Seq2Seq],
        vocabularies: tuple[Vocabulary, Vocabulary],
        *,
        rates: Mapping[str, Any] | None = None,
        **traits: Any,
    ):
        named = as_named(models, vocabularies)
        in_page = traits.get("engine", "page") != "python"
        packs = [pack(model, in_page) for model in named.values()]
        self._models = [ready(model, in_page) for model in named.values()]
        self._vocabularies = vocabularies
        super().__init__(
            names=list(named),
            _payloads=[payload for payload, _ in packs],
            _layouts=[layout for _, layout in packs],
            _words=tuple(vocabulary.names(range(len(vocabulary))) for vocabulary in vocabularies),
            _rates=[dict((rates or {}).get(name, {})) for name in named],
            **traits,
        )
        self._compute()
        if "reserve" not in traits:
            self.reserve = room(self._sheets["made"])

    @classmethod
    def of_trained(cls, *rows: str, **traits: Any) -> "TranslationLab":
        """With models that travel with the package, by their rows of the ladder, and their change rates."""
        return cls(**trained_models(rows), **traits)

    @validate("row")
    def _exists(self, proposal: dict[str, Any]) -> Any:
        value = proposal["value"]
        if value is not None and not 0 <= value < operating.LIMIT:
            raise TraitError(f"TranslationLab.row takes None or 0 to {operating.LIMIT - 1}, got {value}")
        return value

    @validate("head", "operations", "challenge")
    def _looks(self, proposal: dict[str, Any]) -> Any:
        value, shapes = proposal["value"], [heads_of(model) for model in self._models]
        expect_heads(proposal["trait"].name, value, shapes)
        return value

    @validate("engine")
    def _computes(self, proposal: dict[str, Any]) -> Any:
        if proposal["value"] == "page" and not all(self._payloads):
            raise TraitError('TranslationLab.engine is "python": for "page" make another, with its weights')
        return proposal["value"]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words that are read, in lower case."""
        return tokenize(self.text)[:MOST]

    @property
    def unknown(self) -> tuple[str, ...]:
        """Those among them that no model has met."""
        return tuple(word for word in self.tokens if self._vocabularies[0].encode([word]) == [UNK])

    @property
    def written(self) -> list[list[Written]]:
        """Per model: the translation as trained, then after each operation."""
        ids = [*self._vocabularies[0].encode(self.tokens), EOS]
        return [operating.operate(model, ids, self.operations) for model in self._models]

    @property
    def translations(self) -> dict[str, Translated]:
        """Per model, by name: what it writes as trained and after the operations."""
        return {
            name: translated(steps[0], steps[-1], self._vocabularies[1])
            for name, steps in zip(self.names, self.written, strict=True)
        }

    @observe("text", "operations", "engine")
    def _follow(self, change: Any) -> None:
        if self.engine == "python" and self._models:
            self._compute()

    def _compute(self) -> None:
        """What the page shows without computing: at first, and all the time where Python translates."""
        made = [[sheet(steps[0]), sheet(steps[-1])] for steps in self.written]
        self._sheets = {"text": self.text, "operations": as_json(self.operations), "made": made}

    def _repr_mimebundle_(self, **options: Any) -> Any:
        self._compute()  # a page without weights at hand shows what was set in the cell
        return super()._repr_mimebundle_(**options)

    def _summary(self) -> str:
        said = "; ".join(
            " → ".join(dict.fromkeys((one.before, one.after))) for one in self.translations.values()
        )
        return f"{self.text!r}: {said}"

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        return plots.translation_lab(source=(*self.tokens, END), sheets=drawn(self), row=self.row)
