"""Forecast episodes in another process, so that neither the window nor a running robot waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pkgutil import resolve_name
from typing import Any

from pydantic import TypeAdapter, ValidationError

from app.runtime.background_process import Report, run_in_process, serve
from core.cancel import Cancel
from core.config import Settings
from core.errors import BadValue, ConsoleError
from core.evaluation.forecast_report import PRICES, ForecastReport, make_forecast


def forecast_in_process(settings: Settings, robots: str, cancel: Cancel, report: Report) -> ForecastReport:
    """Forecast with somebody to be asked. Not on the GUI thread.

    `robots` names the table of robots as "module:NAME". Raises Cancelled after the process was killed, and
    BadValue where there is no forecast.
    """
    asked = {"settings": asdict(settings), "robots": robots}
    reply, code = run_in_process("app.dialogs.setup.forecast_process", asked, cancel, report)
    try:
        return TypeAdapter(ForecastReport).validate_json(reply)
    except ValidationError:
        pass
    try:
        raise BadValue(TypeAdapter(dict[str, str]).validate_json(reply)["fault"])
    except (ValidationError, KeyError):
        raise BadValue(f"The forecast broke off ({code}).") from None


# --- the side that forecasts -----------------------------------------------------------------------------


def forecast_for(asked: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Do what `forecast_in_process` asks, in this process."""
    from core.planning.domain_library import find_task

    settings = Settings(**asked["settings"])
    try:
        folder, task = find_task(*settings.task_place)
        entry = resolve_name(asked["robots"])[settings.robot or folder.default_robot]
        viewpoints = entry.viewpoints
        return asdict(
            make_forecast(settings, folder, task, viewpoints=viewpoints, prices=PRICES, report=report)
        )
    except ConsoleError as error:
        return {"fault": str(error)}


if __name__ == "__main__":
    serve(forecast_for)
