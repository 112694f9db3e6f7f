"""The calibration's guide in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.cli.calibrate import guide_calibration
from core.arm.hand_eye import STORE_IN_DOUBT, CalibrationFrame, CalibrationStatus
from core.errors import BadValue


class Session:
    """A calibration in doubt, which only its word stores."""

    camera = "overhead"
    status = CalibrationStatus(12, 12, "", "figures", "the table is not measured", True, False)
    stored = False

    def look(self) -> CalibrationFrame:
        raise NotImplementedError

    def capture(self) -> str:
        return ""

    def capture_table(self) -> str:
        return ""

    def undo(self) -> None:
        pass

    def save(self, confirmation: str = "") -> str:
        if confirmation != STORE_IN_DOUBT:
            raise BadValue("In doubt.")
        self.stored = True
        return "overhead.toml"

    def close(self) -> None:
        pass


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    left: Iterator[str] = iter(lines)
    monkeypatch.setattr("builtins.input", lambda _: next(left))


@pytest.mark.parametrize("word", ["", "s", "y"])
def test_that_one_key_stores_nothing_that_is_in_doubt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    typed(monkeypatch, "s", word, "q")
    session = Session()
    assert not guide_calibration(session) and not session.stored
    assert "In doubt: the table is not measured. The robot does not start with it." in capsys.readouterr().out


def test_that_its_word_stores_it(monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "s", STORE_IN_DOUBT)
    session = Session()
    assert guide_calibration(session) and session.stored
