"""What a person writes as an address is one, or is refused; two spellings of one are one."""

from __future__ import annotations

import pytest

from core.errors import BadValue
from core.host_address import host_address, host_and_port, resolved

NO_ADDRESS = (
    "127.0.0.010",
    "192.168.001.010",
    "192.168.1",
    "127.88",
    "0x7f.1",
    "0x7f000001",
    "2130706433",
    "http://192.168.1.10",
    "192.168.1.10:30004",
    "192.168.1.10/24",
    " 192.168.1.10",
    "192.168.1.10\n",
    "192.168.1.256",
    "the arm",
    "arm_1",
    "-arm",
    "",
    ".",
    "a..b",
    "a" * 64,
    "١٩٢.168.1.10",
)


@pytest.mark.parametrize("text", NO_ADDRESS)
def test_that_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadValue, match="is not an address"):
        host_address(text)


@pytest.mark.parametrize(
    ("text", "is_"),
    [
        ("192.168.1.10", "192.168.1.10"),
        ("::ffff:127.0.0.88", "127.0.0.88"),
        ("::1", "::1"),
        ("0:0::1", "::1"),
        ("Arm-2.Lab.", "arm-2.lab"),
        ("localhost", "localhost"),
        ("3com.example", "3com.example"),
    ],
)
def test_that_an_address_has_one_spelling(text: str, is_: str) -> None:
    assert host_address(text) == is_


def test_that_a_name_is_resolved() -> None:
    assert resolved("localhost") == "127.0.0.1"
    assert resolved("127.0.0.88") == "127.0.0.88"


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "127.0.0.010:8790", "::1:8790", "lab:0", "lab:65536", "lab:+1", ":1", "lab:٣"]
)
def test_that_what_is_no_host_and_port_is_refused(text: str) -> None:
    with pytest.raises(BadValue, match="address"):
        host_and_port(text)


def test_that_host_and_port_are_read() -> None:
    assert host_and_port("[::1]:8790") == ("::1", 8790)
    assert host_and_port("Lab:8790") == ("lab", 8790)
