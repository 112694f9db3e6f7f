"""Read rows directly from the pages of an SQLite file, whatever happened to the pages around them.

Follows sqlite.org/fileformat2.html: leaf pages of tables, overflow chains, frames of the write-ahead log.
Nothing else is trusted; the caller must check the rows. SQLite's own recovery is in its shell, which need not
be installed, and not in Python's sqlite3.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.log import sidecar
from core.log.integrity.validation import MAX_VALUE_BYTES

Value = None | int | float | str | bytes
Row = tuple[int, tuple[Value, ...]]  # rowid, columns as stored

LEAF = 0x0D  # a table's leaf page
PAGE_SIZES = tuple(2**n for n in range(9, 17))


def rows(path: Path) -> Iterator[Row]:
    """Yield every readable row, some twice: from the database and from its write-ahead log.

    Raises OSError.
    """
    with path.open("rb") as file:
        head = file.read(100)
        if not head:
            return
        stated = _page_size(head)
        size = stated if stated in PAGE_SIZES else 4096
        usable = size - (head[20] if stated == size and head[20] < 64 else 0)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            newer = _frames(path.with_name(path.name + "-wal"), size)
            for layer in ({}, newer) if newer else ({},):
                yield from _PageReader(data, size, usable, layer).rows()


def truncation(path: Path) -> str:
    """Return in words what is missing compared with the file's own header, "" for nothing."""
    with path.open("rb") as file:
        head = file.read(100)
        have = path.stat().st_size
    if len(head) < 100 or not head.startswith(b"SQLite format 3\0"):
        return "the head of the file"
    full = _page_size(head) * int.from_bytes(head[28:32], "big")
    return f"the last {full - have} bytes of the file" if have < full else ""


def _page_size(head: bytes) -> int:
    size = int.from_bytes(head[16:18], "big") if len(head) == 100 else 0
    return 65536 if size == 1 else size


def _frames(wal: Path, size: int) -> Mapping[int, bytes]:
    """Return the pages in the write-ahead log, up to its last commit."""
    try:
        data = sidecar.read(wal)
    except OSError:  # there is none, or it is not a plain file
        data = b""
    pages: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    salt = data[16:24]
    for at in range(32, len(data) - size - 23, size + 24):
        number, committed = struct.unpack(">II", data[at : at + 8])
        if data[at + 8 : at + 16] != salt:
            break  # from before the last restart of the log
        pending[number] = data[at + 24 : at + 24 + size]
        if committed:
            pages |= pending
            pending = {}
    return pages


class _UnreadableCell(Exception):
    """Raised for a cell that cannot be read."""


class _PageReader:
    def __init__(self, data: mmap.mmap, size: int, usable: int, newer: Mapping[int, bytes]) -> None:
        self._data, self._size, self._usable, self._newer = data, size, usable, newer
        self._count = max(len(data) // size, *newer, 0) if newer else len(data) // size

    def rows(self) -> Iterator[Row]:
        for number in range(1, self._count + 1):
            page = self._page(number)
            start = 100 if number == 1 else 0
            if len(page) < self._size or page[start] != LEAF:
                continue
            count = struct.unpack(">H", page[start + 3 : start + 5])[0]
            for i in range(min(count, self._size // 4)):
                try:
                    yield self._cell(page, struct.unpack_from(">H", page, start + 8 + 2 * i)[0])
                except (_UnreadableCell, IndexError, struct.error, UnicodeDecodeError):
                    continue

    def _page(self, number: int) -> bytes:
        found = self._newer.get(number)
        return found if found is not None else self._data[(number - 1) * self._size : number * self._size]

    def _cell(self, page: bytes, at: int) -> Row:
        length, at = _varint(page, at)
        rowid, at = _varint(page, at)
        return rowid, _columns(self._payload(page, at, length))

    def _payload(self, page: bytes, at: int, length: int) -> bytes:
        most = self._usable - 35
        if length <= most:
            return page[at : at + length]
        least = (self._usable - 12) * 32 // 255 - 23
        local = least + (length - least) % (self._usable - 4)
        local = local if local <= most else least
        if length > MAX_VALUE_BYTES:  # SQLite rejects it too; several rows may claim the same pages
            raise _UnreadableCell
        parts, rest = [page[at : at + local]], length - local
        following = struct.unpack_from(">I", page, at + local)[0]
        while rest > 0:
            page = self._page(following) if following else b""
            if len(page) < self._size:
                raise _UnreadableCell
            parts.append(page[4 : 4 + min(rest, self._usable - 4)])
            rest -= self._usable - 4
            following = struct.unpack(">I", page[:4])[0]
        return b"".join(parts)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for i in range(8):
        byte = data[at + i]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + i + 1
    return value << 8 | data[at + 8], at + 9


def _columns(payload: bytes) -> tuple[Value, ...]:
    end, at = _varint(payload, 0)
    body, values = end, []
    while at < end:
        code, at = _varint(payload, at)
        size = _SIZES[code] if code < len(_SIZES) else (code - 12) // 2
        part = payload[body : body + size]
        if code in (10, 11) or len(part) < size:
            raise _UnreadableCell
        values.append(_value(code, part))
        body += size
    return tuple(values)


_SIZES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0)  # of a value, by its code; longer codes state a length


def _value(code: int, part: bytes) -> Value:
    if code >= 12:
        return part.decode() if code % 2 else part
    if code == 7:
        return float(struct.unpack(">d", part)[0])
    if code in (8, 9):
        return code - 8
    return int.from_bytes(part, "big", signed=True) if code else None
