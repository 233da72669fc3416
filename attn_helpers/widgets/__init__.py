"""The book's widgets: one Python class each, one ES module, the same in JupyterLab, Colab and the static book."""

from attn_helpers.widgets.attention_heatmap import AttentionHeatmap
from attn_helpers.widgets.score_explorer import ScoreExplorer

__all__ = ["AttentionHeatmap", "ScoreExplorer"]
