"""Read how a person names an arm: by its address, or by a setup file."""

from __future__ import annotations

from pathlib import Path

from core.errors import BadValue
from core.host_address import host_address


def names_a_file(named: str) -> bool:
    return named.endswith(".toml") or Path(named).is_file()


def arm_name(named: str) -> str:
    """Return the name, an address in its usual spelling; "" names none. Raises ValueError in one sentence."""
    return named if not named or names_a_file(named) else arm_address(named)


def arm_address(text: str) -> str:
    """Return an arm's address in its usual spelling, for a check of pydantic's. Raises ValueError."""
    try:
        return host_address(text)
    except BadValue as error:
        raise ValueError(str(error).rstrip(".")) from None
