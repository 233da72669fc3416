"""Code that travels small: every instance of a widget carries its own copy of the module."""

import base64
import re
import zlib

_LOADER = (
    'const code=new Response(new Blob([Uint8Array.from(atob("{code}"),c=>c.charCodeAt(0))]).stream()'
    '.pipeThrough(new DecompressionStream("deflate"))).blob();\n'
    "export default async()=>{{"
    'const address=URL.createObjectURL(new Blob([await code],{{type:"text/javascript"}}));'
    "try{{return(await import(address)).default}}finally{{URL.revokeObjectURL(address)}}}}\n"
)


def packed(module: str) -> str:
    """A module that unpacks this one when it is first used; anywidget and the static book both await it."""
    return _LOADER.format(code=base64.b64encode(zlib.compress(module.encode(), 9)).decode())


def unpacked(module: str) -> str:
    """What `packed` was given; a module that was never packed stays as it is."""
    code = re.match(r'const code=.*?atob\("([^"]*)"\)', module)
    return zlib.decompress(base64.b64decode(code[1])).decode() if code else module
