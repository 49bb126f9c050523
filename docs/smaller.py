"""A screenshot with a palette of 256 colors: a third of the bytes, and nobody sees the difference."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator

HEAD = b"\x89PNG\r\n\x1a\n"
COLOURS = 256
ALIKE = 150
RGB, INDEXED = 2, 3


def smaller(picture: bytes) -> bytes:
    """A PNG of three bytes per pixel, as Chromium writes it, with a palette."""
    chunks = list(_chunks(picture))
    width, height, depth, kind = struct.unpack(">IIBB", chunks[0][1][:10])
    if (depth, kind) != (8, RGB):
        return picture
    data = zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT"))
    rows = list(_rows(data, width * 3, height))
    counted = Counter(row[at : at + 3] for row in rows for at in range(0, width * 3, 3))
    palette = _palette(color for color, _ in counted.most_common())
    index = {color: _nearest_color(color, palette)[0] for color in counted}
    packed = b"".join(
        b"\0" + bytes(index[row[at : at + 3]] for at in range(0, width * 3, 3)) for row in rows
    )
    header = struct.pack(">IIBBBBB", width, height, 8, INDEXED, 0, 0, 0)
    body = [
        (b"IHDR", header),
        (b"PLTE", b"".join(palette)),
        (b"IDAT", zlib.compress(packed, 9)),
        (b"IEND", b""),
    ]
    return HEAD + b"".join(_chunk(name, content) for name, content in body)


def _chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(HEAD)
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        at += length + 12


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _rows(data: bytes, length: int, height: int) -> Iterator[bytes]:
    """The rows as they are: PNG writes most of them as differences to what stands left of them and
    above.
    """
    above = bytes(length)
    for number in range(height):
        at = number * (length + 1)
        above = bytes(_unfilter_row(data[at], data[at + 1 : at + 1 + length], above))
        yield above


def _unfilter_row(how: int, row: bytes, above: bytes) -> bytearray:
    made = bytearray(row)
    for at in range(len(made)):
        left, up, corner = (made[at - 3], above[at], above[at - 3]) if at > 2 else (0, above[at], 0)
        made[at] = (made[at] + (0, left, up, (left + up) // 2, _paeth(left, up, corner))[how]) & 255
    return made


def _paeth(left: int, up: int, corner: int) -> int:
    return min((left, up, corner), key=lambda each: abs(left + up - corner - each))


def _palette(colors: Iterable[bytes]) -> list[bytes]:
    """Those that there are most of, and none that is like another: a thin line's color is rare,
    and counts.
    """
    palette: list[bytes] = []
    for color in colors:
        if len(palette) < COLOURS and (not palette or _nearest_color(color, palette)[1] > ALIKE):
            palette.append(color)
    return palette


def _nearest_color(color: bytes, palette: list[bytes]) -> tuple[int, int]:
    """Its number, and the square of how far it is."""
    red, green, blue = color
    distances = ((red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2 for r, g, b in palette)
    return min(enumerate(distances), key=lambda each: each[1])
