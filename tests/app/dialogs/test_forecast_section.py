"""The forecast in the set-up dialog: for the method `careful` only."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.dialogs.setup import forecast_section
from app.dialogs.setup.forecast_section import ForecastSection
from core.config import Settings
from core.errors import BadValue
from core.evaluation.forecast_report import ForecastReport
from core.methods.careful.forecast import Forecast

SETTINGS = Settings("halve_egg", method="careful", answerer="symmetric-34")
RATES = ((1.0, 2.1), (3.0, 1.0), (10.0, 0.3))
FOUND = ForecastReport(Forecast(40, 0.98, 0.0, 1.5, 1.0, 15.3), "symmetric-34", 3.0, 0.9925, RATES)


@pytest.fixture
def section(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> ForecastSection:
    def told(settings, robots, logs, cancel, report):
        if settings.seed == 7:
            raise BadValue("The domain has no plan.")
        return FOUND

    monkeypatch.setattr(forecast_section, "forecast_in_process", told)
    made = ForecastSection(Path("nowhere"))
    qtbot.addWidget(made)
    return made


def test_that_it_says_what_to_expect(section: ForecastSection, qtbot: QtBot) -> None:
    section.show_for(SETTINGS)
    qtbot.waitUntil(lambda: section.result is FOUND)
    assert not section.isHidden() and section._head.text() == "Reaches the goal in 98 %"
    assert "1.0 questions to you" in section._more.text()
    assert "2.1 at 1 step, 1.0 at 3 steps" in section._prices.text()
    assert "The goal is always claimed at 99.9 % or more" in section._prices.text()


def test_that_other_methods_have_none_and_a_fault_is_a_sentence(
    section: ForecastSection, qtbot: QtBot
) -> None:
    section.show_for(Settings("halve_egg", method="dkprompt"))
    assert section.isHidden()
    section.show_for(Settings("halve_egg", method="careful", seed=7))
    qtbot.waitUntil(lambda: section._more.text() == "The domain has no plan.")
    section.show_for(None)
    assert section.isHidden()
