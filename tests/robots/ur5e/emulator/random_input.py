"""Input that nobody would send: by a seed, so that a failure can be sent again."""

from __future__ import annotations

import struct
from random import Random

from robots.ur5e import rtde
from robots.ur5e.emulator.ports.dashboard_port import COMMANDS
from robots.ur5e.emulator.urscript.interpreter import BUILTINS
from robots.ur5e.emulator.urscript.tokens import KEYWORDS


def _words(text: str) -> list[str]:
    return text.split()


_NUMBERS = _words("0 1 -1 3 0.5 1e3 1e308 1e-320 0x7fffffff 2147483648 1.2.3 .5 5. 9999999999999999999999 -0")
_SIGNS = [*_words("+ - * / % < > <= >= == != = ( ) [ ] , : p["), "\n"]
_TEXTS = ['"a"', "''", '"' + "x" * 300 + '"', '"', "#", "\0", "\u00e9", "\U0001f600"]
_WHOLE = [
    "movej([d2r(90),d2r(-90),d2r(90),d2r(-90),d2r(-90),0])",
    "3.1+0.1",
    "a=1.2.3",
    "movel(p[0.3,0.2,0.3,0,3.14,0],a=0.5,v=0.1)",
    "speedj([0.1,0,0,0,0,0],0.5,0.05)",
    "servoj(get_target_joint_positions())",
    "def f():\n movej([3,-1.5,1.5,-1.5,-1.5,0.1])\nend",
    "def f():\n while True:\n  sync()\n end\nend",
    "sec s():\n set_digital_out(0,True)\nend",
    "x=make_list(1000,make_list(1000,1))",
    "a=[1,2]\na[0]=a",
    "thread t():\n x=1\nend\nrun t()",
    "pose_trans(p[1e308,1e308,0,1e308,1e308,1e308],p[0,0,0,1e200,0,0])",
    "stopj(0)",
    "GET / HTTP/1.1",
]
_REGISTERS = _words("ACT GTO ATR ARD FOR SPE PRE STA OBJ FLT POS MOD XYZ")


def _bytes(random: Random, most: int) -> bytes:
    return random.randbytes(random.randrange(most))


def script(random: Random) -> bytes:
    """A line, or a few that end as a program does."""
    if random.random() < 0.2:
        text = random.choice(_WHOLE)
        if random.random() < 0.5:  # bitten
            at = random.randrange(len(text))
            text = text[:at] + random.choice([*_NUMBERS, *_SIGNS, *_TEXTS]) + text[at + random.randrange(3) :]
    elif random.random() < 0.1:
        return _bytes(random, 60).replace(b"\n", b"") + b"\n"
    else:
        name = random.choice(sorted(BUILTINS))
        words = [*sorted(KEYWORDS), *_NUMBERS, *_SIGNS, *_TEXTS, "x", "p[0,0,0,0,0,0]", "[1,2,3,4,5,6]"]
        arguments = ",".join(random.choice(words) for _ in range(random.randrange(7)))
        text = random.choice(
            [
                f"{name}({arguments})",
                f"x={name}({arguments})",
                " ".join(random.choice([*words, name]) for _ in range(random.randrange(12))),
                f"def f({random.choice(['', 'x', 'x=1', 'x,x'])}):\n {name}({arguments})\nend",
            ]
        )
    return text.encode("utf-8", "replace") + b"\n"


def dashboard(random: Random) -> bytes:
    line = random.choice(sorted(COMMANDS))
    if line in ("quit", "exit"):
        line = "running"
    if random.random() < 0.5:
        line += " " + random.choice([*_NUMBERS, *_TEXTS, "wave.urp", "default.installation", "manual"])
    if random.random() < 0.2:
        line = line[random.randrange(len(line)) :].upper()
    if random.random() < 0.1:
        return _bytes(random, 60).replace(b"\n", b"") + b"\n"
    return line.replace("\n", "").encode("utf-8", "replace") + b"\n"


def package(random: Random) -> bytes:
    """An RTDE package: whole, with a wrong payload, or with a wrong size."""
    if random.random() < 0.1:
        return _bytes(random, 60)
    kind = random.choice(b"VvOISPUMX")
    names = random.choices([*rtde.OUTPUT, *rtde.INPUT, "", "nothing", "\u00e9"], k=random.randrange(12))
    payload = random.choice(
        [
            b"",
            _bytes(random, 80),
            struct.pack(">H", random.choice([0, 1, 2, 2, 2, 3, 65535])),
            struct.pack(">d", float(random.choice(["125", "1e-320", "nan", "inf", "-1", "500", "1e308"])))
            + ",".join(names).encode(),
            ",".join(names).encode(),
            bytes([random.randrange(4)]) + struct.pack(">3d", *(float(n) for n in ("nan", "inf", "1e308"))),
        ]
    )
    size = 3 + len(payload) if random.random() < 0.95 else random.randrange(1 << 16)
    return struct.pack(">HB", size, kind) + payload


def gripper(random: Random) -> bytes:
    if random.random() < 0.1:
        return _bytes(random, 60).replace(b"\n", b"") + b"\n"
    values = [*_NUMBERS, "255", "nan", "inf", "\u0660"]
    count = random.randrange(5)
    pairs = " ".join(f"{random.choice(_REGISTERS)} {random.choice(values)}" for _ in range(count))
    line = random.choice([f"SET {pairs}", f"GET {random.choice(_REGISTERS)}", pairs, "SET POS", "GET"])
    return line.encode() + b"\n"
