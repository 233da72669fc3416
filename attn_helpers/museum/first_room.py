"""The first room: six faults of sequence-to-sequence models with attention, in words. Chapter 3."""

from attn_helpers.museum.exhibit import Exhibit, Met
from attn_helpers.museum.first_faults import FAULTS

FIRST_ROOM: tuple[Exhibit, ...] = (
    Exhibit(
        name="fault-wrong-axis",
        short="wrong axis",
        title="The softmax runs over the batch.",
        fine="Every weight lies between 0 and 1, and no shape has changed.",
        because="The scores are (B, 1, S). Along axis 0 the sentences of a batch compete for a place in the "
        "source, and a sentence by itself gives every word the weight 1.",
        number="row-sums",
        met=(
            Met("PetrochukM/PyTorch-NLP#2", "weights that were 1 whatever went in: softmax along axis 0"),
            Met("therne/dmn-tensorflow#6", "a softmax over the batch in place of the facts"),
            Met("labmlai/annotated_deep_learning_paper_implementations#282", "over queries, not keys"),
        ),
        fault=FAULTS["fault-wrong-axis"],
    ),
    Exhibit(
        name="fault-context-unused",
        short="encoder ignored",
        title="The context is computed, and nobody uses it.",
        fine="The weights are a proper softmax over the source, and every row sums to 1.",
        because="The decoder still gets the encoder's last state, and learns from that alone. What attention "
        "finds goes nowhere. A linter that reports unused names would have seen it, too.",
        number="without-states",
        met=(
            Met("Zhenye-Na/DA-RNN#14", "a list of attention-weighted inputs that nothing reads"),
            Met("INK-USC/RE-Net#6", "an attention layer that was left out of the forward pass"),
        ),
        fault=FAULTS["fault-context-unused"],
    ),
    Exhibit(
        name="fault-mask-flipped",
        short="mask flipped",
        title="The mask says where to look, and the code takes it for where not to.",
        fine="Nothing fails: where there is no padding, a word may look at nothing, and its context is zero.",
        because="All weight goes to padding. The states there are zeros, so every context is zero: step by "
        "step it is the same training as that of the ignored encoder.",
        number="on-padding",
        met=(
            Met("rasbt/LLMs-from-scratch#1061", "a mask for one convention handed to the other"),
            Met("lucidrains/halonet-pytorch#4", "masked_fill fills where the mask is true"),
        ),
        fault=FAULTS["fault-mask-flipped"],
    ),
    Exhibit(
        name="fault-padding-leaks",
        short="padding leaks",
        title="The mask is left out.",
        fine="Rows sum to 1, and a sentence by itself has no padding: its picture is in order.",
        because="In a batch with longer sentences padding takes a share of the weight: what a sentence is "
        "translated to depends on its neighbours. In batches of like lengths, as here, even the share of "
        "right translations hardly moves.",
        number="alone",
        met=(
            Met("OpenNMT/OpenNMT-py#272", "sensible with one sentence at a time, and not with several"),
            Met(
                "OpenNMT/OpenNMT-py#67", "hardly any difference in training, with sentences sorted by length"
            ),
            Met("IBM/pytorch-seq2seq#141", "lengths reached the encoder, and not the attention"),
            Met("AnubhavGupta3377/Text-Classification-Models-Pytorch#5", "another answer in a longer batch"),
        ),
        fault=FAULTS["fault-padding-leaks"],
    ),
    Exhibit(
        name="fault-state-dropped",
        short="state dropped",
        title="At inference, each step hands on the state that it was given.",
        fine="Training never runs through this line: loss and picture are those of the right model.",
        because="Free running, every step starts from the encoder's last state and knows only the word "
        "before. Reading at once and reading step by step must agree about the same words.",
        number="step-by-step",
        met=(
            Met("upskyy/ContextNet#4", "the new state gets a name that is never read"),
            Met("pytorch/examples#88", "the same in training: the old state at every step"),
        ),
        fault=FAULTS["fault-state-dropped"],
    ),
    Exhibit(
        name="fault-labels-unshifted",
        short="labels unshifted",
        title="The decoder reads the very word that it is asked for.",
        fine="The loss has never been so low.",
        because="Copying is easy and needs no source; free running, there is nothing to copy. A guess must "
        "not change when its label does.",
        number="foresight",
        met=(
            Met("Project-MONAI/GenerativeModels#314", "trained to predict token N from the tokens 0 to N"),
            Met(
                "jadore801120/attention-is-all-you-need-pytorch#19",
                "its cousin, a decoder that sees the future: 98 % right in training, nonsense afterwards",
            ),
        ),
        fault=FAULTS["fault-labels-unshifted"],
    ),
)
