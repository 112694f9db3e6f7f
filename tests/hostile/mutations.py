"""Files as somebody might send them who wishes us ill, or as a disk might leave them."""

from __future__ import annotations

import io
import json
import os
import random
import re
import socket
import zipfile
from contextlib import suppress
from pathlib import Path

from tests.core.log.mutations import mutate_json

KINDS = ("folder", "pipe", "zero", "canary", "loop", "dangling", "sparse", "socket", "gone", "memory")
LARGE = 200_000
BOMB = 3000  # objects, lines, brackets
BOMB_ARRAY = b"\x93NUMPY\x01\x00v\x00" + (
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (5000000,), }".ljust(117) + b"\n" + bytes(20_000_000)
)
ODD = (  # in place of a value of a TOML file
    *("nan", "inf", "-inf", "1e300", "-1e300", "1e999", "0", "-1", "2", "1.5", "9" * 400, "9" * 5000, "true"),
    *(
        "''",
        '"a\\u0000b"',
        '"\\u001b]0;owned\\u0007"',
        '"\\u202e"',
        '"<script>alert(1)</script>"',
        "2021-02-30",
    ),
    *('"../../outside/canary"', '"/dev/zero"', '"/dev/stdin"', "'''" + "x" * 100_000 + "'''", "2021-02-30"),
    *(
        "[" * 200 + "]" * 200,
        "[" * BOMB,
        "{a=" * 90 + "1" + "}" * 90,
        "[]",
        "{}",
        '["a", 1]',
        '[["a"]]',
        "[1e300]",
    ),
    *("[[1, 2], [nan, 4]]", "[0, 0, 0, 0, 0, 0]", "[nan, 0, 0, 0, 0, 0]", '"{0} {1} {9}"', '"{0.__class__}"'),
)
LINES = (  # somewhere between the others
    *(
        ".".join(["a"] * 20_000) + " = 1",
        "[" + ".".join(["a"] * 2000) + "]",
        "unknown = 1",
        "[unknown]",
        "[[tasks]]",
    ),
    *("\x00", "\x1b[2J", "\ufeff", "(", ")", "((((", "a = 1\na = 2", "# " + "x" * 100_000, ";" * 100_000),
)
WORDS = (  # in place of a word of PDDL
    *(
        "(",
        ")",
        "()",
        "not",
        "and",
        "or",
        "forall",
        "exists",
        "when",
        "=",
        "either",
        "-",
        "object",
        "?x",
        ":action",
    ),
    *(":init", ":derived", "increase", "total-cost", "1e300", "nan", "9" * 5000, "\x00", "é", "a" * 100_000),
    *("(and " * 90 + ")" * 90, "(" * BOMB, "(not " * 60 + ")" * 60, "define", "domain", ":types", "-5"),
)


def mutate(file: Path, outside: Path, rng: random.Random) -> str:
    """Change a file, or put something else in its place; return in words what was done."""
    if rng.random() < 0.12:
        return _replace(file, outside, rng)
    return "; ".join(_change(file, rng) for _ in range(rng.choice((1, 1, 1, 2, 4))))


def _replace(file: Path, outside: Path, rng: random.Random) -> str:
    file.unlink()
    kind = rng.choice(KINDS)
    match kind:
        case "folder":
            file.mkdir()
        case "pipe":
            os.mkfifo(file)
        case "zero":
            file.symlink_to("/dev/zero")
        case "canary":
            file.symlink_to(outside / "canary")
        case "loop":
            file.symlink_to(file.name)
        case "dangling":
            file.symlink_to(outside / "nothing")
        case "sparse":
            file.touch()
            os.truncate(file, 1 << 30)
        case "socket":
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(os.path.relpath(file))
        case "memory":
            file.symlink_to("/proc/self/mem")
    return f"{file.name} is {kind}"


