"""JupyterLab and Notebook 7 with a real kernel, each with one notebook open that shows every widget."""

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import urllib.request
from urllib.parse import quote

import nbformat
import pytest
from jupyter_client import BlockingKernelClient
from playwright.sync_api import sync_playwright

from tests.live.family import FAMILY
from tests.live.host import PATIENCE, Host, until
from tools.browser import FLAGS, find_browser

HOSTS = {"JupyterLab": "/lab/tree/", "Notebook 7": "/notebooks/"}
KERNEL = "jupyterapp.shell.currentWidget?.context?.sessionContext?.session?.kernel"
# No one is asked for news, and no such question covers a widget.
QUIET = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """(address, token, folder) of a Jupyter server that offers both front ends and no reader's settings."""
    folder, token = tmp_path_factory.mktemp("jupyter"), secrets.token_hex(8)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for inner in ("work", "config/labconfig"):
        (folder / inner).mkdir(parents=True)
    (folder / "config" / "labconfig" / "page_config.json").write_text(json.dumps(QUIET))
    dirs = {"CONFIG_DIR": "config", "RUNTIME_DIR": "runtime", "DATA_DIR": "data"}
    dirs = {f"JUPYTER_{name}": str(folder / place) for name, place in dirs.items()}
    dirs |= {f"JUPYTERLAB_{name}_DIR": str(folder / name) for name in ("SETTINGS", "WORKSPACES")}
    options = [
        f"--ServerApp.port={port}",
        f"--ServerApp.root_dir={folder / 'work'}",
        "--ServerApp.ip=127.0.0.1",
    ]
    options += [f"--IdentityProvider.token={token}", "--no-browser", "--allow-root"]
    options += [f"--{app}.expose_app_in_browser=True" for app in ("LabApp", "JupyterNotebookApp")]
    with (folder / "log").open("w") as log:
        command = [sys.executable, "-m", "jupyterlab", *options]
        process = subprocess.Popen(command, env={**os.environ, **dirs}, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"

    def answers():
        assert process.poll() is None, (folder / "log").read_text()
        with contextlib.suppress(OSError):
            return urllib.request.urlopen(f"{address}/api/status?token={token}", timeout=5)

    try:
        until(answers, lambda: (folder / "log").read_text())
        yield address, token, folder
    finally:
        process.terminate()
        process.wait(30)


def notebook():
    """One cell that imports, and one for each widget."""
    given = "from attn_helpers.corpus import Vocabulary\nfrom attn_helpers.seq2seq import *"
    given += "\nfrom attn_helpers.trained import load_replay"
    given += "\nfrom attn_helpers.widgets.lab_models import trained_models"
    cells = [f"from attn_helpers.widgets import *\n{given}\nmade = {{}}"]
    cells += [f"made[{one.kind!r}] = {one.kind}({one.arguments})\nmade[{one.kind!r}]" for one in FAMILY]
    return nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(shell=True), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session", params=HOSTS)
def host(request, server, browser):
    """Each front end in turn, all cells run; no other host is asked for anything."""
    address, token, folder = server
    name = f"{request.param}.ipynb"
    nbformat.write(notebook(), folder / "work" / name)
    page = browser.new_page(viewport={"width": 1400, "height": 2600})  # all in sight: no cell is put off
    foreign = []
    page.route(
        lambda url: not url.startswith((address, "data:", "blob:")),
        lambda route: (foreign.append(route.request.url), route.abort()),
    )
    page.goto(f"{address}{HOSTS[request.param]}{quote(name)}?token={token}", timeout=1000 * PATIENCE)
    page.wait_for_function(f"window.jupyterapp && {KERNEL}?.status === 'idle'", timeout=1000 * PATIENCE)
    connection = f"kernel-{page.evaluate(KERNEL + '.id')}.json"
    kernel = BlockingKernelClient(connection_file=str(folder / "runtime" / connection))
    kernel.load_connection_file()
    kernel.start_channels()
    it = Host(request.param, page, kernel)
    it.command("notebook:run-all-cells")
    yield it
    assert foreign == []
    kernel.stop_channels()
    page.close()
