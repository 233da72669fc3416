"""Text of readers, files of real pairs, downloads: from noise made here and a server on this machine."""

import gzip
import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_helpers.corpus import Pair, Vocabulary, batches, download, read_pairs, split, tokenize
from attn_helpers.corpus.download import USER_AGENT
from attn_helpers.corpus.vocabulary import UNK

HOSTILE = json.loads((Path(__file__).parent / "fixtures/hostile_tokens.json").read_text(encoding="utf8"))

# ---- text --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The black cat sleeps.", "the black cat sleeps ."),
        ("L'ami d'Anna n'a qu'une idée", "l' ami d' anna n' a qu' une idée"),
        ("L’été", "l' été"),
        ("Aujourd'hui, c'est l'été.", "aujourd'hui , c' est l' été ."),
        ("jusqu'à lorsqu'il", "jusqu' à lorsqu' il"),
        ("The king's hat isn't here", "the king 's hat isn't here"),
        ("the girls' hats", "the girls ' hats"),
        ("a grand-mère - ici", "a grand-mère - ici"),
        ("Va\u202f!", "va !"),
        ("Va\u00a0!", "va !"),
        ("10\u2009000 \u3000 €", "10 000 €"),
        ("3.5", "3 . 5"),
        ("我們去 Paris。", "我 們 去 paris 。"),
        ("ビール 2024", "ビ ー ル 2024"),
        ("<s> hello </s>", "< s > hello < / s >"),
        ("<eos>", "< eos >"),
        ("a\u200bb \ufeffc \u202ed\u00ad", "ab c d"),
        ("a\x00b", "ab"),
        ("हिन्दी में", "हिन्दी में"),
        ("\U0001f469\u200d\U0001f469\u200d\U0001f467 !", "\U0001f469\u200d\U0001f469\u200d\U0001f467 !"),
        (" \t\n\u00a0", ""),
        ("", ""),
    ],
)
def test_tokens(text, tokens):
    """Words, signs, French and English apostrophes, spaces of every width, scripts without spaces."""
    assert tokenize(text) == tuple(tokens.split(" ") if tokens else ())


def test_a_letter_and_its_accent_are_one_letter():
    """Typed on one keyboard or another, été is the same word."""
    apart = unicodedata.normalize("NFD", "été")
    assert len(apart) == 5
    assert tokenize(apart) == tokenize("été") == ("été",)


def test_narrow_spaces_part_words_where_a_plain_split_does_not():
    """Whoever cuts at " " keeps *va!* whole."""
    assert "Va\u202f!".lower().split(" ") == ["va\u202f!"]
    assert tokenize("Va\u202f!") == ("va", "!")


@given(st.text(max_size=40))
def test_tokens_cut_again_stay_the_same(text):
    """What a plot shows can be typed back; no token holds a space, a capital or an invisible sign."""
    tokens = tokenize(text)
    assert tokenize(" ".join(tokens)) == tokens
    for token in tokens:
        assert token
        assert not any(c.isspace() for c in token)
        assert unicodedata.is_normalized("NFC", token)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_reaches_a_special_number(text):
    """Markup, control names, emoji: words, unknown ones, or nothing."""
    assert set(Vocabulary(["the"]).encode(tokenize(text))) <= {UNK, 4}


# ---- files -------------------------------------------------------------------------------------------

LINES = ["Hi.\tSalut.\tCC-BY", "Go!\tVa\u202f!\tCC-BY", "The cat\tLe chat"]
PAIRS = [
    Pair(("hi", "."), ("salut", ".")),
    Pair(("go", "!"), ("va", "!")),
    Pair(("the", "cat"), ("le", "chat")),
]


def write(path, lines, end="\n", bom=b"", encoding="utf8"):
    path.write_bytes(bom + end.join(lines).encode(encoding))
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_a_tab_separated_file(tmp_path, end, bom):
    """Tatoeba's columns; neither a byte-order mark nor a carriage return is part of a word."""
    reading = read_pairs(write(tmp_path / "fra.txt", LINES, end, bom))
    assert reading.pairs == PAIRS
    assert str(reading) == "3 pairs; lines left out: none"


