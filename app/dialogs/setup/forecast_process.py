"""Forecast episodes in another process, so that neither the window nor a running robot waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pkgutil import resolve_name
from typing import Any

from app.runtime.background_process import Report, run_in_process, serve
from core.config import Settings
from core.evaluation.forecast_report import CLAIM_PRICES, PRICES, ForecastReport, make_forecast
from core.stop_token import StopToken


def forecast_in_process(settings: Settings, robots: str, cancel: StopToken, report: Report) -> ForecastReport:
    """Forecast with somebody to be asked. Not on the GUI thread.

    `robots` names the table of robots as "module:NAME". Raises Cancelled after the process was killed, and
    BadValue where there is no forecast.
    """
    asked = {"settings": asdict(settings), "robots": robots}
    broke = "The forecast broke off ({})."
    return run_in_process("app.dialogs.setup.forecast_process", asked, ForecastReport, broke, cancel, report)


# --- the side that forecasts -----------------------------------------------------------------------------


def forecast_for(asked: Mapping[str, Any], report: Report) -> ForecastReport:
    """Do what `forecast_in_process` asks, in this process. Raises ConsoleError."""
    from core.planning.domain_library import find_task

    settings = Settings(**asked["settings"])
    domain_spec, task = find_task(*settings.task_place)
    viewpoints = resolve_name(asked["robots"])[settings.robot or domain_spec.default_robot].viewpoints
    forecast = partial(make_forecast, prices=PRICES, claim_prices=CLAIM_PRICES)
    return forecast(settings, domain_spec, task, viewpoints=viewpoints, report=report)


if __name__ == "__main__":
    serve(forecast_for)
