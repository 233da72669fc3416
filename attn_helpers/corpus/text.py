"""What a reader types, cut into tokens."""

import re
import unicodedata

_MARKS = "".join(c for c in map(chr, range(0x300, 0x11000)) if unicodedata.category(c)[0] == "M")  # accents
_MARK = f"[{_MARKS}]"
_LETTER = f"[^\\W_]{_MARK}*"
_ALONE = "[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_TOKEN = re.compile(
    rf"(?:qu|jusqu|lorsqu|puisqu|quoiqu|[cdjlmnst])'(?=[^\W_])"  # l' ami, qu' elle
    rf"|(?:qu|[cdjlmnst])'(?=\s|$)"  # the same when it stands alone already
    rf"|'s(?![^\W_])"  # the king 's
    rf"|{_ALONE}{_MARK}*"  # Chinese and Japanese write no spaces: every sign is a token
    rf"|(?!{_ALONE}){_LETTER}(?:(?!'s(?![^\W_])|{_ALONE})(?:['·-](?!{_ALONE}))?{_LETTER})*"
    rf"|\S{_MARK}*(?:\u200d\S{_MARK}*)*"  # punctuation, one by one; an emoji with what is joined to it
)


def tokenize(text: str) -> tuple[str, ...]:
    """Words and signs, in lower case and in Unicode's composed form (NFC).

    * Any space ends a word, also a no-break or thin one: *Va !* is *va* and *!*.
    * French elision ends a word and keeps its apostrophe: *l'ami* is *l'* and *ami*; *aujourd'hui* is one.
    * English *'s* is a word of its own; *don't* is one. Hyphens stay within a word.
    * Chinese and Japanese signs stand alone, since no space parts their words.
    * Marks of direction and other invisible signs are left out, and a curled apostrophe is made straight.

    Nothing that is typed becomes a special token: `<eos>` is three tokens of text.
    """
    lowered = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    straight = lowered.replace("’", "'").replace("ʼ", "'")
    seen = "".join(c for c in straight if c in "\t\n\r\u200d" or unicodedata.category(c) not in ("Cc", "Cf"))
    return tuple(_TOKEN.findall(seen))
