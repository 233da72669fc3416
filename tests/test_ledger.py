"""The ledger against tensors, PyTorch's counter and formulas; shape comments are held to their word."""

import re
import sys
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from attn_helpers import ledger as ledger_module
from attn_helpers import scoring
from attn_helpers.attention_seq2seq import AttentionDecoder, LuongDecoder
from attn_helpers.layers import DecoderLayer, EncoderLayer, Sizes
from attn_helpers.ledger import (
    cache_bytes,
    count_flops,
    explain,
    multi_head_ledger,
    multi_head_pass,
    record,
    split_in_words,
    step_ledger,
    transformer_ledger,
)
from attn_helpers.ledger.axes import names, solve, terms, value
from attn_helpers.ledger.source import read, shapes_of
from attn_helpers.ledger.whole_pass import cached_step, training_pass
from attn_helpers.masks import causal_mask
from attn_helpers.multi_head import MultiHeadAttention
from attn_helpers.positions import PlacedEmbedding, rotation, sinusoids
from attn_helpers.scoring import AdditiveScore, attend
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.transformer import Transformer

PACKAGE = Path(scoring.__file__).parent
B, S, T, E, H = 3, 7, 5, 11, 2
SOURCE_WORDS, TARGET_WORDS, STATE, OWN, HIDDEN = 13, 17, 6, 19, 23
LENGTHS = torch.tensor([7, 2, 3])


def inputs():
    make = torch.Generator().manual_seed(0)
    source = torch.randint(4, SOURCE_WORDS, (B, S), generator=make)
    target = torch.randint(4, TARGET_WORDS, (B, T), generator=make)
    return source, LENGTHS, target


def translator(decoder, *, layers=1, bidirectional=False, own=OWN, **options):
    encoder = Encoder(SOURCE_WORDS, E, STATE, layers, bidirectional=bidirectional)
    return Seq2Seq(encoder, decoder(TARGET_WORDS, E, own, layers, STATE, **options))


def rows(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(len(shape)))


TRANSLATORS = {
    "plain": lambda: translator(Decoder),
    "same width": lambda: translator(Decoder, own=STATE, layers=2),
    "bidirectional": lambda: translator(Decoder, bidirectional=True, layers=2),
    "additive": lambda: translator(AttentionDecoder, layers=2, attention=HIDDEN, bidirectional=True),
    "bilinear": lambda: translator(AttentionDecoder, score="bilinear"),
    "uniform": lambda: translator(AttentionDecoder, score="uniform"),
    "dot": lambda: translator(AttentionDecoder, score="dot", own=STATE),
    "cosine": lambda: translator(AttentionDecoder, score="cosine", own=STATE),
    "luong": lambda: translator(LuongDecoder, attention=HIDDEN),
}


def a_step(model):
    source, lengths, target = inputs()
    return model.step, target[:, 0], model.start(source, lengths)


def transformer(**changes):
    return Transformer(SOURCE_WORDS, TARGET_WORDS, Sizes(22, H, 29, layers=4, **changes))


def later_step(model):
    """The third word: two stand in the cache."""
    source, lengths, target = inputs()
    state = model.start(source, lengths)
    for token in target[:, :2].unbind(1):
        state = model.step(token, state).state
    return model.step, target[:, 2], state


def one_layer():
    """What the whole pass, line by line, is run on."""
    source, _, target = inputs()
    model = Transformer(SOURCE_WORDS, TARGET_WORDS, Sizes(22, H, 29, layers=1))
    return model, source, target


def a_cached_step():
    model, source, target = one_layer()
    state = model.start(source, torch.full((B,), S))
    for token in target[:, :4].unbind(1):
        state = model.step(token, state).state
    return model.decoder, target[:, 4], tuple(state.past[0]), tuple(state.source[0])


