"""Exercise: multi-head self-attention, one head after the other. Chapter 4."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise
from attn_helpers.scoring import attend

Heads = tuple[list[Tensor], list[Tensor], Tensor]  # outputs (B, T, v) and weights (B, T, T) per head, W_o
Join = Callable[[list[Tensor], Tensor], Tensor]


def _random(batch: int, tokens: int, width: int, heads: int, head_width: int, value_width: int) -> Answer:
    make = torch.Generator().manual_seed(0)
    shapes = (
        (batch, tokens, width),
        (heads, head_width, width),
        (heads, head_width, width),
        (heads, value_width, width),
        (width, heads * value_width),
    )
    return tuple(torch.randn(shape, generator=make) for shape in shapes)


def _joined(outputs: list[Tensor], mix: Tensor) -> Tensor:
    return torch.cat(outputs, dim=-1) @ mix.mT


def _loop(
    *,
    see: Callable[[Tensor, int, int], Tensor] = lambda x, head, heads: x,
    over: Callable[[int, int], float] = lambda d, width: math.sqrt(d),
    values: str = "v",
    join: Join = _joined,
    weigh: Callable[[Tensor], Tensor] = lambda scores: scores.softmax(-1),
    first: str = "",
) -> Callable[..., Answer]:
    """All heads in turn. see: what head i gets of x; over: divides q·k; values: whose vectors are blended;
    weigh: makes weights of scores; first: of which matrices each head takes those of head 0."""

    def answer(x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, W_o: Tensor) -> Answer:  # noqa: N803
        outputs, every = [], []
        for i in range(len(W_q)):
            seen = see(x, i, len(W_q))
            stacks = {"q": W_q, "k": W_k, "v": W_v}
            made = {name: seen @ W[0 if name in first else i].mT for name, W in stacks.items()}
            weights = weigh(made["q"] @ made["k"].mT / over(W_q.shape[1], x.shape[-1]))
            outputs.append(weights @ made[values])
            every.append(weights)
        if outputs[0].shape[-1] != W_v.shape[1]:  # keys cannot stand in for values of another width
            return torch.full_like(x, math.nan), torch.stack(every, 1)
        return join(outputs, W_o), torch.stack(every, 1)

    return answer


def _slice(x: Tensor, head: int, heads: int) -> Tensor:
    """x with all but the head's share of the width set to 0: what slicing x and the parameter comes to."""
    share = x.shape[-1] // heads
    kept = torch.zeros_like(x)
    kept[..., head * share : (head + 1) * share] = x[..., head * share : (head + 1) * share]
    return kept


def _slice_first(x: Tensor, head: int, heads: int) -> Tensor:
    """The head's share of x against the first columns of the parameter."""
    share = x.shape[-1] // heads
    kept = torch.zeros_like(x)
    kept[..., :share] = x[..., head * share : (head + 1) * share]
    return kept


def _causal(scores: Tensor) -> Tensor:
    return scores.masked_fill(torch.ones_like(scores).triu(1) > 0, -math.inf).softmax(-1)


def _viewed(*given: Tensor) -> Answer:
    """All heads in one product, told apart by a view without a transpose."""
    x, W_q, W_k, W_v, W_o = given  # noqa: N806
    size, heads = len(x), len(W_q)
    query, key, value = (
        (x @ w.flatten(0, 1).mT).reshape(size, heads, x.shape[1], -1) for w in (W_q, W_k, W_v)
    )
    output, weights = attend(query, key, value)
    return _joined(list(output.unbind(1)), W_o), weights


def _averaged(outputs: list[Tensor], mix: Tensor) -> Tensor:
    return torch.cat([torch.stack(outputs).mean(0)] * len(outputs), -1) @ mix.mT


def _same_map(*given: Tensor) -> Answer:
    """The mean of the heads' weights, used by every head."""
    x, _, _, W_v, W_o = given  # noqa: N806
    mean = _loop()(*given)[1].mean(1)  # (B, T, T)
    return _joined([mean @ (x @ w.mT) for w in W_v], W_o), mean


def _mean_shown(*given: Tensor) -> Answer:
    output, weights = _loop()(*given)
    return output, weights.mean(1)


