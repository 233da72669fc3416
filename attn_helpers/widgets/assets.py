"""Code and style of widgets: many small files to read, one string to carry, since that is what hosts take."""

import re
from pathlib import Path

_HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import \{[^}\n]*\} from "\./([\w.-]+)";\n', re.MULTILINE)
_NAMES = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (\w+|[{\[][^}\]]*)", re.MULTILINE)
_TEXT = re.compile(r'("(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)')
_COMMENT = re.compile(_TEXT.pattern + r"|/\*.*?\*/|//[^\n]*", re.DOTALL)  # what starts first wins


def join_modules(*names: str) -> str:
    """One ES module out of the files of js/, each after those it imports from.

    The files stay modules that node and editors read one by one. Joined, they lose their single-line relative
    imports, and their comments, a third of what travels. Raises FileNotFoundError for a missing file,
    ValueError for what cannot be joined.
    """
    owner: dict[str, str] = {}
    parts = []
    for number, name in enumerate(names):
        text = _read("js", name)
        late = [wanted for wanted in _IMPORT.findall(text) if wanted not in names[:number]]
        if late:
            raise ValueError(f"js/{name} imports {late[0]}, which must be joined before it")
        code = _without_comments(_IMPORT.sub("", text), name)
        if re.search(r"^import\b", code, re.MULTILINE):
            raise ValueError(f'js/{name}: only single-line imports such as import {{ dot }} from "./attn.js"')
        code = re.sub(r"^export (?!default)", "", code, flags=re.MULTILINE)
        for word in re.findall(r"\w+", " ".join(_NAMES.findall(code))):
            if owner.setdefault(word, name) != name:
                raise ValueError(f"js/{name} and js/{owner[word]} both define {word} at top level")
        parts.append(code.strip())
    return "\n".join(parts)


def _without_comments(code: str, name: str) -> str:
    code = _COMMENT.sub(lambda found: found[1] or "", code)
    for text in _TEXT.findall(code):
        if text.count("{") != text.count("}"):
            raise ValueError(f"js/{name}: a template inside a template cannot be joined: {text}")
    return code


def css(*names: str) -> str:
    """The design tokens, declared on .attn alone so that no name leaks, then style sheets of css/."""
    tokens = re.sub(r":root|(?=\[data-theme)", ".attn", _read("css", "tokens.css"))
    sheet = re.sub(
        r"/\*.*?\*/", "", "\n".join([tokens, *(_read("css", name) for name in names)]), flags=re.DOTALL
    )
    sheet = re.sub(r"\s*([{};,])\s*|(?<=[\w-]:)\s+", r"\1", sheet)
    return re.sub(r"\s+", " ", sheet.replace(";}", "}")).strip()


def _read(folder: str, name: str) -> str:
    path = _HERE / folder / name
    if not path.is_file():
        raise FileNotFoundError(
            f"attn_helpers.widgets needs {folder}/{name}; is the package complete? ({path})"
        )
    return path.read_text(encoding="utf-8")
