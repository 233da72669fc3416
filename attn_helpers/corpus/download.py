"""A file from the network, fetched once."""

import hashlib
import os
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import urlsplit

import platformdirs

USER_AGENT = "Mozilla/5.0 (compatible; attn_helpers)"  # some hosts of corpora turn Python's own name away
CHUNK = 1 << 16


def download(
    url: str, sha256: str | None = None, folder: str | Path | None = None, progress: bool = True
) -> Path:
    """Fetch a file and keep it; a second call returns the kept one without asking the network.

    sha256   the checksum that the file must have, where it is known
    folder   where to keep it; else ATTN_HELPERS_CACHE, else the system's cache folder
    returns  the file's path, for `read_pairs`

    A kept file with another checksum is fetched again. Nothing is kept of a broken transfer.
    Raises ValueError for another scheme than http and https and for a wrong checksum, ConnectionError when
    the host cannot be reached, refuses, or sends less than it announced.
    """
    name = PurePosixPath(urlsplit(url).path).name
    if urlsplit(url).scheme not in ("http", "https") or not name:
        raise ValueError(f"url must be the http or https address of a file, got {url!r}")
    place = _folder(folder) / name
    if place.is_file() and sha256 in (None, _digest(place)):
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=place.parent, prefix=f"{name}.", delete=False) as part:
        beside = Path(part.name)
        try:
            _fetch(url, part, progress)
            part.close()
            if sha256 not in (None, found := _digest(beside)):
                raise ValueError(f"{url} must have the checksum {sha256}, got {found}: nothing was kept")
            beside.replace(place)  # at once, so that nobody meets half a file
        finally:
            part.close()
            beside.unlink(missing_ok=True)
    return place


def _folder(folder: str | Path | None) -> Path:
    named = folder or os.environ.get("ATTN_HELPERS_CACHE")
    return Path(named) if named else platformdirs.user_cache_path("attn_helpers")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(url: str, file: IO[bytes], progress: bool) -> None:
    from tqdm import tqdm  # only who downloads needs it

    request = urllib.request.Request(url, headers={"User-Agent": USER_AGENT})
    quiet = {} if progress else {"disable": True}
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            total = int(answer.headers.get("Content-Length") or 0)
            with tqdm(total=total or None, unit="B", unit_scale=True, file=sys.stdout, **quiet) as bar:
                while chunk := answer.read(CHUNK):
                    bar.update(file.write(chunk))
        if total and file.tell() < total:
            raise ConnectionError(f"{url} broke off after {file.tell():,} of {total:,} bytes: try again")
    except urllib.error.HTTPError as error:
        raise ConnectionError(f"{url} was refused: {error.code} {error.reason}") from None
    except (urllib.error.URLError, TimeoutError) as error:
        reason = getattr(error, "reason", error)
        raise ConnectionError(
            f"{url} cannot be reached ({reason}); offline, give read_pairs the path of a file of your own"
        ) from None