def _unmixed(*given: Tensor) -> Answer:
    x, W_q, W_k, W_v, _ = given  # noqa: N806
    heads = [attend(x @ q.mT, x @ k.mT, x @ v.mT)[0] for q, k, v in zip(W_q, W_k, W_v, strict=True)]
    return torch.cat(heads, -1), _loop()(*given)[1]


def _averaged_first(outputs: list[Tensor], mix: Tensor) -> Tensor:
    return torch.stack(outputs).mean(0) @ mix[:, : outputs[0].shape[-1]].mT


_SLICE = (
    "each of your heads sees a slice of x. What is divided is the width of the projections: every "
    "head reads the whole of x with its own W_q[i], W_k[i], W_v[i]"
)
_MEAN = (
    "you average the heads before W_o: what two heads found becomes one mixture. Join them side by "
    "side, torch.cat(heads, dim=-1), and let W_o do the mixing"
)
BY_LOOP = Exercise(
    arguments=("x", "W_q", "W_k", "W_v", "W_o"),
    parts=("output", "weights"),
    examples=(lambda: _random(2, 5, 6, 3, 4, 4), lambda: _random(3, 2, 8, 2, 5, 3)),
    right=_loop(),
    praise="many heads: each sees the whole input, and W_o mixes what they found.",
    sizes_hint=(
        "; a head multiplies all of x, (B, T, m), by its own W_q[i], (d, m): x @ W_q[i].mT. "
        "The joined heads, (B, T, H·v), meet W_o, (m, H·v), in the same way: side by side, neither "
        "averaged nor added up"
    ),
    mistakes=(
        (_loop(see=_slice), _SLICE),
        (_loop(see=_slice_first), _SLICE),
        (
            _viewed,
            "your view (B, H, T, d) has the right shape and the wrong words: the heads got whole tokens, not "
            "d numbers of each. View as (B, T, H, d), then transpose(1, 2)",
        ),
        (
            _loop(weigh=lambda scores: scores.softmax(-2)),
            "your columns sum to 1, not your rows: each query shares its weight out among the keys, so it is "
            "softmax(-1)",
        ),
        (
            _loop(weigh=lambda scores: scores.softmax(0)),
            "your softmax runs over the batch, so sentences compete: softmax(-1), over the keys",
        ),
        (
            _loop(weigh=lambda scores: scores),
            "there is no softmax: these are scores, their rows do not sum to 1",
        ),
        (
            _loop(weigh=_causal),
            "your words do not see the words after them: no mask is asked for, each word asks all of them",
        ),
        (_loop(first="qk"), "all your heads look with the matrices of head 0: head i has W_q[i] and W_k[i]"),
        (_loop(first="v"), "all your heads blend the values of head 0: head i has W_v[i]"),
        (
            _loop(over=lambda d, width: math.sqrt(width)),
            "you divide by √m, the width of x; a head's q·k adds up d products, so divide by √d of the head",
        ),
        (_loop(over=lambda d, width: 1.0), "the scores are not scaled: divide q·k by √d of the head"),
        (
            _loop(over=lambda d, width: float(d)),
            "you divide by d: the spread of q·k grows like √d, so divide by √d",
        ),
        (
            _loop(values="k"),
            "your heads blend their keys. A key says where to look, a value what is found there: weights @ v",
        ),
        (_loop(values="q"), "your heads blend their queries; blend the values: weights @ v"),
        (_loop(join=_averaged), _MEAN),
        (_loop(join=_averaged_first), _MEAN),
        (
            _loop(join=lambda heads, mix: _joined(heads, mix) / len(heads)),
            "your output is the right one divided by H: W_o joins the heads by a sum, not by a mean",
        ),
        (_same_map, "all your heads use the mean of their weights: each blends with its own weights"),
        (
            _mean_shown,
            "the output is right, the weights are averaged over the heads: return all, (B, H, T, T)",
        ),
        (
            _loop(join=lambda heads, mix: _joined(heads[::-1], mix)),
            "the heads are joined in the reverse order: the first columns of W_o belong to head 0",
        ),
        (_unmixed, "these are the joined heads; W_o is still to come: joined @ W_o.mT"),
    ),
)
