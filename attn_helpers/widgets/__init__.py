"""The book's widgets: a Python class and an ES module each; the same in JupyterLab, Colab and the book."""

from attn_helpers.widgets.attention_heatmap import AttentionHeatmap
from attn_helpers.widgets.drawn_curve import DrawnCurve
from attn_helpers.widgets.mask_lab import MaskLab
from attn_helpers.widgets.museum_room import MuseumRoom
from attn_helpers.widgets.position_waves import PositionWaves
from attn_helpers.widgets.score_explorer import ScoreExplorer
from attn_helpers.widgets.seq2seq_stepper import Seq2SeqStepper
from attn_helpers.widgets.shape_ledger import ShapeLedger
from attn_helpers.widgets.training_replay import TrainingReplay
from attn_helpers.widgets.translation_lab import TranslationLab

__all__ = [
    "AttentionHeatmap", "DrawnCurve", "MaskLab", "MuseumRoom", "PositionWaves", "ScoreExplorer",
    "Seq2SeqStepper", "ShapeLedger", "TrainingReplay", "TranslationLab",
]  # fmt: skip
