"""Notebooks keep the form that readers, the book and the re-run count on; each rule is shown to bite."""

import ast
import copy
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import setup_cell
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import notebooks

PATHS = sorted(notebooks.NOTEBOOKS.glob("*.ipynb"))
TAGS = {
    *("exercise", "solution", "hide-cell", "hide-input", "remove-input", "raises-exception"),
    *("nbval-check-output", "nbval-ignore-output", "nbval-skip"),
}
MACHINE = re.compile(r"/(?:home|Users|root|tmp|work)/\w|[A-Z]:\\+Users|\b0x[0-9a-f]{6,}")
NUMPY_SCALAR = re.compile(r"\bnp\.(?:float|int|bool)\w*\(")
CARD = re.compile(r"^:::\{(?:predict|misconception)\}(?:.|\n)*?^:::$", re.MULTILINE)
VERBOSE = {"PYTEST_ADDOPTS": "-v"}
MARKDOWN = MarkdownIt("commonmark").use(dollarmath_plugin)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def texts(notebook):
    """Every text a reader sees below a cell."""
    for output in (o for cell in code(notebook) for o in cell.outputs):
        yield output.get("text", "")
        yield from (value for mime, value in output.get("data", {}).items() if not mime.startswith("image/"))
        yield from (output.get("evalue", ""), *output.get("traceback", ()))


def tags(cell):
    return cell.metadata.get("tags", [])


def tokens(text):
    """Markdown tokens, those inside MyST directives too; code and math stay closed."""
    for token in MARKDOWN.parse(text):
        yield token
        yield from token.children or ()
        directive = re.match(r":*\{([\w-]+)\}", token.info.strip()) if token.type == "fence" else None
        if directive and directive[1] not in {"math", "code", "code-block", "code-cell"}:
            yield from tokens(token.content)


def markdown_tokens(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield from tokens(cell.source)


# ---- the rules: each returns what is wrong --------------------------------------------------------


def valid(notebook):
    """GitHub shows "Invalid Notebook" otherwise."""
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        return [str(error).splitlines()[0]]
    return []


def one_title(notebook):
    titles = sum(t.type == "heading_open" and t.tag == "h1" for t in markdown_tokens(notebook))
    first = notebook.cells[0].source[:30]
    return [] if titles == 1 and first.startswith("# ") else [f"{titles} titles, begins {first!r}"]


def set_up(notebook):
    """The same cell comes first in every notebook: it finds the package, or installs it."""
    return (
        []
        if setup_cell.placed(notebook) == notebook
        else ["no set-up cell as it should be: 'make notebooks'"]
    )


def short_cells(notebook):
    lengths = [len(cell.source.splitlines()) for cell in code(notebook)]
    wrong = [
        f"code cell {number} has {length} lines" for number, length in enumerate(lengths, 1) if length > 12
    ]
    middle = statistics.median(lengths) if lengths else 0
    return wrong + ([f"the median cell has {middle} lines"] if middle > 4 else [])


def known_tags(notebook):
    return [f"unknown tag {tag}" for cell in notebook.cells for tag in tags(cell) if tag not in TAGS]


def counted(notebook):
    counts = [cell.execution_count for cell in code(notebook)]
    return [] if counts == [*range(1, len(counts) + 1)] else [f"run numbers {counts}"]


def calm(notebook):
    wrong = notebooks.complaints(notebook)
    for cell in code(notebook):
        failed = any(output.output_type == "error" for output in cell.outputs)
        if failed != ("raises-exception" in tags(cell)):
            wrong.append(f"raises-exception and the outcome disagree: {cell.source[:40]!r}")
    return wrong


def anonymous(notebook):
    """No path and no address of the machine that made it."""
    shown = [*texts(notebook), *(cell.source for cell in notebook.cells)]
    return [match[0] for text in shown if (match := MACHINE.search(text))]


def plain_numbers(notebook):
    """NumPy 2 prints np.float64(0.5) where NumPy 1 prints 0.5."""
    return [match[0] for text in texts(notebook) if (match := NUMPY_SCALAR.search(text))]


def stateless(notebook):
    return ["metadata.widgets is stored"] if "widgets" in notebook.metadata else []


def checked(notebook):
    """A notebook without one marked output would pass every re-run."""
    marked = [cell for cell in code(notebook) if "nbval-check-output" in tags(cell)]
    empty = [f"marked, but nothing is stored: {cell.source[:40]!r}" for cell in marked if not cell.outputs]
    return empty if marked else ["no cell is marked nbval-check-output"]


def shows(source):
    """Whether a cell surely shows something: it prints, or ends in a name or a widget."""
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a magic
        return False
    calls = [s.value for s in body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)]
    prints = any(isinstance(call.func, ast.Name) and call.func.id == "print" for call in calls)
    last = body[-1].value if body and isinstance(body[-1], ast.Expr) else None
    made = last.func if isinstance(last, ast.Call) else None
    name = getattr(made, "id", getattr(made, "attr", ""))
    return prints or isinstance(last, ast.Name) or name[:1].isupper()


