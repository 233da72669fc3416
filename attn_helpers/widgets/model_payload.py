"""A trained encoder-decoder on its way to a page: 16 bits a weight. Browser twins: js/gru.js, transformer.js.

Every row of a weight matrix travels as one float32 scale and int16 shares of it, so that no weight is off by
more than the row's largest / 65534. A chapter's model of 270,000 weights takes half a megabyte.
"""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.transformer import Transformer, TransformerDecoder, TransformerEncoder

STEPS = 32767
MOST_WEIGHTS = 2_000_000  # 4 MB: what a page of a book can still be asked to load

Weights = dict[str, NDArray[np.float32]]


def pack_model(model: Seq2Seq) -> tuple[bytes, dict[str, Any]]:
    """The model's weights as bytes, and what is where: {"tensors": [[name, rows, columns], …], "layers", …}.

    A Transformer's layout says "kind": "transformer", and what no weight's shape shows.

    Bytes are little-endian: all scales (float32), then all shares (int16), in the order of the tensors.
    Raises TypeError for another kind of model, ValueError for NaN, infinity, or more than 2 million weights.
    """
    _expect_known(model)
    tables = {name: np.atleast_2d(value.detach().cpu().numpy()) for name, value in model.state_dict().items()}
    count = sum(table.size for table in tables.values())
    if count > MOST_WEIGHTS:
        raise ValueError(
            f"model must have at most {MOST_WEIGHTS:,} weights to travel to a page, got {count:,}"
        )
    scales, shares = [], []
    for name, table in tables.items():
        if not np.isfinite(table).all():
            raise ValueError(f"model must have finite weights, got NaN or infinity in {name}")
        scale = np.abs(table).max(axis=1, keepdims=True).astype("<f4")  # (rows, 1)
        scales.append(scale)
        shares.append(
            np.rint(table / np.where(scale == 0, 1, scale) * STEPS).clip(-STEPS, STEPS).astype("<i2")
        )
    return b"".join(part.tobytes() for part in scales + shares), _layout(model, tables)


def unpack_model(payload: bytes, layout: dict[str, Any]) -> Weights:
    """The weights as the page reads them, by name, (rows, columns)."""
    tensors = layout["tensors"]
    scales = np.frombuffer(payload, "<f4", sum(rows for _, rows, _ in tensors))
    shares = np.frombuffer(payload, "<i2", offset=scales.nbytes)
    weights, row, cell = {}, 0, 0
    for name, rows, columns in tensors:
        scale = scales[row : row + rows, None].astype(np.float64)
        share = shares[cell : cell + rows * columns].reshape(rows, columns)
        weights[name] = (scale * share / STEPS).astype(np.float32)
        row, cell = row + rows, cell + rows * columns
    return weights


def rounded(model: Seq2Seq) -> Seq2Seq:
    """A copy of the model with the weights that the page computes with, ready to be asked: no dropout."""
    twin = copy.deepcopy(model).cpu().float().eval()
    weights = unpack_model(*pack_model(model))
    twin.load_state_dict(
        {
            name: torch.from_numpy(weights[name]).reshape(value.shape)
            for name, value in twin.state_dict().items()
        }
    )
    return twin


def _layout(model: Seq2Seq, tables: dict[str, Any]) -> dict[str, Any]:
    encoder, decoder = model.encoder, model.decoder
    tensors = [[name, *table.shape] for name, table in tables.items()]
    if isinstance(model, Transformer):
        sizes = {name: getattr(model.sizes, name) for name in ("layers", "heads", "norm", "positions")}
        return {"kind": "transformer", "tensors": tensors, **sizes}
    return {
        "tensors": tensors,
        "layers": decoder.layers,
        "directions": 2 if encoder.rnn.bidirectional else 1,
        "score": getattr(decoder, "score", "none"),  # "none": the same c at every step
    }


def _expect_known(model: Any) -> None:
    """The page's scripts know these and nothing else: a subclass may compute what no page would."""
    kinds = [type(getattr(model, part, None)) for part in ("encoder", "decoder")]
    if type(model) is Transformer and kinds == [TransformerEncoder, TransformerDecoder]:
        return
    if (
        not isinstance(model, Seq2Seq)
        or kinds[0] is not Encoder
        or kinds[1] not in (Decoder, AttentionDecoder)
    ):
        got = type(model).__name__ + (
            f" of {kinds[0].__name__} and {kinds[1].__name__}" if None not in kinds else ""
        )
        raise TypeError(
            "model must be a Transformer, or a Seq2Seq of an Encoder and a Decoder or AttentionDecoder, "
            f"got {got}"
        )
