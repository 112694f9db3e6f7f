"""The forecast before the start: whose rates count, at which prices, and what ends it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.config import Settings
from core.errors import BadValue, Cancelled
from core.evaluation.forecast_report import PRICED, ForecastReport, make_forecast, stated_answerer
from core.stop_token import StopToken
from tests.core import tiny

SETTINGS = Settings("get_key", method="careful", answerer="symmetric-34", robot="symbolic")
FOLDER = tiny.folder(0.5, 0.1)


def told(settings: Settings = SETTINGS, **more: object) -> ForecastReport:
    return make_forecast(settings, FOLDER, tiny.TASK, episodes=4, **more)  # type: ignore[arg-type]


def test_that_dearer_questions_are_foretold_to_be_rarer() -> None:
    found = told(prices=(0.2, 1000.0))
    assert [price for price, _ in found.rates] == [0.2, 3.0, 1000.0]
    rates = [rate for _, rate in found.rates]
    assert rates[0] > rates[-1] == 0 and rates[1] == found.forecast.questions
    assert found.answerer == "symmetric-34" and found.claimed_from == pytest.approx(0.9985)


def test_that_what_a_price_of_a_false_claim_does_is_foretold() -> None:
    found = told(claim_prices=(2.0, 1e6))
    assert [price for price, _ in found.claims] == [2.0, 2000.0, 1e6]
    cheap, chosen, dear = (forecast for _, forecast in found.claims)
    assert chosen is found.forecast and cheap.false_claims == dear.true_claims == 1


def test_that_every_episode_is_reported() -> None:
    reports: list[tuple[int, int]] = []
    told(prices=(1000.0,), report=lambda done, of: reports.append((done, of)))
    assert reports[0] == (1, 4 + PRICED) and reports[-1] == (4 + PRICED, 4 + PRICED)
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)


def test_that_it_can_be_cancelled() -> None:
    cancel = StopToken()
    with pytest.raises(Cancelled):
        told(cancel=cancel, report=lambda done, of: cancel.end("enough"))


def test_that_a_profile_states_its_rates_and_of_a_real_model_none_are_known() -> None:
    profile = stated_answerer("symmetric-34", SETTINGS)
    assert profile.error_rates("closed") == pytest.approx((0.66, 0.34))  # type: ignore[attr-defined]
    assert stated_answerer("openai", SETTINGS) is None  # and no key is asked for


def test_that_assumed_rates_are_called_so_and_leave_much_open() -> None:
    known, assumed = told(), told(replace(SETTINGS, answerer="openai"))
    assert not known.known.assumed and assumed.known.assumed
    assert "ASSUMED" in assumed.known.sentence and "30" in assumed.known.sentence

    def width(report: ForecastReport) -> float:
        low, high = report.interval(lambda forecast: forecast.false_claims)
        return high - low

    assert len(assumed.others) == 2 and not known.others
    assert width(assumed) >= width(replace(assumed, others=()))


def test_that_another_method_makes_no_forecast() -> None:
    with pytest.raises(BadValue, match="'dkprompt' makes no forecast"):
        told(replace(SETTINGS, method="dkprompt"))
