"""Forecast the episode of the method `careful`, and what other prices of a question and a claim would do."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from app.controls.layout import Surface, column, label, row
from app.controls.progress_line import ProgressLine
from app.dialogs.setup.domain_probe import forecast_in_process
from app.presentation.likelihood import fine_percent
from app.runtime.background_task import BackgroundTask
from app.theme import tokens as t
from core.config import Settings
from core.errors import ConsoleError
from core.evaluation.forecast_report import ForecastReport, careful_options
from core.methods.careful.claim_line import claim_line


class ForecastSection(Surface):
    """Shows what `careful` expects of the episode, computed in another process; hidden for other methods."""

    def __init__(self, logs: Path) -> None:
        super().__init__("sunken", "l")
        self.result: ForecastReport | None = None
        self._logs = logs
        self._settings: Settings | None = None  # what it was made for
        self._task = BackgroundTask("forecast")
        self._task.progressed.connect(self._progressed)
        self._task.done.connect(self._done)
        self._progress = ProgressLine()
        self._progress.cancelled.connect(self._give_up)
        self._head, self._more = label("", "strong", "ink", wrap=True), label("", "small", "text", wrap=True)
        self._prices = label("", "caption", "muted", wrap=True)
        title = row(label("FORECAST", "micro", "muted"), 1, self._progress)
        parts = (title, self._head, self._more, self._prices)
        self.setLayout(column(*parts, spacing=t.S, margins=(t.L, t.M, t.L, t.M)))
        self.setAccessibleName("Forecast")
        self.hide()

    def show_for(self, settings: Settings | None, robots: str = "") -> None:
        """Forecast for these settings, unless that is done; None: not now. `robots` is as for the checks."""
        try:
            options = careful_options(settings) if settings else None
        except ConsoleError:  # another method, or a bad option, which the checks tell
            options = None
        if settings is None or options is None:
            self.stop()
            self.hide()
            return
        self.show()
        settings = replace(settings, pace=0.0, live_video=False)  # which change nothing
        if settings == self._settings:
            return
        self.result, self._settings = None, settings
        self._line = f"The goal is always claimed at {fine_percent(claim_line(options))} or more"
        self._prices.setText(self._line)
        self._head.setText("")
        self._more.setText("")
        self._progress.show_progress("starting")
        make = partial(forecast_in_process, settings, robots, self._logs)
        self._task.start(lambda cancel, report: make(cancel, lambda done, of: report((done, of))))

    def stop(self) -> None:
        """Give up what is not finished."""
        self._task.cancel()
        if self.result is None:
            self._settings = None
        self._progress.show_progress("")

    def _give_up(self) -> None:
        self._task.cancel()
        self._progress.show_progress("")
        self._head.setText("No forecast: you cancelled it")

    def _progressed(self, report: object) -> None:
        assert isinstance(report, tuple)
        self._progress.show_progress("episode", *report)

    def _done(self, result: object) -> None:
        self._progress.show_progress("")
        if not isinstance(result, ForecastReport):
            self._head.setText("No forecast")
            self._more.setText(str(result))
            return
        self.result, found, known = result, result.forecast, result.known
        low, high = result.interval(lambda f: f.true_claims)
        share = f"{100 * low:.0f} to {100 * high:.0f}" if known.assumed else f"{100 * found.true_claims:.0f}"
        self._head.setText(f"Reaches the goal in {share} %")
        self._more.setText(
            f"{known.sentence + ' It ' if known.sentence else ''}"
            f"claims it falsely in {100 * found.false_claims:.0f} %, {found.calls:.1f} calls of the model, "
            f"{found.questions:.1f} questions to you, {found.steps:.0f} steps"
        )
        rates = ", ".join(f"{rate:.1f} at {_price(price)}" for price, rate in result.rates if price)
        claims = ", ".join(f"{100 * f.true_claims:.0f} % at {_price(price)}" for price, f in result.claims)
        claimed = f"; reached and claimed, by the price of a false claim: {claims}" if claims else ""
        lines = (f"Questions to you, by the price of one: {rates}" if rates else "", self._line + claimed)
        self._prices.setText("\n".join(filter(None, lines)))


def _price(price: float) -> str:
    return "1 step" if price == 1 else f"{price:g} steps"
