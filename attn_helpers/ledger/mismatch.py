"""Why shapes do not fit, in words: PyTorch's messages name numbers, these name what the numbers are for."""

import re
from collections.abc import Callable

Numbers = tuple[int, ...]


def split_in_words(width: int, heads: int, name: str = "d_model") -> str:
    """How a width is shared out among heads: "d_model 10 does not split into 4 heads: 10 = 4·2 + 2"."""
    each, rest = divmod(width, heads)
    if rest:
        return f"{name} {width} does not split into {heads} heads: {width} = {heads}·{each} + {rest}"
    return f"{name} {width} splits into {heads} heads of width {each}: {width} = {heads}·{each}"


def explain(error: BaseException) -> str:
    """The error in words; its own where it is not one of PyTorch's on shapes."""
    said = str(error).partition("\n")[0]
    for pattern, sentence in _SENTENCES:
        if found := re.search(pattern, said):
            return sentence(*found.groups())
    return said


def _numbers(text: str) -> Numbers:
    return tuple(int(number) for number in re.findall(r"-?\d+", text))


def _product(left: str, right: str) -> str:
    (rows, inner), (other, columns) = _numbers(left), _numbers(right)
    return (
        f"({rows}, {inner}) @ ({other}, {columns}) is no product: each row on the left brings {inner} "
        f"numbers, each column on the right asks for {other}; if the right one is stored the other way "
        "round, use .mT"
    )


def _products(batch: str, inner: str, got: str, other: str) -> str:
    want, has = _numbers(f"{batch} {inner}"), _numbers(f"{got} {other}")
    if want[0] != has[0]:
        return f"the two stacks of matrices differ in number: {want[0]} on the left, {has[0]} on the right"
    return (
        f"these matrices have no product: each row on the left brings {want[1]} numbers, "
        f"each column on the right asks for {has[1]}; if the right one is stored the other way round, use .mT"
    )


def _broadcast(left: str, right: str, axis: str) -> str:
    return (
        f"axis {axis} is {left} in the one and {right} in the other: they must be equal, or one of them 1 "
        "(axes are lined up from the last one)"
    )


def _reshape(shape: str, size: str) -> str:
    sizes, total = _numbers(shape), int(size)
    known = [n for n in sizes if n >= 0]
    product = 1
    for number in known:
        product *= number
    text = "·".join(map(str, known))
    if len(known) == len(sizes):
        return f"{total} numbers do not fill the shape {sizes}, which holds {text} = {product}"
    rest = f" + {total % product}" if product else ""
    return f"{total} numbers do not fill the shape {sizes}: {total} = {text}·{total // max(product, 1)}{rest}"


def _strided() -> str:
    return (
        "view only relabels numbers as they lie in memory, and after a transpose they no longer lie in that "
        "order: use reshape, or flatten, which copy them"
    )


def _joined(axis: str, want: str, got: str) -> str:
    return f"tensors that are joined may differ in axis {axis} alone; another one is {want} here, {got} there"


def _state(want: str, got: str) -> str:
    return f"the recurrent layer reads rows of width {want}, and got rows of width {got}"


def _norm(want: str, got: str) -> str:
    width, shape = _numbers(want)[-1], _numbers(got)
    return f"the norm is over a last axis of width {width}; the tensor {shape} has {shape[-1]} there"


def _index(index: str, axis: str, size: str) -> str:
    return f"axis {axis} has {size} places, 0 to {int(size) - 1}; {index} is none of them"


_SENTENCES: list[tuple[str, Callable[..., str]]] = [
    (r"mat1 and mat2 shapes cannot be multiplied \((\d+x\d+) and (\d+x\d+)\)", _product),
    (
        r"size for first two dimensions of batch2 tensor to be: \[(\d+), (\d+)\] but got: \[(\d+), (\d+)\]",
        _products,
    ),
    (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\).* dimension (\d+)", _broadcast),
    (r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)", _reshape),
    (r"view size is not compatible with input tensor's size and stride", _strided),
    (r"must match except in dimension (\d+). Expected size (\d+) but got size (\d+)", _joined),
    (r"input.size\(-1\) must be equal to input_size. Expected (\d+), got (\d+)", _state),
    (r"Given normalized_shape=\[([\d, ]+)\], expected input with shape .* size\s?\[([\d, ]+)\]", _norm),
    (r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)", _index),
]
