"""Wherever an arm is named, what is no address is refused in one sentence, and two spellings are one arm."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadFile, BadValue
from robots.registry import ROBOTS
from robots.remote.remote_entry import RemoteOptions
from robots.ur5e.arm_setup import ArmSetup, read_setup
from robots.ur5e.console_seat import arm_identity
from robots.ur5e.tabletop.hardware import resolve_setup

NO_ADDRESS = (
    "127.0.0.010",
    "192.168.1",
    "0x7f.1",
    "10",
    "http://192.168.1.10",
    "192.168.1.10:30004",
    "the arm",
)


@pytest.mark.parametrize("text", NO_ADDRESS)
def test_that_no_way_to_name_an_arm_takes_what_is_no_address(tmp_path: Path, text: str) -> None:
    file = tmp_path / "arm.toml"
    file.write_text(f'address = "{text}"')
    with pytest.raises(BadFile, match="is not an address"):
        read_setup(file)
    with pytest.raises(BadValue, match="is not an address"):
        resolve_setup(text)
    with pytest.raises(BadValue, match=r"option arm: .* is not an address"):
        ROBOTS["ur5e"].read_options({"arm": text})
    with pytest.raises(BadValue, match="is no"):
        assert RemoteOptions(at=f"{text}:8790").address


def test_that_two_spellings_of_an_address_are_one_arm(tmp_path: Path) -> None:
    assert ArmSetup(address="::ffff:127.0.0.88") == ArmSetup(address="127.0.0.88")
    file = tmp_path / "arm.toml"
    file.write_text('address = "LocalHost"')
    assert resolve_setup(str(file)).address == resolve_setup("localhost").address == "127.0.0.1"


def test_that_another_arm_at_the_same_address_is_another_arm() -> None:
    assert arm_identity("192.168.1.10", "1") != arm_identity("192.168.1.10", "2")


def test_that_a_missing_setup_file_is_told_as_one() -> None:
    with pytest.raises(BadFile, match="there is no such file"):
        resolve_setup("nowhere/arm.toml")
