"""The README shows what really happens."""

import re
from pathlib import Path

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf8")


def run(readme: str, capsys) -> tuple[str, str]:
    """Run the Python of a README in order: what it printed, and what the text says it prints."""
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", readme, re.DOTALL):
        exec(code, names)
    return capsys.readouterr().out, re.search(r"```text\n(tensor.*?)```", readme, re.DOTALL)[1]


def test_the_example_prints_what_it_says(capsys):
    """A reader who copies the example sees the numbers that stand below it."""
    printed, promised = run(README, capsys)
    assert printed == promised


def test_a_wrong_number_is_seen(capsys):
    """The check above can fail."""
    printed, promised = run(README.replace("0.6005", "0.6004"), capsys)
    assert printed != promised


def test_files_and_folders_exist():
    """A reader who follows the table of the layout, or a link, finds what it names."""
    root = Path(__file__).resolve().parents[1]
    layout = re.search(r"```text\n(_config.*?)```", README, re.DOTALL)[1]
    named = [name.strip(",") for line in layout.splitlines() for name in re.split(r"\s{2,}", line)[0].split()]
    named += re.findall(r"\]\((?!https?:)([^)]+)\)", README)
    assert len(named) >= 15
    assert [name for name in named if not (root / name).exists()] == []


def test_the_state_of_each_chapter_is_true():
    """A chapter is said to be in preparation long after it can be read."""
    root = Path(__file__).resolve().parents[1]
    said = dict(re.findall(r"^\| (\d) .*\| (\w+).*\|$", README, re.MULTILINE))
    there = {path.name[1] for path in (root / "notebooks").glob("0*.ipynb")}
    assert sorted(said) == list("01234567")
    assert {chapter for chapter, state in said.items() if state == "written"} == there
