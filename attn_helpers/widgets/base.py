"""What every widget is: a live view, a short name, and a picture for places without widgets."""

from contextlib import suppress
from difflib import get_close_matches
from typing import Any

import anywidget
from traitlets import Unicode

from attn_helpers.widgets.assets import css, join_modules
from attn_helpers.widgets.traits import Finite, Tokens, Vector, Vectors

__all__ = ["AttnWidget", "Finite", "Tokens", "Vector", "Vectors", "css", "join_modules"]


class AttnWidget(anywidget.AnyWidget):
    """Traits are the only state; drawing, here and in JavaScript, is a function of them.

    A subclass sets `_esm` and `_css`, says in `_summary` what it holds and draws it in `_picture`.
    """

    language = Unicode("en", help="of the words on the widget").tag(sync=True)
    _trouble = Unicode(help="why Python could not follow the page, which shows it").tag(sync=True)

    _ipython_display_ = None  # ipywidgets 7 would show the widget without the picture

    def __init__(self, **traits: Any):
        unknown = next((name for name in traits if not self.has_trait(name)), None)
        if unknown is not None:
            known = [name for name in self.trait_names() if not name.startswith("_")]
            near = get_close_matches(unknown, known, 1, cutoff=0)
            raise TypeError(f"{type(self).__name__} has no argument {unknown!r}; the nearest is {near[0]!r}")
        super().__init__(**traits)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take over what the reader changed on the page.

        There is no cell that an error could appear under, be it of a function that observes this widget or of
        a value that a trait refuses: the widget's own face says it, and shows again what Python holds.
        """
        try:
            super().set_state(sync_data)
        except Exception as error:
            with suppress(Exception):  # one that observes all traits may fail again
                self._trouble = f"{type(error).__name__}: {error}"
            self.send_state([name for name in sync_data if name in self.keys])
            raise
        self._trouble = ""

    def _summary(self) -> str:
        raise NotImplementedError

    def _picture(self) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        """Short, and the same in every run: it stands in stored outputs."""
        return f"{type(self).__name__}({self._summary()})"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and a picture of this state for GitHub, print and editors without widgets."""
        live = super()._repr_mimebundle_(**options) if self.comm is not None else None
        data, metadata = live or ({}, {})
        still, about = self._picture()._repr_mimebundle_()
        data = {**data, "text/plain": repr(self), "image/png": still["image/png"]}
        return data, {**metadata, "image/png": about["image/png"]}