QKV = rows(B, T, 10), rows(B, S, 14), rows(B, S, 13)
PASSES = {  # name → what is run on what
    **{name: lambda make=make: (make(), *inputs()) for name, make in TRANSLATORS.items()},
    **{f"{name}, a step": lambda make=make: a_step(make()) for name, make in TRANSLATORS.items()},
    "heads": lambda: (MultiHeadAttention(10, H, key_width=14, value_width=13, head_value_width=17), *QKV),
    "heads, masked": lambda: (MultiHeadAttention(10, H, key_width=14, value_width=13), *QKV, LENGTHS),
    "heads, by loop": lambda: (MultiHeadAttention(10, H, key_width=14, value_width=13).forward_loop, *QKV),
    "heads, by loop, masked": lambda: (MultiHeadAttention(10, H).forward_loop, *[QKV[0]] * 3, [5, 2, 3]),
    "heads, a mask for all": lambda: (
        MultiHeadAttention(10, H, key_width=14, value_width=13),
        *QKV,
        torch.ones(T, S, dtype=torch.bool),
    ),
    "by lines": lambda: (multi_head_pass, MultiHeadAttention(10, H), *(rows(B, n, 10) for n in (T, S, S))),
    **{
        f"transformer, {norm}": lambda norm=norm: (transformer(norm=norm, bias=norm == "post"), *inputs())
        for norm in ("pre", "post")
    },
    "transformer, learned places": lambda: (transformer(positions="learned"), *inputs()),
    "transformer, no places": lambda: (transformer(positions="none"), *inputs()),
    "transformer, a step": lambda: later_step(transformer()),
    "transformer, all heads": lambda: (transformer().look, *inputs()),
    "transformer, the first step": lambda: a_step(transformer()),
    "encoder layer": lambda: (EncoderLayer(Sizes(22, H, 29)), rows(B, S, 22)),
    "decoder layer": lambda: (
        DecoderLayer(Sizes(22, H, 29)),
        rows(B, T, 22),
        *(transformer().start(*inputs()[:2]).past[0], transformer().start(*inputs()[:2]).source[0]),
        *(causal_mask(T), None),
    ),
    "an embedding with its place": lambda: (
        PlacedEmbedding(TARGET_WORDS, 22),
        inputs()[2],
        torch.arange(T).expand(B, T),
    ),
    "waves": lambda: (sinusoids, 7, 22),
    "a rotation": lambda: (rotation, 3, 22),
    "the whole pass, by lines": lambda: (training_pass, *one_layer(), causal_mask(T)),
    "a cached step, by lines": lambda: (cached_step, *a_cached_step()),
    **{
        score: lambda score=score: (attend, rows(B, T, E), rows(B, S, E), rows(B, S, 2), None, score)
        for score in ("dot", "scaled_dot", "cosine")
    },
    "additive score": lambda: (AdditiveScore(10, 14, HIDDEN), *QKV[:2]),
    "bilinear score": lambda: (scoring.bilinear_score, *QKV[:2], rows(10, 14)),
    "kernel regression": lambda: (scoring.nadaraya_watson, rows(T), rows(S), rows(S), 2.0),
}


@pytest.fixture(params=PASSES)
def a_pass(request):
    torch.manual_seed(0)
    return PASSES[request.param]()


# ---- what the code says of its shapes -----------------------------------------------------------------


def test_every_shape_comment_is_true(a_pass):
    """A comment says (B, T, S) where the tensor is (B, S, T), and the reader believes it."""
    ledger = record(*a_pass)
    assert ledger.trouble == ""
    assert ledger.contradictions == ()
    assert len(ledger.rows) >= 1


def claimed(path):
    """Lines of a file with a comment on a shape, within functions and result classes."""
    source = read(str(path))
    lines = {s.first for s in source.statements.values() if s.shapes and s.kind}
    return lines | {line for fields in source.fields.values() for _, line in fields.values()}


def test_every_shape_comment_was_held_against_a_tensor():
    """A comment that no pass reaches is one that nobody checks."""
    seen = set()
    for make in PASSES.values():
        seen |= {(Path(file).name, line) for file, line in record(*make()).checked}
    for name in ("scoring", "seq2seq", "attention_seq2seq", "multi_head", *OTHERS):
        path = PACKAGE / f"{name}.py"
        missed = {line for line in claimed(path) if (path.name, line) not in seen}
        assert missed == set(), name
        assert name in ("batch_mask", "layers") or len(claimed(path)) > 3


OTHERS = (
    *("batch_mask", "positions", "layers", "transformer"),
    *("ledger/by_lines", "ledger/whole_pass"),
)
LIES = [  # a true comment, and one that is not
    ("# (B, T, 3h), all steps at once", "# (B, T, 4h), all steps at once"),
    ("# (B, S, a): W_k", "# (S, B, a): W_k"),
    ("# (B, T, a)", "# (B, a)"),
    ("# (L, B, h)\n", "# (B, L, h)\n"),
    (
        "stacked = torch.stack(states, dim=1)  # (B, T, h)",
        "stacked = torch.stack(states, dim=1)  # (T, B, h)",
    ),
]


