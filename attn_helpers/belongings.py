"""A task small enough to train in seconds, on which heads can be counted: who owns what? Chapter 4.

Eight facts stand side by side, one token each: *anna: hat*, *emma: boat*, … A ninth token asks four
questions at once: what do four of them own? One layer of self-attention, and one linear map that reads four
answers off the ninth output. The measured table `data/heads.json` is what the text prints from.
"""

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from attn_helpers.multi_head import MultiHeadAttention
from attn_helpers.running import mode, one_thread
from attn_helpers.training.fingerprint import code_hash

PEOPLE = ("anna", "emma", "marie", "rose", "paul", "louis", "marc", "hugo")
THINGS = ("book", "hat", "key", "box", "boat", "car", "cake", "flower")
QUESTIONS = 4
HEADS = (1, 2, 4, 8, 16, 32)
WIDTH, STEPS, BATCH, RATE = 32, 600, 128, 5e-3
JUDGED = 4000  # cases, the same for every model


def draw(cases: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Who owns what, (cases, 8) numbers of things, and whom is asked about, (cases, 4) different people."""
    owned = torch.randint(len(THINGS), (cases, len(PEOPLE)), generator=generator)
    asked = torch.rand(cases, len(PEOPLE), generator=generator).argsort(1)[:, :QUESTIONS]
    return owned, asked


class Belongings(nn.Module):
    """One layer of self-attention over nine tokens; `heads` changes its form, not its size."""

    def __init__(self, heads: int, width: int = WIDTH) -> None:
        super().__init__()
        self.people = nn.Parameter(torch.randn(len(PEOPLE), width))
        self.things = nn.Parameter(torch.randn(len(THINGS), width))
        self.questions = nn.Parameter(torch.randn(QUESTIONS, len(PEOPLE), width))
        self.attention = MultiHeadAttention(width, heads)
        self.answers = nn.Linear(width, QUESTIONS * len(THINGS))

    def tokens(self, owned: Tensor, asked: Tensor) -> Tensor:
        """Eight facts and what is asked, each a sum of embeddings: (N, 9, width)."""
        facts = self.people + self.things[owned]  # (N, 8, width)
        question = self.questions[range(QUESTIONS), asked].sum(1, keepdim=True)  # (N, 1, width)
        return torch.cat([facts, question], dim=1)

    def forward(
        self, owned: Tensor, asked: Tensor, keep: Sequence[int] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Logits (N, 4, 8) of the four answers, and all weights (N, H, 9, 9)."""
        x = self.tokens(owned, asked)
        output, weights = self.attention(x, x, x, keep=keep)  # the same x three times
        logits: Tensor = self.answers(output[:, -1])  # (N, 4·8): the ninth token answers
        return logits.unflatten(-1, (QUESTIONS, len(THINGS))), weights  # type: ignore[no-untyped-call]


def train(heads: int, seed: int = 0, steps: int = STEPS) -> Belongings:
    """A trained model: new cases at every step, so nothing can be learned by heart."""
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(seed)
        model, generator = Belongings(heads), torch.Generator().manual_seed(seed)
        optimizer = torch.optim.Adam(model.parameters(), RATE)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
        for _ in range(steps):
            owned, asked = draw(BATCH, generator)
            logits, _ = model(owned, asked)
            loss = F.cross_entropy(logits.flatten(0, 1), owned.gather(1, asked).flatten())
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    return model.eval()


def right(model: Belongings, keep: Sequence[int] | None = None) -> list[float]:
    """The share of right answers to each of the four questions, with all heads or those of `keep`."""
    owned, asked = draw(JUDGED, torch.Generator().manual_seed(10**6))
    with torch.no_grad(), mode(model, train=False), one_thread():
        said = model(owned, asked, keep)[0].argmax(-1)  # (N, 4)
    shares: list[float] = (said == owned.gather(1, asked)).double().mean(0).tolist()
    return shares


def measure(heads: int, seed: int) -> dict[str, Any]:
    """One model of the table: its answers, and its answers without each of its heads in turn."""
    model = train(heads, seed)
    others = [[head for head in range(heads) if head != off] for off in range(heads)]
    return {"seed": seed, "right": right(model), "without": [right(model, keep) for keep in others]}


def code() -> str:
    """SHA-256 of the code that the table depends on."""
    return code_hash(["attn_helpers.belongings"])


def table() -> dict[int, list[dict[str, Any]]]:
    """The stored measurement: for each number of heads one entry of `measure` per seed."""
    return {int(heads): entries for heads, entries in stored()["rows"].items()}


def stored() -> dict[str, Any]:
    """The whole file, with the hash of the code it was measured with."""
    text = files("attn_helpers").joinpath("data", "heads.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


if __name__ == "__main__":  # python -m attn_helpers.belongings > attn_helpers/data/heads.json
    meta = {"code": code(), "torch": torch.__version__.split("+")[0]}
    rows = {str(heads): [measure(heads, seed) for seed in range(5)] for heads in HEADS}
    print(json.dumps({"meta": meta, "rows": rows}))
