"""What every widget shares: joined code, scoped style, checked traits, and a picture for places without widgets."""

import math
import re
from numbers import Real
from pathlib import Path
from typing import Any

import anywidget
from traitlets import TraitError, TraitType, Unicode

_HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import \{[^}\n]*\} from "\./([\w.-]+)";\n', re.MULTILINE)
_COMMENT = re.compile(r"/\*\*.*?\*/ ?|(?:^| )//[^\n]*", re.DOTALL | re.MULTILINE)
_NAMES = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (\w+|[{\[][^}\]]*)", re.MULTILINE)
_TEXT = re.compile(r'("(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)')
_SHORTER = [  # code between texts: what may go without changing what it does
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"\s*([{}()\[\],;:?=<>&|*!+])\s*", r"\1"),
        (r"\s+([-/])\s+(?![-/*])", r"\1"),
        (r"[,;]([)\]}])", r"\1"),
        (r"\((\w+)\)=>", r"\1=>"),
        (r"\b0\.(?=\d)", "."),
        (r"\bconst\b", "let"),
        (r"\s+", " "),
    )
]


def join_modules(*names: str) -> str:
    """One ES module out of the files of js/, each after those it imports from.

    The files stay modules that node and editors read one by one. Joined, they lose what only a reader needs:
    single-line relative imports, comments, spaces. Raises FileNotFoundError for a missing file, ValueError
    for what cannot be joined.
    """
    owner: dict[str, str] = {}
    parts = []
    for number, name in enumerate(names):
        text = _read("js", name)
        late = [wanted for wanted in _IMPORT.findall(text) if wanted not in names[:number]]
        if late:
            raise ValueError(f"js/{name} imports {late[0]}, which must be joined before it")
        code = _COMMENT.sub("", _IMPORT.sub("", text))
        if re.search(r"^import\b", code, re.MULTILINE):
            raise ValueError(f'js/{name}: only single-line imports such as import {{ dot }} from "./attn.js"')
        code = re.sub(r"^export (?!default)", "", code, flags=re.MULTILINE)
        for word in re.findall(r"\w+", " ".join(_NAMES.findall(code))):
            if owner.setdefault(word, name) != name:
                raise ValueError(f"js/{name} and js/{owner[word]} both define {word} at top level")
        parts.append(_squeeze(code, name))
    return "\n".join(parts)


def _squeeze(code: str, name: str) -> str:
    parts = _TEXT.split(code)  # code, text, code, text, …, code
    for text in parts[1::2]:
        if text.count("{") != text.count("}"):
            raise ValueError(f"js/{name}: a template inside a template cannot be joined: {text}")
    for pattern, instead in _SHORTER:
        parts[::2] = [pattern.sub(instead, part) for part in parts[::2]]
    parts[::2] = [part.strip() for part in parts[::2]]
    return "".join(parts)


def css(*names: str) -> str:
    """The design tokens, declared on .attn alone so that no name leaks, then the style sheets of css/."""
    tokens = re.sub(r":root|(?=\[data-theme)", ".attn", _read("css", "tokens.css"))
    sheets = [tokens.replace(".attn, .attn[", ".attn, .attn["), *(_read("css", name) for name in names)]
    return re.sub(r"/\*.*?\*/|^\s+|\n(?=\n)", "", "\n".join(sheets), flags=re.DOTALL | re.MULTILINE)


def _read(folder: str, name: str) -> str:
    path = _HERE / folder / name
    if not path.is_file():
        raise FileNotFoundError(f"attn_helpers.widgets needs {folder}/{name}; is the package complete? ({path})")
    return path.read_text(encoding="utf-8")


class Finite(TraitType[float, Any]):
    """A finite float between two limits. NaN or infinity in one trait would silence every widget of a page."""

    def __init__(self, default: float | None = 0.0, low: float = -math.inf, high: float = math.inf, **options: Any):
        super().__init__(default, **options)
        self.low, self.high = low, high
        limits = "" if math.isinf(high) else f" from {low:g} to {high:g}"
        self.info_text = f"a finite number{limits}"

    def validate(self, obj: Any, value: Any) -> float:
        """The value as a float, or a TraitError that names the trait."""
        number = finite(plain(value))
        if number is None or not self.low <= number <= self.high:
            raise refusal(self, obj, value)
        return number


class Vector(TraitType[tuple[float, ...], Any]):
    """A tuple of finite floats. Lists, NumPy arrays and tensors are taken, copied and frozen."""

    def __init__(self, default: Any, width: int = 2, **options: Any):
        super().__init__(default, **options)
        self.width = width
        self.info_text = f"{width} finite numbers"

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as a tuple, or a TraitError that names the trait."""
        vector = self.frozen(plain(value))
        if vector is None:
            raise refusal(self, obj, value)
        return vector

    def frozen(self, value: Any) -> Any:
        """The tuple, or None if the value is no such vector."""
        if not isinstance(value, list | tuple) or len(value) != self.width:
            return None
        numbers = tuple(finite(plain(x)) for x in value)
        return None if None in numbers else numbers


class Vectors(Vector):
    """A tuple of at least one vector, (S, width)."""

    def __init__(self, default: Any, width: int = 2, **options: Any):
        super().__init__(default, width, **options)
        self.info_text = f"at least one row of {width} finite numbers each"

    def frozen(self, value: Any) -> Any:
        """The tuple of tuples, or None if one row does not fit."""
        if not isinstance(value, list | tuple) or not value:
            return None
        rows = tuple(super(Vectors, self).frozen(plain(row)) for row in value)
        return None if None in rows else rows


class Tokens(TraitType[tuple[str, ...], Any]):
    """A tuple of at least one string. Any string is a token: nothing in it is ever taken for markup."""

    info_text = "at least one string"

    def validate(self, obj: Any, value: Any) -> tuple[str, ...]:
        """The value as a tuple, or a TraitError that names the trait."""
        if not isinstance(value, list | tuple) or not value or not all(isinstance(x, str) for x in value):
            raise refusal(self, obj, value)
        return tuple(value)


def plain(value: Any) -> Any:
    """Arrays and tensors as lists and numbers, all else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def finite(value: Any) -> float | None:
    """The float, or None for what is no finite real number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        return None
    return float(value)


def refusal(trait: Any, obj: Any, value: Any) -> TraitError:
    """The error that says which trait, what it takes, what came."""
    shown = repr(plain(value))
    shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
    return TraitError(f"{type(obj).__name__}.{trait.name} takes {trait.info_text}, got {shown}")


class AttnWidget(anywidget.AnyWidget):
    """Traits are the only state; drawing, here and in JavaScript, is a function of them.

    A subclass sets `_esm` and `_css`, says in `_summary` what it holds and draws it in `_picture`.
    """

    language = Unicode("en", help="of the words on the widget").tag(sync=True)

    _ipython_display_ = None  # ipywidgets 7 would show the widget without the picture

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
