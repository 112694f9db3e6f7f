"""Forecast episodes in another process, so that neither the window nor a running robot waits for it."""

from __future__ import annotations

from functools import partial
from pkgutil import resolve_name

from app.runtime.background_process import Report, run_in_process
from core.config import Settings
from core.evaluation.forecast_report import CLAIM_PRICES, PRICES, ForecastReport, make_forecast
from core.stop_token import StopToken


def forecast_in_process(settings: Settings, robots: str, cancel: StopToken, report: Report) -> ForecastReport:
    """Forecast with somebody to be asked. Not on the GUI thread.

    `robots` names the table of robots as "module:NAME". Raises Cancelled after the process was killed, and
    BadValue where there is no forecast.
    """
    work, asked = "app.dialogs.setup.forecast_process:forecast_for", (settings, robots)
    found: ForecastReport = run_in_process(work, asked, "forecast", cancel, report)
    return found


# --- the side that forecasts -----------------------------------------------------------------------------


def forecast_for(asked: tuple[Settings, str], report: Report) -> ForecastReport:
    """Do what `forecast_in_process` asks, in this process. Raises ConsoleError."""
    from core.planning.domain_library import find_task

    settings, robots = asked
    domain_spec, task = find_task(*settings.task_place)
    viewpoints = resolve_name(robots)[settings.robot or domain_spec.default_robot].viewpoints
    forecast = partial(make_forecast, prices=PRICES, claim_prices=CLAIM_PRICES)
    return forecast(settings, domain_spec, task, viewpoints=viewpoints, report=report)
