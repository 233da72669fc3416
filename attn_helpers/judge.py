"""How an exercise is judged: run the reader's function, say in words what its answer shows.

Knows nothing of attention; the exercises and their tables of known mistakes are in exercises/.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real

import torch
from torch import Tensor

Answer = tuple[Tensor, ...]
TOLERANCES = {torch.float16: 1e-2, torch.bfloat16: 6e-2}  # of what came back, for numbers of about size 1
TOLERANCE = 1e-5  # float32 and wider
WHOLE = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)


@dataclass(frozen=True)
class Exercise:
    """What is asked, what is right, and what each known wrong answer reveals."""

    arguments: tuple[str, ...]  # the names of what the function is given
    parts: tuple[str, ...]  # the names of what it returns, all float tensors
    examples: tuple[Callable[[], Answer], ...]  # arguments to try; the later ones have other sizes
    right: Callable[..., Answer]
    mistakes: tuple[tuple[Callable[..., Answer], str], ...]  # (gives a wrong answer, what it reveals)
    praise: str
    sizes_hint: str = ""  # said when the code stops because sizes do not fit


def verdict(exercise: Exercise, function: Callable[..., object]) -> str:
    """One line: "✓ …", or "not yet: …" with the misconception where it is known."""
    if not callable(function):
        kind = type(function).__name__
        return f"not yet: hand over the function itself, its name without brackets; this is of type {kind}"
    first = exercise.examples[0]()
    for number, example in enumerate(exercise.examples):
        inputs = example()
        if trouble := _trouble(exercise, function, inputs):
            again = _beyond_the_first(first, inputs) if number else ""
            return f"not yet: {again}{trouble}"
    return f"✓ {exercise.praise}"


def _beyond_the_first(first: Answer, inputs: Answer) -> str:
    """What is new about an example that a function fails after it was right for the first."""
    if all(one.shape == other.shape for one, other in zip(first, inputs, strict=True)):
        return "right for one example, but not for other numbers: "
    return "right for one example, but not for other sizes (is a size typed in?): "


def _trouble(exercise: Exercise, function: Callable[..., object], inputs: Answer) -> str:
    """What is wrong on this example, in words; empty when nothing is."""
    given, right = tuple(tensor.clone() for tensor in inputs), exercise.right(*inputs)
    try:
        answer = _tensors(function(*given), right)
    except NotImplementedError:
        answer = None
    except (Exception, SystemExit) as error:  # whatever a reader's code may raise belongs into the sentence
        sizes = ", ".join(
            f"{name} {tuple(x.shape) if x.ndim else x.item()}"
            for name, x in zip(exercise.arguments, inputs, strict=True)
        )
        reason = (str(error).strip() or "no message").splitlines()[0]
        hint = exercise.sizes_hint if re.search(r"(?:\b|_)sizes?\b|\bshapes?\b|dimension", reason) else ""
        return f"your function stopped with {type(error).__name__}: {reason} (it was given {sizes}){hint}"
    if form := _form(exercise.parts, answer, right):
        return _recognised(exercise, inputs, answer, right) or form
    for name, before, after in zip(exercise.arguments, inputs, given, strict=True):
        if not torch.equal(before, after):
            return f"your function changes {name} in place; make a new tensor instead"
    mine: Sequence[Tensor] = answer if isinstance(answer, tuple | list) else [answer]  # type: ignore[list-item]
    return _content(exercise, inputs, mine, right)


def _tensors(answer: object, right: Answer) -> object:
    """The answer; where one number is asked for, a number of Python or NumPy is as good as a tensor of it."""
    if len(right) != 1 or right[0].ndim or isinstance(answer, bool):
        return answer
    if isinstance(answer, Real):
        return torch.tensor(float(answer), dtype=right[0].dtype)
    if isinstance(answer, Tensor) and answer.dtype in WHOLE:
        return answer.to(right[0].dtype)
    return answer


def _recognised(exercise: Exercise, inputs: Answer, answer: object, right: Answer) -> str:
    """The known mistake that gives all parts, even of the wrong shape; empty when there is none."""
    parts = answer if isinstance(answer, tuple | list) else (answer,)
    if len(parts) == len(exercise.parts) and all(isinstance(part, Tensor) for part in parts):
        if all(_same(part, other) for part, other in zip(parts, right, strict=True)):
            return ""  # right values of a wrong kind: a mistake that shares them reveals nothing
        for mistake, says in exercise.mistakes:
            if all(_same(part, other) for part, other in zip(parts, mistake(*inputs), strict=True)):
                return says
    return ""


def _form(names: tuple[str, ...], answer: object, right: Answer) -> str:
    """What is wrong with the number, kind, order or shape of the parts."""
    wanted = ", ".join(names)
    if answer is None:
        return f"your function returns nothing (None); let it return {wanted}"
    if isinstance(answer, Tensor) and len(names) > 1:
        known = [name for name, part in zip(names, right, strict=True) if _same(answer, part)]
        return f"you return {known[0] if known else 'one tensor'} alone; return {wanted}"
    if isinstance(answer, dict | set):
        return f"you return a {type(answer).__name__}; return {wanted} themselves, with a comma between them"
    parts = answer if isinstance(answer, tuple | list) else (answer,)
    if len(parts) != len(names):
        things = "1 thing" if len(parts) == 1 else f"{len(parts)} things"
        return f"you return {things}; return {len(names)}: {wanted}"
    for name, part, other in zip(names, parts, right, strict=True):
        if kind := _odd_kind(part):
            due = "a tensor of floats" if other.ndim else "one number"
            return f"{name} should be {due}, yours is of type {kind}"
    shapes, asked = [tuple(part.shape) for part in parts], [tuple(part.shape) for part in right]
    if shapes != asked and shapes == asked[::-1]:
        return f"the order is the other way round; return {wanted}"
    for name, mine, expected in zip(names, shapes, asked, strict=True):
        if mine != expected:
            swapped = ": two axes have changed places" if sorted(mine) == sorted(expected) else ""
            return f"{name} should have the shape {expected}, yours has {mine}{swapped}"
    return ""


def _odd_kind(part: object) -> str:
    """What a part is that is no tensor of floats; empty when it is one."""
    if isinstance(part, Tensor):
        return "" if part.is_floating_point() else str(part.dtype)
    return type(part).__name__


def _content(exercise: Exercise, inputs: Answer, mine: Sequence[Tensor], right: Answer) -> str:
    """What is wrong with the numbers: the known mistake that explains most parts, else where they are off."""
    wrong = [i for i, part in enumerate(mine) if not _same(part, right[i])]
    if not wrong:
        return ""
    explained = []  # per mistake: how many parts it gives, how far off it is, and what it reveals
    for mistake, says in exercise.mistakes:
        others = mistake(*inputs)
        same = [_same(part, other) for part, other in zip(mine, others, strict=True)]
        if any(same[i] for i in wrong):
            off = sum(float((mine[i] - others[i]).abs().nan_to_num().max()) for i in wrong if same[i])
            explained.append((-sum(same), round(off, 5), says))
    if explained:
        return min(explained, key=lambda one: one[:2])[2]  # of equals the first in the table
    last = wrong[-1]
    name, part = exercise.parts[last], mine[last].detach()
    if not torch.isfinite(part).all():
        return f"{name} holds NaN or infinity"
    place = (part - right[last]).abs().argmax()
    index = tuple(int(i) for i in torch.unravel_index(place, part.shape))
    got, due = _apart(float(part[index]), float(right[last][index]))
    return f"{name}{list(index) if index else ''} is {got}, it should be {due}"


def _apart(mine: float, right: float) -> tuple[str, str]:
    """Both numbers with four decimals, or with as many more as it takes to tell them apart."""
    texts = [(f"{mine:.{places}f}", f"{right:.{places}f}") for places in range(4, 17)]
    return next((pair for pair in texts if pair[0] != pair[1]), (repr(mine), repr(right)))


def _same(mine: Tensor, right: Tensor) -> bool:
    near = TOLERANCES.get(mine.dtype, TOLERANCE)
    mine = mine.detach().to(right.dtype)
    return mine.shape == right.shape and torch.allclose(
        mine, right, rtol=near, atol=near, equal_nan=True
    )  # a known mistake may end in NaN, what is right never does