def _change(file: Path, rng: random.Random) -> str:
    data = file.read_bytes()
    deeds = [_flip, _cut, _odd_bytes, _again]
    if len(data) > LARGE:  # by an earlier change
        deeds = [_flip, _cut]
    elif file.suffix == ".toml":
        deeds += [_odd_value] * 6 + [_odd_line] * 3
    elif file.suffix == ".pddl":
        deeds += [_odd_word] * 6 + [_odd_line] + [_many_objects]
    elif file.suffix == ".json":
        deeds += [_odd_json] * 8 + [_many_parts]
    elif file.suffix == ".npz":
        deeds += [_bomb]
    deed = rng.choice(deeds)
    file.write_bytes(deed(data, rng))
    return f"{file.name}: {deed.__name__}"


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """Return a message as a broken or hostile line might bring it."""
    return rng.choice((_flip, _cut, _odd_bytes))(data, rng)


def _flip(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 3, 30)) if data else 0):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _cut(data: bytes, rng: random.Random) -> bytes:
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return rng.choice((data[:a], data[b:], data[:a] + data[b:], b""))


def _odd_bytes(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    odd = (b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\xed\xa0\x80", rng.randbytes(40), b" " * 1_000_000)
    return rng.choice((data[:at] + rng.choice(odd) + data[at:], data.decode("latin-1").encode("utf-16")))


def _again(data: bytes, rng: random.Random) -> bytes:
    return data * rng.choice((2, 200, 12_000_000 // (len(data) + 1)))


def _odd_json(data: bytes, rng: random.Random) -> bytes:
    try:
        form = json.loads(data)
    except (ValueError, RecursionError):  # after an earlier change
        return data
    mutate_json(form, rng)
    return json.dumps(form).encode()


def _many_parts(data: bytes, rng: random.Random) -> bytes:
    """One array with a thousand times what is in it, or one text."""
    part = rng.choice(re.findall(rb'\{[^{}]*\}|"[^"]*"', data) or [b"0"])
    return data.replace(part, b", ".join([part] * BOMB), 1)


def _bomb(data: bytes, rng: random.Random) -> bytes:
    """Some kilobytes that claim, or unpack to, hundreds of megabytes."""
    stream = io.BytesIO()
    names: list[str] = []
    with suppress(zipfile.BadZipFile):  # mutated before, or another kind of file
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name in names:
            file.writestr(name, BOMB_ARRAY)
    return rng.choice((stream.getvalue(), BOMB_ARRAY[:200]))


def _odd_value(data: bytes, rng: random.Random) -> bytes:
    lines = data.decode(errors="replace").split("\n")
    places = [i for i, line in enumerate(lines) if "=" in line]
    if places:
        at = rng.choice(places)
        found = re.findall(r'(?<==)\s*(?:"[^"\n]*"|[\w.+-]+)', lines[at])
        whole = not found or rng.random() < 0.5
        old = lines[at].partition("=")[2] if whole else rng.choice(found)
        lines[at] = lines[at].replace(old, f" {rng.choice(ODD)}", 1)
    return "\n".join(lines).encode(errors="replace")


def _odd_line(data: bytes, rng: random.Random) -> bytes:
    lines = data.decode(errors="replace").split("\n")
    at = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(rng.randrange(len(lines)), lines[at])
        case 2:
            lines.insert(at, rng.choice(LINES))
        case 3:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines).encode(errors="replace")


def _odd_word(data: bytes, rng: random.Random) -> bytes:
    parts = re.split(r"(\s+|[()])", data.decode(errors="replace"))
    places = [i for i, part in enumerate(parts) if part.strip()]
    if places:
        others = [parts[i] for i in places]
        parts[rng.choice(places)] = rng.choice(
            (rng.choice(WORDS), rng.choice(others), rng.choice(others), "")
        )
    return "".join(parts).encode(errors="replace")


def _many_objects(data: bytes, rng: random.Random) -> bytes:
    many = " ".join(f"more{number}" for number in range(rng.choice((30, BOMB))))
    return data.replace(b"(:objects", f"(:objects {many} ".encode(), 1)
