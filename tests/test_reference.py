"""docs/reference.md is what the tables of parts say."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.plugins import PLUGINS_VARIABLE
from main import registries
from scripts.reference import PAGE, page


def test_that_the_reference_is_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLUGINS_VARIABLE, "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # a person's own profiles are not in it
    assert PAGE.read_text(encoding="utf-8") == page(registries()), "run `make reference`"


def test_that_every_option_of_every_part_is_in_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    options = [
        f"`{t.kind}.{name}`" for t in registries().values() for e in t for name in e.options.model_fields
    ]
    assert options and all(option in text for option in options)