@pytest.mark.parametrize(("true", "lie"), LIES)
def test_a_comment_that_lies_is_found(true, lie, tmp_path, monkeypatch):
    """The check of comments passes whatever they say."""
    text = (PACKAGE / "attention_seq2seq.py").read_text("utf-8")
    assert text.count(true) >= 1
    path = tmp_path / "lying.py"
    path.write_text(text.replace(true, lie, 1), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("attn_helpers.ledger.trace.PACKAGE", str(tmp_path))
    monkeypatch.delitem(sys.modules, "lying", raising=False)
    import lying

    ledger = record(translator(lying.AttentionDecoder, attention=HIDDEN), *inputs())
    read.cache_clear()
    assert ledger.trouble == ""
    assert ledger.contradictions != ()
    assert all("lying.py:" in said for said in ledger.contradictions)


def test_a_lie_is_told_in_words(tmp_path):
    """The reader learns that something is wrong, and not what."""

    def wrong(query, key):
        """query (B, T, d), key (B, S, d)."""
        scores = query @ key.mT  # (B, S, T)
        return scores

    ledger = record(wrong, rows(2, 3, 5), rows(2, 7, 5))
    assert [re.sub(r":\d+", "", said) for said in ledger.contradictions] == [
        "test_ledger.py scores: S is 7, but the tensor (2, 3, 7) has 3 there",
        "test_ledger.py scores: T is 3, but the tensor (2, 3, 7) has 7 there",
    ]


# ---- rows -----------------------------------------------------------------------------------------------


def test_rows_have_the_shapes_of_their_tensors(a_pass):
    """A letter in the table stands for another number than the tensor has."""
    ledger = record(*a_pass)
    for row in ledger.rows:
        sizes = [value(axis, ledger.sizes) for axis in row.axes if axis != "…"]
        assert sizes == list(row.sizes[len(row.sizes) - len(sizes) :]), row


def test_the_pass_of_several_heads_row_by_row():
    """A row is missing, or the letters of an inner function are taken for the layer's own."""
    layer = MultiHeadAttention(10, H, key_width=14, value_width=13, head_value_width=17)
    ledger = record(layer, *QKV, LENGTHS)
    assert [(row.name, row.axes, row.sizes) for row in ledger.rows] == [
        ("query", ("B", "T", "width"), (3, 5, 10)),
        ("key", ("B", "S", "key_width"), (3, 7, 14)),
        ("value", ("B", "S", "value_width"), (3, 7, 13)),
        ("split_heads()", ("B", "H", "S", "d"), (3, 2, 7, 5)),
        ("split_heads()", ("B", "H", "S", "v"), (3, 2, 7, 17)),
        ("mask", ("B", "1", "S"), (3, 1, 7)),
        ("split_heads()", ("B", "H", "T", "d"), (3, 2, 5, 5)),
        ("scores", ("B", "H", "T", "S"), (3, 2, 5, 7)),
        ("found", ("B", "H", "T", "v"), (3, 2, 5, 17)),
        ("output", ("B", "T", "width"), (3, 5, 10)),
        ("weights", ("B", "H", "T", "S"), (3, 2, 5, 7)),
    ]


def test_the_line_beside_a_row_is_the_one_that_made_it():
    """The reader looks at a line that has nothing to do with the shape."""
    for row in multi_head_ledger().rows[3:]:
        line = (PACKAGE / "ledger" / row.file).read_text("utf-8").splitlines()[row.line - 1]
        assert line.strip().startswith(row.name)
        assert line.strip().startswith(row.source)
        assert f"({', '.join(row.axes)})" in line


def test_steps_of_a_loop_are_one_row():
    """Twenty words make twenty times the same rows."""
    ledger = record(TRANSLATORS["additive"](), *inputs())
    assert ledger["asked"].times == T
    assert ledger["now"].times == T
    assert ledger["asked"].flops >= T * 2 * B * OWN * HIDDEN
    assert ledger["inputs"].times == 1


def test_the_table_can_be_read():
    """The printed table hides a size, a line, or a sum."""
    said = str(multi_head_ledger())
    first, head, *lines = said.splitlines()
    assert first == "multi_head_pass: B = 2, T = 4, m = 8, S = 5, H = 2, d = 4, v = 4"
    assert head.split() == ["tensor", "shape", "numbers", "FLOPs", "made", "by"]
    assert re.match(
        r"q_heads +\(B 2, H 2, T 4, d 4\) +64 +by_lines.py:\d+  q_heads = q_cut.transpose\(1, 2\)$", lines[5]
    )
    assert lines[-1] == "parameters 256, FLOPs 5888, kept for later steps 640 bytes"
    assert repr(multi_head_ledger()) == "Ledger(multi_head_pass: 13 rows, 256 parameters, 5888 FLOPs)"
    with pytest.raises(KeyError, match="no row 'skores'; it has query, key"):
        multi_head_ledger()["skores"]


def test_recording_changes_nothing(a_pass):
    """Under the ledger the model gives another answer, or afterwards something is left running."""
    run, *given = a_pass
    before = sys.gettrace()
    torch.manual_seed(1)
    expected = run(*given)
    torch.manual_seed(1)
    ledger = record(run, *given)
    assert sys.gettrace() is before
    flat = list(ledger_module.trace.tensors_in(ledger.output))
    wanted = list(ledger_module.trace.tensors_in(expected))
    assert len(flat) == len(wanted) > 0
    for got, want in zip(flat, wanted, strict=True):
        torch.testing.assert_close(got, want, rtol=0, atol=0)
        assert got.requires_grad == want.requires_grad


def test_by_lines_is_the_layer():
    """The widget shows the steps of another layer than the one that is used."""
    layer = MultiHeadAttention(10, H).double()
    given = [rows(B, n, 10).double() for n in (T, S, S)]
    torch.testing.assert_close(multi_head_pass(layer, *given), layer(*given)[0], rtol=0, atol=1e-12)


def test_only_what_can_be_called_is_recorded():
    """A tensor passed for a model ends in a riddle."""
    with pytest.raises(TypeError, match="run must be a model or a function, got Tensor"):
        record(rows(2, 3))


# ---- counts ---------------------------------------------------------------------------------------------


def test_flops_are_those_that_pytorch_counts(a_pass):
    """The ledger's sum, or the sum of its rows, is not the number of multiplications and additions."""
    run, *given = a_pass
    with FlopCounterMode(display=False) as counter:
        run(*given)
    ledger = record(run, *given)
    assert ledger.flops == counter.get_total_flops() == count_flops(run, *given)[0]
    assert sum(row.flops for row in ledger.rows) <= ledger.flops


def gru(tokens, width, state):
    """FLOPs of a GRU layer: three gates from the input and three from the state."""
    return 2 * tokens * 3 * state * (width + state)


def test_flops_of_the_translators_by_hand():
    """PyTorch's counter leaves out the recurrent layers, and so do we."""
    words, steps = int(LENGTHS.sum()), B * T  # padding is packed away
    read_alone = gru(words, E, STATE)
    bridge, choice = 2 * B * STATE * OWN, 2 * steps * OWN * TARGET_WORDS
    plain = record(TRANSLATORS["plain"](), *inputs())
    assert plain.flops == read_alone + bridge + gru(steps, E + STATE, OWN) + choice
    bilinear = record(TRANSLATORS["bilinear"](), *inputs())
    looking = 2 * B * S * STATE * OWN + 2 * steps * S * OWN + 2 * steps * S * STATE
    assert bilinear.flops == plain.flops + looking


@pytest.mark.parametrize(
    "sizes", [(2, 4, 5, 8, 2), (1, 1, 1, 1, 1), (3, 5, 7, 22, 2), (2, 2, 3, 12, 6), (5, 3, 2, 21, 3)]
)
def test_the_rules_give_what_is_counted(sizes):
    """The widget's numbers at other sizes are not those of the layer."""
    batch, queries, keys, width, heads = sizes
    ledger = multi_head_ledger(*sizes)
    letters = {"B": batch, "T": queries, "S": keys, "m": width, "H": heads}
    letters |= {name: value(ledger.rules[name], letters) for name in "dv"}
    layer = MultiHeadAttention(width, heads)
    given = torch.randn(batch, queries, width), *(torch.randn(batch, keys, width),) * 2
    with FlopCounterMode(display=False) as counter:
        layer(*given)
    assert ledger.flops == sum(row.flops for row in ledger.rows) == counter.get_total_flops()
    for row in ledger.rows:
        assert row.flops == (value(row.rule, letters) if row.rule else 0), row.name
        assert row.sizes == tuple(value(axis, letters) for axis in row.axes)
    assert ledger.parameters == value(ledger.rules["parameters"], letters)
    assert ledger.parameters == sum(p.numel() for p in layer.parameters())
    kept = layer.project(*given[1:])
    assert ledger.cache_bytes == value(ledger.rules["cache"], letters)
    assert ledger.cache_bytes == sum(len(t.detach().numpy().tobytes()) for t in kept)


@pytest.mark.parametrize(
    "sizes",
    [(2, 5, 4, 8, 2, 16, 11), (1, 1, 1, 1, 1, 1, 5), (3, 7, 5, 22, 2, 13, 17), (2, 3, 3, 12, 6, 5, 7)],
)
def test_the_rules_of_the_transformer(sizes):
    """At other sizes the page shows sums of another model than the package's."""
    batch, source, target, width, heads, inner, words = sizes
    letters = {"B": batch, "S": source, "T": target, "t": target, "m": width, "H": heads}
    letters |= {"f": inner, "V": words, "d": width // heads, "v": width // heads}
    model = Transformer(words, words, Sizes(width, heads, inner, layers=1)).eval()
    ids = torch.zeros(batch, source, dtype=torch.long), torch.zeros(batch, target, dtype=torch.long)
    full = torch.full((batch,), source)
    state = model.start(ids[0], full)
    for token in ids[1].unbind(1):
        state = model.step(token, state).state
    whole, step = transformer_ledger(*sizes), step_ledger(*sizes)
    for ledger, run, given in (
        (whole, model, (ids[0], full, ids[1])),
        (step, model.step, (ids[1][:, 0], state)),
    ):
        with FlopCounterMode(display=False) as counter:
            run(*given)
        assert ledger.contradictions == ()
        assert ledger.flops == sum(row.flops for row in ledger.rows) == counter.get_total_flops()
        for row in ledger.rows:
            assert row.flops == (value(row.rule, letters) if row.rule else 0), row
            assert row.sizes == tuple(value(axis, letters) for axis in row.axes)
        assert ledger.parameters == value(ledger.rules["parameters"], letters)
        assert ledger.parameters == sum(p.numel() for p in model.parameters())
    after = model.step(ids[1][:, 0], state).state
    assert step.cache_bytes == value(step.rules["cache"], letters) == cache_bytes(after.past, after.source)
    assert whole.cache_bytes == value(whole.rules["cache"], letters) == 0


def test_the_whole_pass_is_the_model():
    """The widget shows the steps of another Transformer than the one that is used."""
    model, source, target = one_layer()
    model = model.double()
    wanted = model(source, torch.full((B,), S), target).logits
    mine = training_pass(model, source, target, causal_mask(T))
    torch.testing.assert_close(mine, wanted, rtol=0, atol=1e-12)
    state = model.start(source, torch.full((B,), S))
    past, memory = tuple(state.past[0]), tuple(state.source[0])
    for place, token in enumerate(target.unbind(1)):
        logits, past = cached_step(model.decoder, token, past, memory)
        torch.testing.assert_close(logits, wanted[:, place], rtol=0, atol=1e-12)


def test_a_step_keeps_what_it_adds():
    """Each step adds one word's keys and values, in every layer and head; a whole pass those of all."""
    model = transformer()
    run, token, state = later_step(model)
    each = 4 * 2 * B * 22  # float32, keys and values, all heads: H·d = 22
    assert record(run, token, state).cache_bytes == model.sizes.layers * each
    assert record(model, *inputs()).cache_bytes == model.sizes.layers * (S + T) * each


def test_what_is_kept_for_later_steps():
    """Keys and values are counted twice, or the mask with them."""
    layer = MultiHeadAttention(10, H, key_width=14, value_width=13, head_value_width=17)
    assert record(layer, *QKV).cache_bytes == 4 * B * H * S * (5 + 17)
    assert record(layer.double(), *(x.double() for x in QKV)).cache_bytes == 8 * B * H * S * (5 + 17)
    additive = record(TRANSLATORS["additive"](), *inputs())
    assert additive.cache_bytes == 4 * B * S * (HIDDEN + STATE)
    dot = record(TRANSLATORS["dot"](), *inputs())
    assert dot.cache_bytes == 4 * B * S * STATE  # the states are keys and values in one
    assert record(TRANSLATORS["plain"](), *inputs()).cache_bytes == 4 * B * STATE  # c alone
    one = torch.zeros(3, 5)
    assert cache_bytes((one, [one, torch.ones(7, dtype=torch.bool)])) == 60


@pytest.mark.parametrize("name", TRANSLATORS)
def test_parameters_are_counted(name):
    """The table's parameters are not the model's."""
    model = TRANSLATORS[name]()
    assert record(model, *inputs()).parameters == sum(p.numel() for p in model.parameters()) > 0


# ---- misfits in words -----------------------------------------------------------------------------------

MISFITS = [
    (
        lambda: functional.linear(rows(8, 10), rows(6, 8)),
        "(8, 10) @ (8, 6) is no product: each row on the left brings 10 numbers, each column on the right "
        "asks for 8; if the right one is stored the other way round, use .mT",
    ),
    (
        lambda: torch.bmm(rows(2, 4, 8), rows(2, 5, 8)),
        "these matrices have no product: each row on the left brings 8 numbers, each column on the right "
        "asks for 5; if the right one is stored the other way round, use .mT",
    ),
    (
        lambda: torch.bmm(rows(2, 4, 8), rows(3, 8, 5)),
        "the two stacks of matrices differ in number: 2 on the left, 3 on the right",
    ),
    (
        lambda: rows(2, 4, 5) + rows(2, 3, 5),
        "axis 1 is 4 in the one and 3 in the other: they must be equal, or one of them 1 (axes are lined up "
        "from the last one)",
    ),
    (
        lambda: rows(2, 4, 10).view(2, 4, 4, 2),
        "80 numbers do not fill the shape (2, 4, 4, 2), which holds 2·4·4·2 = 64",
    ),
    (lambda: rows(2, 5).reshape(4, -1), "10 numbers do not fill the shape (4, -1): 10 = 4·2 + 2"),
    (
        lambda: rows(2, 3, 5).transpose(1, 2).view(2, 15),
        "view only relabels numbers as they lie in memory, and after a transpose they no longer lie in that "
        "order: use reshape, or flatten, which copy them",
    ),
    (
        lambda: torch.cat([rows(2, 3, 5), rows(2, 4, 5)], dim=-1),
        "tensors that are joined may differ in axis 2 alone; another one is 3 here, 4 there",
    ),
    (
        lambda: nn.GRU(5, 3, batch_first=True)(rows(2, 4, 7)),
        "the recurrent layer reads rows of width 5, and got rows of width 7",
    ),
    (
        lambda: nn.LayerNorm(5)(rows(2, 4, 7)),
        "the norm is over a last axis of width 5; the tensor (2, 4, 7) has 7 there",
    ),
    (lambda: rows(2, 3)[:, 4], "axis 1 has 3 places, 0 to 2; 4 is none of them"),
]


@pytest.mark.parametrize(("fails", "sentence"), MISFITS)
def test_a_misfit_is_explained(fails, sentence):
    """The reader gets a message full of numbers, and no word on what they are for."""
    with pytest.raises((RuntimeError, IndexError)) as caught:
        fails()
    assert explain(caught.value) == sentence


def test_other_errors_keep_their_words():
    """An error that is not about shapes is explained as if it were."""
    assert explain(ValueError("a riddle\nsecond line")) == "a riddle"


@pytest.mark.parametrize(
    ("width", "heads", "said"),
    [
        (10, 4, "d_model 10 does not split into 4 heads: 10 = 4·2 + 2"),
        (8, 3, "d_model 8 does not split into 3 heads: 8 = 3·2 + 2"),
        (2, 4, "d_model 2 does not split into 4 heads: 2 = 4·0 + 2"),
        (8, 2, "d_model 8 splits into 2 heads of width 4: 8 = 2·4"),
    ],
)
def test_a_split_in_words(width, heads, said):
    """The rest is wrong, or the sentence says no where the layer says yes."""
    assert split_in_words(width, heads) == said
    if "not" in said:
        with pytest.raises(ValueError, match=re.escape(said.removeprefix("d_model "))):
            multi_head_ledger(width=width, heads=heads)
    else:
        assert multi_head_ledger(width=width, heads=heads).rows[5].sizes == (2, heads, 4, width // heads)


def test_a_pass_that_fails_keeps_its_rows():
    """The table is gone just when it is needed."""
    ledger = record(MultiHeadAttention(10, H), rows(B, T, 9), rows(B, S, 10), rows(B, S, 10))
    assert [row.name for row in ledger.rows] == ["query", "key", "value", "split_heads()"]
    assert ledger.output is None
    said, where = ledger.trouble.splitlines()
    assert said == "query must have the shape (B, tokens, 10), got (3, 5, 9)"
    assert re.fullmatch(r'  at multi_head.py:\d+  self._check\("query", query, self.width\)', where)
    assert str(ledger).endswith(f"! {ledger.trouble}")


def test_the_line_of_a_misfit_is_named():
    """The reader is told why, and not where."""

    def mine(query, key):
        """query (B, T, d), key (B, S, d)."""
        if query.ndim == 3:
            try:
                raise KeyError
            except KeyError:
                key = key * 2  # (B, S, d)
        scores = query @ key  # (B, T, S)
        return scores

    ledger = record(mine, rows(2, 4, 8), rows(2, 5, 8))
    assert [row.name for row in ledger.rows] == ["query", "key", "key"]
    assert re.search(r"at test_ledger.py:\d+  scores = query @ key$", ledger.trouble)


# ---- letters --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comment", "shapes"),
    [
        ("(B, T, S)", [("", ("B", "T", "S"))]),
        ("(B, 1, h), (L, B, h)", [("", ("B", "1", "h")), ("", ("L", "B", "h"))]),
        ("(L, B, h) and c (B, c)", [("", ("L", "B", "h")), ("c", ("B", "c"))]),
        ("final (L · directions, B, h / directions)", [("final", ("L · directions", "B", "h / directions"))]),
        ("(B, T, H·d) → (B, H, T, d)", [("", ("B", "H", "T", "d"))]),
        ("(B, S, a): W_k h_i does not change", [("", ("B", "S", "a"))]),
        ("(..., T, 1), 0 where nothing is allowed", [("", ("...", "T", "1"))]),
        (
            "output (B, T, width), weights (B, H, T, S)",
            [("output", ("B", "T", "width")), ("weights", ("B", "H", "T", "S"))],
        ),
        ("(B,)", [("", ("B",))]),
        ("once per sentence (see below)", []),
        ("(see below)", []),
        ("[W_y W_c] [y; c] = W_y y + W_c c", []),
    ],
)
def test_comments_are_read(comment, shapes):
    """A comment of ours is not understood, or prose is taken for a shape."""
    assert list(map(tuple, shapes_of(comment))) == shapes


def test_axes_are_sums_of_products():
    """3h is taken for a letter, or a sum for a product."""
    sizes = {"h": 5, "E": 7, "c": 2, "H": 3, "d": 4, "directions": 2}
    cases = {"3h": 15, "E + c": 9, "H·d": 12, "h / directions": 2.5, "2·H·d + 3·c": 30, "1": 1}
    assert {axis: float(value(axis, sizes)) for axis in cases} == cases
    assert names("2·H·d + 3·c") == ["H", "d", "c"]
    assert value("q", sizes) is None
    assert solve("3h", 15, {}) == ("h", 5)
    assert solve("3h", 16, {}) is None
    assert solve("E + c", 9, {"E": 7}) == ("c", 2)
    assert solve("h / directions", 3, {"h": 6}) == ("directions", 2)
    assert solve("h / directions", 3, {}) is None
    for wrong in ("", "H·", "H d-1", "+ h", "(h)"):
        with pytest.raises(ValueError, match="an axis is a sum of products"):
            terms(wrong)


def test_an_inner_letter_gets_the_outer_name():
    """Cut into heads, keys are counted with the letter of the queries."""
    ledger = record(MultiHeadAttention(10, H), rows(B, T, 10), rows(B, S, 10), rows(B, S, 10))
    cut = [row.axes for row in ledger.rows if row.name == "split_heads()"]
    assert cut == [("B", "H", "S", "d"), ("B", "H", "T", "d")]
    square = record(MultiHeadAttention(10, H), *[rows(B, T, 10)] * 3)  # T = S: both letters are right
    assert [row.axes for row in square.rows if row.name == "split_heads()"] == [("B", "H", "T", "d")]


def test_cells_of_a_notebook_are_read_too():
    """The reader's own line with a shape behind it is not recorded."""
    import linecache

    text = "def mine(x):\n    y = x.mT  # (d, T)\n    return y\n"
    name = "<cell 1>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    row = record(space["mine"], rows(2, 3)).rows[0]
    assert (row.name, row.axes, row.sizes, row.file, row.line) == ("y", ("d", "T"), (3, 2), "cell", 2)
