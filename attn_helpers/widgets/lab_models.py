"""Models on their way to TranslationLab: packed for the page or kept for Python; what PyTorch wrote."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from attn_helpers.change_rates import change_rates
from attn_helpers.corpus import corpus
from attn_helpers.corpus.vocabulary import Vocabulary
from attn_helpers.ladder import vocabularies
from attn_helpers.operating import Written
from attn_helpers.seq2seq import Decoder, Seq2Seq
from attn_helpers.steering import heads_of
from attn_helpers.trained import load_trained
from attn_helpers.widgets.model_payload import pack_model, rounded

NAMES = {"bahdanau-bidirectional": "GRU with attention", "transformer": "Transformer"}
END = "⟨end⟩"


class Translated(NamedTuple):
    """What one model made of a sentence: as trained, and after the operations."""

    before: str
    after: str
    log_prob_before: float  # of all words and their end
    log_prob_after: float


def translated(before: Written, after: Written, words: Vocabulary) -> Translated:
    """Both translations in words."""
    said = [" ".join(words.names(one.ids)) for one in (before, after)]
    return Translated(said[0], said[1], sum(before.log_probs), sum(after.log_probs))


def trained_models(rows: Sequence[str]) -> dict[str, Any]:
    """What TranslationLab is made of for rows of the ladder: models, their words, their change rates.

    A model alone goes without a name. Raises KeyError for a model that does not travel with the package.
    """
    names = {row: NAMES.get(row, row) if len(rows) > 1 else "" for row in rows}
    train, known = corpus(0).train, change_rates()["rates"]
    return {
        "models": {name: load_trained(row) for row, name in names.items()},
        "vocabularies": vocabularies(train),
        "rates": {name: known[row] for row, name in names.items() if row in known},
        "longest": max(len(pair.source) for pair in train),
    }


def as_named(models: Any, vocabularies: tuple[Vocabulary, Vocabulary]) -> dict[str, Seq2Seq]:
    """The models by name; one alone has none. Raises TypeError or ValueError for what cannot be shown."""
    named = dict(models) if isinstance(models, Mapping) else {"": models}
    if not named:
        raise ValueError("models must hold at least one model, got an empty mapping")
    for model in named.values():
        _expect_fit(model, vocabularies)
    return named


def _expect_fit(model: Any, vocabularies: tuple[Vocabulary, Vocabulary]) -> None:
    """Raise TypeError or ValueError for what cannot translate with these words and be operated on."""
    if not isinstance(model, Seq2Seq):
        raise TypeError(f"models must be Seq2Seq, Transformers among them, got {type(model).__name__}")
    if type(model.decoder) is Decoder or getattr(model.decoder, "score", "") == "uniform":
        raise ValueError("models must choose where they look, got one without attention")
    for side, vocabulary, part in zip(
        ("source", "target"), vocabularies, (model.encoder, model.decoder), strict=True
    ):
        if len(vocabulary) != part.words:
            raise ValueError(
                f"the {side} vocabulary must have the model's {part.words} numbers, got {len(vocabulary)}"
            )


def pack(model: Seq2Seq, in_page: bool) -> tuple[bytes, dict[str, Any]]:
    """Weights and layout for the page, with the number of (layers, heads) that look at the source as "shape".

    Raises TypeError for a model that no page can compute, with the way out.
    """
    shape = {"shape": list(heads_of(model))}
    if not in_page:
        return b"", shape
    try:
        payload, layout = pack_model(model)
    except TypeError as error:
        raise TypeError(f'{error}; with engine="python" a live kernel translates with it') from error
    return payload, {**layout, **shape}


def ready(model: Seq2Seq, in_page: bool) -> Seq2Seq:
    """The model that Python asks: with the page's very weights, or a copy of the model as it is."""
    return rounded(model) if in_page else copy.deepcopy(model).cpu().eval()


def sheet(written: Written) -> dict[str, Any]:
    """A translation as the page keeps it; seven digits of each number."""
    rows = [[[round(w, 7) for w in head] for head in step] for step in written.rows.tolist()]
    log_probs = [round(x, 7) for x in written.log_probs]
    return {"ids": written.ids, "log_probs": log_probs, "rows": rows, "ended": written.ended}


def room(made: Sequence[Sequence[dict[str, Any]]]) -> tuple[int, int]:
    """Height in px, wide and on a phone, of translations as `sheet` has them: see js/lab_look.js."""
    rows, many = [len(now["rows"]) for _, now in made], len(made) > 1
    long = len(made[0][0]["rows"][0][0]) > 9
    wide = max(rows) * (36 if long else 52 if many else 62) + (575 if many else 410)
    return wide, sum(rows) * (48 if long else 52) + (1500 if many else 795)


def drawn(lab: Any) -> list[Any]:
    """What the still picture shows of each model of a TranslationLab."""
    from attn_helpers.plots import Sheet

    sheets = []
    for model, steps, (name, said) in zip(lab._models, lab.written, lab.translations.items(), strict=True):
        words = lab._vocabularies[1].names(steps[-1].ids) + [END] * steps[-1].ended
        delta = said.log_prob_after - said.log_prob_before if lab.operations else None
        weights = _shown(steps[-1], heads_of(model), lab.head)
        sheets.append(Sheet(name, words, weights, said.before, said.after, delta))
    return sheets


def _shown(written: Written, shape: tuple[int, int], head: tuple[int, int] | None) -> Any:
    """One head's rows, or the mean of all where there is no such head: (steps, S)."""
    rows = written.rows.double().numpy()
    if head is None or head[0] >= shape[0] or head[1] >= shape[1]:
        return rows.mean(1)
    return rows[:, head[0] * shape[1] + head[1]]
