"""Still pictures of every chapter, and of every widget where no script runs. One colour norm: weights 0–1."""

from attn_helpers.plots.attention_walk import attention_walk
from attn_helpers.plots.charts import bars, heatmap, histograms, lines, regression
from attn_helpers.plots.colours import RAMP
from attn_helpers.plots.drawn_curve import drawn_curve
from attn_helpers.plots.encoder_decoder import encoder_decoder
from attn_helpers.plots.flow_chart import score_explorer
from attn_helpers.plots.gains import gains
from attn_helpers.plots.gold_links import gold_links
from attn_helpers.plots.heatmaps import heatmaps
from attn_helpers.plots.ink import Picture, style
from attn_helpers.plots.many_dimensions import many_dimensions
from attn_helpers.plots.masks import mask_lab
from attn_helpers.plots.museum_room import museum_room
from attn_helpers.plots.position_waves import position_waves
from attn_helpers.plots.progress import progress
from attn_helpers.plots.seq2seq import seq2seq_stepper
from attn_helpers.plots.shape_ledger import shape_ledger
from attn_helpers.plots.training_replay import training_replay
from attn_helpers.plots.transformer import transformer
from attn_helpers.plots.translation_lab import Sheet, translation_lab
from attn_helpers.plots.weight_map import Gold, weight_map
from attn_helpers.plots.weight_ribbons import weight_ribbons

__all__ = [
    "RAMP",
    "Gold",
    "Picture",
    "Sheet",
    "attention_walk",
    "bars",
    "drawn_curve",
    "encoder_decoder",
    "gains",
    "gold_links",
    "heatmap",
    "heatmaps",
    "histograms",
    "lines",
    "many_dimensions",
    "mask_lab",
    "museum_room",
    "position_waves",
    "progress",
    "regression",
    "score_explorer",
    "seq2seq_stepper",
    "shape_ledger",
    "style",
    "training_replay",
    "transformer",
    "translation_lab",
    "weight_map",
    "weight_ribbons",
]
