"""Models on their way to TranslationLab: packed for the page, or kept for Python; what PyTorch wrote, as JSON."""

import copy
from typing import Any

from attn_helpers.corpus.vocabulary import Vocabulary
from attn_helpers.operating import Written, heads_of
from attn_helpers.seq2seq import Decoder, Seq2Seq
from attn_helpers.widgets.model_payload import pack_model, rounded


def expect_fit(model: Any, vocabularies: tuple[Vocabulary, Vocabulary]) -> None:
    """Raise TypeError or ValueError for what cannot translate with these words and be operated on."""
    if not isinstance(model, Seq2Seq):
        raise TypeError(f"models must be Seq2Seq, Transformers among them, got {type(model).__name__}")
    if type(model.decoder) is Decoder or getattr(model.decoder, "score", "") == "uniform":
        raise ValueError("models must choose where they look, got one without attention")
    for side, vocabulary, part in zip(("source", "target"), vocabularies, (model.encoder, model.decoder), strict=True):
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
