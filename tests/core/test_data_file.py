"""A file with a slip in it is told in one sentence with file, place and fault; what is written reads back."""

from __future__ import annotations

import os
import stat
import time
import tomllib
from dataclasses import field
from pathlib import Path
from typing import Literal

import pytest
from pydantic.dataclasses import dataclass

from core import data_file
from core.data_file import (
    FILE,
    UnitInterval,
    load_json,
    load_toml,
    parse_toml,
    read_text,
    replacing,
    write_toml,
)
from core.errors import BadFile


@dataclass(frozen=True, config=FILE)
class Lamp:
    share: UnitInterval
    colour: Literal["red", "blue"] = "red"
    at: tuple[float, float] = (0, 0)


@dataclass(frozen=True, config=FILE)
class Room:
    name: str
    lamps: tuple[Lamp, ...] = ()
    by_name: dict[str, Lamp] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "name is missing"),
        ("name = 3", "name must be text, not 3"),
        ('name = "x"\nlamp = 1', "lamp is not a known key"),
        ("nam = 1", "nam is not a known key"),
        ('name = "x"\nlamps = 1', "lamps must be a list, not 1"),
        ('name = "x"\nby_name = 1', "by_name must be a table, not 1"),
        ('name = "x"\n[by_name.a]\nshare = 2', "by_name.a.share must be at most 1, not 2"),
        ('name = "x"\n[by_name.a]\nshare = "1"', "by_name.a.share must be a number, not '1'"),
        ('name = "x"\n[by_name.a]\nshare = nan', "by_name.a.share must be a finite number, not nan"),
        ('name = "x"\n[[lamps]]\nshare = true', "lamps number 1, share must be a number, not True"),
        ('name = "x"\n[[lamps]]\nshare = 0\nat = [1]', "lamps number 1, at number 2 is missing"),
        ('name = "x"\n[[lamps]]\nshare = 0\nat = [1, 2, 3]', "at must have at most 2 values, not 3"),
        ('name = "x"\n[[lamps]]\nshare = 0\ncolour = "gold"', "colour must be 'red' or 'blue', not 'gold'"),
        ("name = ", "it is not TOML (Invalid value"),
        (r'name = "C:\users"', "a path with backslashes goes in single quotes"),
        ("name = " + "[" * 5000, "it is nested too deep"),
        ("name = '''" + "x" * 300 + "'''\nlamps = '''\n" + "y" * 300 + "'''", "yyy…"),
    ],
)
def test_that_a_slip_is_told_with_file_place_and_what_is_allowed(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "room.toml"
    path.write_text(text)
    with pytest.raises(BadFile) as caught:
        load_toml(path, Room, "See docs")
    message = str(caught.value)
    assert said in message and message.startswith(f"{path}: ") and message.endswith(". See docs.")
    assert "\n" not in message and len(message) < 300


def test_that_only_a_regular_text_file_of_reasonable_size_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "latin").write_bytes(b"\xe9")
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbfa\r\nb")
    (tmp_path / "long").write_text("x" * 11)
    monkeypatch.setattr(data_file, "MAX_CHARS", 10)
    for name, said in [
        ("pipe", "no regular file"), ("latin", "not UTF-8"), ("long", "longer than 10"),
        ("none", "no such file"), (".", "a folder"), ("a\0", "null"),
    ]:  # fmt: skip
        with pytest.raises(BadFile, match=said):
            read_text(tmp_path / name)
    assert read_text(tmp_path / "marked") == "a\nb"


def test_that_json_is_checked_as_toml_is(tmp_path: Path) -> None:
    path = tmp_path / "room.json"
    path.write_text('{"name": "x", "lamps": [{"share": 1}]}')
    assert load_json(path, Room) == Room("x", (Lamp(1),))
    path.write_text('{"name": "x", "lamps": [{"share": 7}]}')
    with pytest.raises(BadFile, match="lamps number 1, share must be at most 1, not 7"):
        load_json(path, Room)


def test_that_what_is_written_reads_back(tmp_path: Path) -> None:
    data = {
        "name": 'a "b" \\ \x7f \u2028 \n😀', "on": True, "share": 1e-09, "at": [1, 2.5, "x"],
        "table": {"robot.arm": "x", "": "empty", "deeper": {"é": -1}},
    }  # fmt: skip
    path = tmp_path / "new" / "room.toml"
    write_toml(path, {**data, "left_out": None}, "Two\nlines.")
    assert path.read_text().startswith("# Two\n# lines.\n") and tomllib.loads(path.read_text()) == data


def test_that_half_a_character_in_a_name_does_not_break_the_file(tmp_path: Path) -> None:
    write_toml(tmp_path / "a.toml", {"file": "x\udcff", "other": 1})
    assert tomllib.loads((tmp_path / "a.toml").read_text()) == {"file": "x?", "other": 1}


def test_that_a_write_that_fails_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "room.toml").mkdir()
    with pytest.raises(BadFile, match="cannot be written"):
        write_toml(tmp_path / "room.toml", {"on": True})
    assert [path.name for path in tmp_path.iterdir()] == ["room.toml"]


def test_that_what_is_no_regular_file_is_written_itself(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with replacing(tmp_path / "pipe") as part:
        assert part == tmp_path / "pipe"
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode) and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("unit", ["aaaa ." * 63, ("a" * 1000 + ".") * 63, "a", '"', " " * 4000 + "."])
def test_that_hostile_keys_are_refused_at_once(unit: str) -> None:
    started = time.thread_time()
    with pytest.raises(BadFile):
        parse_toml(Path("room.toml"), f"{unit}\n" * (400_000 // len(unit)))
    assert time.thread_time() - started < 1