def test_malformed_lines_are_left_out_counted_and_said(tmp_path):
    """One bad line among thousands must neither stop the reader nor go unseen."""
    lines = [LINES[0], "no tab here", "", "empty\t", "\tvide", " \u00a0\tvide", LINES[1], LINES[0]]
    path = write(tmp_path / "noise.tsv", lines)
    path.write_bytes(path.read_bytes() + b"\nbroken\tcass\xe9\n" + "one\u2028two\tun deux\n".encode())
    with pytest.warns(UserWarning, match=r"noise.tsv: 6 malformed lines left out: 2, 3, 4, 5, 6, …"):
        reading = read_pairs(path)
    assert reading.malformed == (2, 3, 4, 5, 6, 9)
    assert reading.repeated == 1
    assert reading.pairs == [*PAIRS[:2], Pair(("one", "two"), ("un", "deux"))]
    assert str(reading) == "3 pairs; lines left out: 6 malformed, 1 repeated"


def test_columns_length_and_limit(tmp_path):
    """Another layout; long sentences would fill the memory; a first try needs a few lines."""
    path = write(tmp_path / "x.tsv", ["1\ta b\tx\t9", "2\ta b c\tx\t9", "3\tc\ty\t9", "4\td\tz\t9"])
    reading = read_pairs(path, columns=(2, 1), longest=2, limit=2)
    assert reading.pairs == [Pair(("x",), ("a", "b")), Pair(("y",), ("c",))]
    assert reading.too_long == (2,)
    assert read_pairs(path, columns=(2, 1), limit=0).pairs == []


def test_two_files_side_by_side(tmp_path):
    """Multi30k's layout: line n of one translates line n of the other, also in .gz."""
    one, two = tmp_path / "a.en", tmp_path / "a.fr.gz"
    write(one, ["A dog", "", "A cat"])
    two.write_bytes(gzip.compress(b"Un chien\r\nx\r\nUn chat\r\n"))
    with pytest.warns(UserWarning, match="1 malformed lines left out: 2"):
        reading = read_pairs(one, two)
    assert reading.pairs == [Pair(("a", "dog"), ("un", "chien")), Pair(("a", "cat"), ("un", "chat"))]


def test_files_of_different_length_are_refused(tmp_path):
    """From the missing line on, every sentence would meet the translation of another."""
    one, two = write(tmp_path / "a", ["x", "y"]), write(tmp_path / "b", ["x"])
    with pytest.raises(ValueError, match=r"equally many lines, got \[2, 1\]"):
        read_pairs(one, two)


def test_an_archive(tmp_path):
    """As it is downloaded: one text, and a word about it."""
    path = tmp_path / "fra-eng.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_about.txt", "no pairs here")
        archive.writestr("fra.txt", "\n".join(LINES))
    assert read_pairs(path).pairs == PAIRS
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.tsv", "a\tb")
    with pytest.raises(ValueError, match=r"one \.txt or \.tsv"):
        read_pairs(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "one pair a line"),
        (b"a;b\nc;d\n", "2 malformed"),
        ("a\tb\n".encode("utf-16"), "UTF-16"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*malformed")
def test_a_file_without_pairs_is_refused(tmp_path, content, message):
    """With what was expected and what came."""
    path = tmp_path / "x.tsv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_pairs(path)


def test_a_missing_file_is_named(tmp_path):
    """Python's own error says it all."""
    with pytest.raises(FileNotFoundError, match=r"none\.tsv"):
        read_pairs(tmp_path / "none.tsv")


def test_the_locale_does_not_matter(tmp_path):
    """On a machine set to ASCII or Latin-1 an é is an é."""
    path = write(tmp_path / "x.tsv", ["summer\tété"])
    code = (
        f"from attn_helpers.corpus import read_pairs; print(ascii(read_pairs({str(path)!r}).pairs[0].target))"
    )
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment["PYTHONPATH"] = str(Path(__file__).parent.parent)
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == ascii(("été",))


def test_split_keeps_the_translations_of_a_sentence_together():
    """Tatoeba has *hi* a dozen times: in test and training at once it would be known by heart."""
    pairs = [Pair((f"s{i // 3}",), (f"t{i}",)) for i in range(60)]
    splits = split(pairs, validation=3, test=5, seed=1)
    sources = [{pair.source for pair in part} for part in (splits.train, splits.validation, splits.test)]
    assert [len(part) for part in sources] == [12, 3, 5]
    assert len(set.union(*sources)) == 20
    assert len(splits.train) == 36
    assert (len(splits.validation), len(splits.test)) == (3, 5)
    assert split(pairs, 3, 5, seed=1) == splits != split(pairs, 3, 5, seed=2)
    with pytest.raises(ValueError, match="below 20 source sentences, got 20"):
        split(pairs, 10, 10)


def test_a_word_of_the_test_alone_is_unknown():
    """A vocabulary made of training words: what only the test has must not slip in."""
    splits = split([Pair((f"w{i}",), ("x",)) for i in range(9)], validation=2, test=3)
    vocabulary = Vocabulary(word for pair in splits.train for word in pair.source)
    (batch,) = batches(splits.test, vocabulary, Vocabulary(["x"]))
    assert set(batch.source[:, 0].tolist()) == {UNK}


# ---- downloads ---------------------------------------------------------------------------------------

CONTENT = ("\n".join(LINES) + "\n").encode() * 5000


class Handler(http.server.BaseHTTPRequestHandler):
    """A host that is strict about names, and has a file that breaks off."""

    def do_GET(self):
        self.server.asked.append((self.path, self.headers["User-Agent"]))
        if self.path == "/gone.tsv":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[: 1000 if self.path == "/broken.tsv" else None])

    def log_message(self, *args):
        """Keep quiet."""