def stored(notebook):
    """A stripped notebook is empty on GitHub and vacuous in the re-run."""
    silent = (cell for cell in code(notebook) if not cell.outputs and shows(cell.source))
    return [f"nothing stored for {cell.source[:40]!r}" for cell in silent if "nbval-skip" not in tags(cell)]


def solved(notebook):
    """Every exercise has a solution, and its cells are marked."""
    fences = [token for token in markdown_tokens(notebook) if token.type == "fence"]
    labels = [re.search(r":label:\s*(\S+)", t.content) for t in fences if "{exercise-start}" in t.info]
    exercises = {label[1] for label in labels if label}
    solutions = {t.info.split("}")[1].strip() for t in fences if "{solution-start}" in t.info}
    wrong = [f"exercise without solution, or the reverse: {label}" for label in exercises ^ solutions]
    for tag in ("exercise", "solution"):
        if (marked := sum(tag in tags(cell) for cell in code(notebook))) < len(labels):
            wrong.append(f"{marked} cells tagged {tag} for {len(labels)} exercises")
    return wrong


def no_html(notebook):
    """Raw HTML is lost in print and in translation."""
    return [t.content[:40] for t in markdown_tokens(notebook) if t.type in ("html_block", "html_inline")]


def cards_alone(notebook):
    """JupyterLab shows a card as plain text: its colons must not run into the question."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    cards = [card for source in sources for card in CARD.findall(source)]
    return [card[:40] for card in cards if not re.fullmatch(r".*\n\n(.|\n)*\n\n:::", card)]


def no_footnotes(notebook):
    prose = (token.content for token in markdown_tokens(notebook) if token.type == "text")
    return [text[:40] for text in prose if "[^" in text]


def no_semicolon(notebook):
    """A trailing ; hides a value in Jupyter, but not in the re-run."""
    return [cell.source[-40:] for cell in code(notebook) if cell.source.rstrip().endswith(";")]


def normal_form(notebook):
    return [] if notebooks.normal(notebook) == notebook else ["run 'make notebooks'"]


# ---- a small right notebook, and one way to break each rule ---------------------------------------


def good():
    """A notebook that every rule accepts."""
    exercise = "```{exercise-start}\n:label: ex\n```"
    notebook = new_notebook(
        cells=[
            new_markdown_cell("# Title\n\nWhat is $a<b>c$, and `<b>`?\n\n:::{predict}\n\nWhich?\n\n:::"),
            new_code_cell(
                "print(1)",
                outputs=[new_output("stream", name="stdout", text="1\n")],
                metadata={"tags": ["nbval-check-output"]},
            ),
            new_markdown_cell(exercise),
            new_code_cell("mine = None", metadata={"tags": ["exercise"]}),
            new_markdown_cell("```{solution-start} ex\n:class: dropdown\n```"),
            new_code_cell("mine = 1", metadata={"tags": ["solution"]}),
        ]
    )
    notebook = setup_cell.placed(notebook)
    notebook.cells[1].outputs = [new_output("stream", name="stdout", text="attn_helpers 0.1.0\n")]
    return nbformat.from_dict(notebooks.normal(notebook))


def first_output(**output):
    def change(notebook):
        code(notebook)[1].outputs = [new_output(**output)]

    return change


def first_source(source):
    def change(notebook):
        code(notebook)[1].source = source

    return change


def add_markdown(text):
    def change(notebook):
        notebook.cells.append(new_markdown_cell(text))

    return change


def strip(notebook):
    for cell in code(notebook):
        cell.update(outputs=[], execution_count=None)


def set_item(path, value):
    def change(notebook):
        *parents, last = path
        for key in parents:
            notebook = notebook[key]
        notebook[last] = value

    return change


FAULTS = [
    (valid, set_item(("cells", 2, "outputs", 0, "output_type"), "nonsense")),
    (one_title, add_markdown("# Another title")),
    (one_title, set_item(("cells", 0, "source"), "No title")),
    (one_title, add_markdown("```{note}\n# A title in a box\n```")),
    (set_up, set_item(("cells", 1, "source"), "%pip install attn_helpers")),
    (set_up, lambda nb: nb.cells.insert(1, nb.cells.pop(2))),
    (short_cells, first_source("x = 1\n" * 13)),
    (short_cells, lambda nb: [cell.update(source="x = 1\n" * 5) for cell in code(nb)]),
    (known_tags, set_item(("cells", 2, "metadata", "tags"), ["nbval-chekc-output"])),
    (counted, set_item(("cells", 4, "execution_count"), 7)),
    (counted, strip),
    (calm, first_output(output_type="stream", name="stderr", text="a warning")),
    (calm, first_output(output_type="error", ename="E", evalue="v", traceback=[])),
    (calm, set_item(("cells", 2, "metadata", "tags"), ["raises-exception"])),
    (anonymous, first_output(output_type="stream", name="stdout", text="/home/ada/book")),
    (anonymous, first_output(output_type="stream", name="stdout", text=r"C:\Users\ada")),
    (anonymous, first_output(output_type="stream", name="stdout", text="<Widget at 0x7f12ab34>")),
    (plain_numbers, first_output(output_type="stream", name="stdout", text="np.float64(0.5)")),
    (stateless, set_item(("metadata", "widgets"), {})),
    (checked, set_item(("cells", 2, "metadata", "tags"), [])),
    (checked, strip),
    (stored, strip),
    (stored, lambda nb: (first_source("ScoreExplorer()")(nb), strip(nb))),
    (solved, add_markdown("```{exercise-start}\n:label: unsolved\n```")),
    (solved, set_item(("cells", 6, "metadata", "tags"), [])),
    (no_html, add_markdown("A <b>bold</b> claim")),
    (no_html, add_markdown(":::{note}\n<div>\n</div>\n:::")),
    (no_html, add_markdown("```{admonition} Title\n<div></div>\n```")),
    (cards_alone, add_markdown(":::{predict}\nWhich?\n\n:::")),
    (cards_alone, add_markdown(":::{misconception} Wrong\n\n**What is true.** Right.\n:::")),
    (no_footnotes, add_markdown("A claim.[^1]")),
    (no_semicolon, first_source("plot();")),
    (normal_form, set_item(("metadata", "language_info", "version"), "3.11.7")),
    (normal_form, set_item(("cells", 2, "metadata", "execution"), {"iopub.status.busy": "today"})),
    (
        normal_form,
        first_output(output_type="display_data", data={"application/vnd.jupyter.widget-view+json": {}}),
    ),
]
RULES = list(dict.fromkeys(rule for rule, _ in FAULTS))


def rule_name(value):
    return getattr(value, "__name__", "") if value in RULES else ""


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.parametrize("rule", RULES, ids=rule_name)
def test_notebook_keeps(rule, path):
    """A chapter that breaks a rule looks broken on GitHub, in the book or in the re-run."""
    assert rule(nbformat.read(path, as_version=4)) == []


@pytest.mark.parametrize(("rule", "fault"), FAULTS, ids=rule_name)
def test_rule_bites(rule, fault):
    """A rule that accepts its own fault guards nothing."""
    notebook = good()
    assert rule(notebook) == []
    fault(notebook)
    assert rule(notebook)


def test_there_are_chapters():
    """Without a notebook every test here would pass, having seen nothing."""
    assert PATHS


def test_normal_form_is_stable_and_keeps_what_readers_need():
    """Storing twice must not change a file, and text and picture must survive."""
    notebook = good()
    view = {
        "text/plain": "ScoreExplorer(3 keys)",
        "image/png": "AAAA",
        "application/vnd.jupyter.widget-view+json": {},
    }
    meta = {"image/png": {"alt": "three bars"}}
    code(notebook)[2].outputs = [
        new_output("execute_result", data=view, metadata=meta, execution_count=9),
        new_output("stream", name="stdout", text="a"),
        new_output("stream", name="stdout", text="b"),
    ]
    once = notebooks.normal(notebook)
    shown, stream = once["cells"][4]["outputs"]
    assert (shown["data"], shown["metadata"]) == ({k: view[k] for k in ("image/png", "text/plain")}, meta)
    assert (shown["execution_count"], stream["text"]) == (3, "ab")
    assert notebooks.normal(once) == once


RERUN = [  # a cell, the text stored below it, what the re-run should think
    ("print(1)", "1\n", "PASSED"),
    ("print(2)", "1\n", "FAILED"),
    ("1 / 0", "1\n", "FAILED"),
    ("import warnings; warnings.warn('news from a dependency'); print(1)", "1\n", "PASSED"),
    ("print(object())", "<object object at 0x7f0000>\n", "PASSED"),
    ("import time; print(time.time())", "1\n", "PASSED"),  # tagged nbval-ignore-output
]


@pytest.mark.slow
def test_rerun_finds_stale_outputs_and_failures_only(tmp_path):
    """A warning from elsewhere, an address or a marked clock is no fault; a stale text and an error are."""
    cells = [new_code_cell(source, execution_count=1) for source, _, _ in RERUN]
    for cell, (_, text, _) in zip(cells, RERUN, strict=True):
        cell.outputs = [new_output("stream", name="stdout", text=text)]
    cells[-1].metadata.tags = ["nbval-ignore-output"]
    nbformat.write(new_notebook(cells=cells), tmp_path / "one.ipynb")
    command = [sys.executable, notebooks.ROOT / "tools/notebooks.py", "--test", tmp_path / "one.ipynb"]
    words = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **VERBOSE}).stdout
    came = re.findall(r"%\] (PASSED|FAILED) .*::Cell \d+", words)
    assert came == [thought for _, _, thought in RERUN], words
    assert "Cell outputs differ" in words
    assert "ZeroDivisionError" in words


@pytest.mark.slow
def test_storing_runs_a_notebook_and_refuses_a_noisy_one(tmp_path):
    """`make notebooks` writes fresh outputs; a cell that writes to stderr leaves the file as it was."""
    path = tmp_path / "one.ipynb"
    notebook = good()
    code(notebook)[1].source = "print(6 * 7)"
    nbformat.write(notebook, path)
    assert notebooks.store(path) == []
    first, second, *_ = code(nbformat.read(path, as_version=4))
    assert first.source == setup_cell.text()
    assert second.outputs[0].text == "42\n"
    assert notebooks.check(path) == []

    before = path.read_text(encoding="utf8")
    noisy = copy.deepcopy(notebook)
    code(noisy)[1].source = "import sys; print('hm', file=sys.stderr)"
    nbformat.write(noisy, Path(shutil.copy(path, tmp_path / "noisy.ipynb")))
    before = (tmp_path / "noisy.ipynb").read_text(encoding="utf8")
    assert "stderr" in notebooks.store(tmp_path / "noisy.ipynb")[0]
    assert (tmp_path / "noisy.ipynb").read_text(encoding="utf8") == before
