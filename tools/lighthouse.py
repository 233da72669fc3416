"""Lighthouse scores of a page, for `make bench`; the npm package is fetched on first use into build/."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from browser import FLAGS

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "build/bench/lighthouse"
VERSION = "13.5.0"
CATEGORIES = "performance,accessibility,best-practices,seo"
BIN = Path(sys.executable).parent


def installed() -> Path:
    """The command-line program, fetched once."""
    program = HOME / "node_modules/lighthouse/cli/index.js"
    if not program.exists():
        print(f"fetching lighthouse {VERSION} …", flush=True)
        HOME.mkdir(parents=True, exist_ok=True)
        (HOME / "package.json").write_text('{"private": true}')  # or npm would use the project's own
        install = [f"{BIN}/npm", "install", "--no-audit", "--no-fund", f"lighthouse@{VERSION}"]
        subprocess.run(install, cwd=HOME, check=True)
    return program


def judge(url: str, preset: str, chrome: str) -> dict[str, Any]:
    """One run: the four scores, and the audits that cost points outside of speed."""
    command = [f"{BIN}/node", str(installed()), url, "--quiet", "--output=json", "--output-path=stdout"]
    command += [f"--only-categories={CATEGORIES}", f"--chrome-flags=--headless=new {' '.join(FLAGS)}"]
    command += ["--preset=desktop"] if preset == "desktop" else []
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "CHROME_PATH": chrome})
    if done.returncode:
        sys.exit(f"lighthouse failed on {url}: {done.stderr[-800:]}")
    return dict(json.loads(done.stdout))


def scores(url: str, chrome: str, runs: int) -> dict[str, Any]:
    """Median scores (0-100) of a page on a slow phone and on a desktop; null for no runs."""
    if not runs:
        return {"mobile": None, "desktop": None}
    result: dict[str, Any] = {}
    for preset in ("mobile", "desktop"):
        reports = [judge(url, preset, chrome) for _ in range(runs)]
        names = reports[0]["categories"]
        result[preset] = {
            name: round(100 * statistics.median(r["categories"][name]["score"] or 0 for r in reports))
            for name in names
        }
        page = url.split("/", 3)[-1]
        print(f"lighthouse {preset:8}{page:40}{result[preset]} {lost_points(reports[-1])}", flush=True)
    return result


def lost_points(report: dict[str, Any]) -> list[str]:
    """Audits that failed in the categories that should be perfect."""
    strict = [c for name, c in report["categories"].items() if name != "performance"]
    ids = {ref["id"] for category in strict for ref in category["auditRefs"]}
    return sorted(i for i in ids if report["audits"][i]["score"] not in (1, None))