@pytest.fixture
def host():
    """A server on this machine, its address and what it was asked."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.url = f"http://127.0.0.1:{server.server_port}"
    yield server
    server.shutdown()
    server.server_close()


def test_a_file_is_fetched_once(tmp_path, host, monkeypatch, capsys):
    """The second chapter that asks for it finds it on the disk, with its bar shown once."""
    monkeypatch.setenv("ATTN_HELPERS_CACHE", str(tmp_path / "kept"))
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    path = download(f"{host.url}/data/fra.tsv?x=1")
    assert path == tmp_path / "kept" / "fra.tsv"
    assert path.read_bytes() == CONTENT
    assert "100%" in capsys.readouterr().out
    assert download(f"{host.url}/data/fra.tsv?x=1") == path
    assert capsys.readouterr().out == ""
    assert host.asked == [("/data/fra.tsv?x=1", USER_AGENT)]
    assert read_pairs(path).pairs == PAIRS
    assert os.listdir(path.parent) == ["fra.tsv"]


def test_a_checksum_is_checked(tmp_path, host):
    """A wrong file is not kept, a damaged one is fetched anew."""
    right = hashlib.sha256(CONTENT).hexdigest()
    with pytest.raises(ValueError, match=f"must have the checksum {'0' * 64}, got {right}"):
        download(f"{host.url}/fra.tsv", "0" * 64, tmp_path, progress=False)
    assert os.listdir(tmp_path) == []
    path = download(f"{host.url}/fra.tsv", right, tmp_path, progress=False)
    path.write_bytes(b"damaged")
    assert download(f"{host.url}/fra.tsv", right, tmp_path, progress=False).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("name", "message"), [("gone.tsv", "refused: 404"), ("broken.tsv", "broke off after 1,000 of")]
)
def test_nothing_is_kept_of_a_failure(tmp_path, host, name, message):
    """Half a file would be read as a whole one the next time."""
    with pytest.raises(ConnectionError, match=message):
        download(f"{host.url}/{name}", folder=tmp_path, progress=False)
    assert os.listdir(tmp_path) == []


def test_offline_is_said_with_a_way_on(tmp_path, host):
    """On a train: no trace of ten frames, but a sentence."""
    host.shutdown()
    host.server_close()
    with pytest.raises(ConnectionError, match=r"cannot be reached .*give read_pairs the path"):
        download(f"{host.url}/fra.tsv", folder=tmp_path, progress=False)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "url", ["file:///etc/hosts", "fra.txt", "ftp://example.org/x", "https://example.org/"]
)
def test_only_the_address_of_a_file_is_fetched(url):
    """A local path is for read_pairs."""
    with pytest.raises(ValueError, match="http or https"):
        download(url)
