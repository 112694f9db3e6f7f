"""Forecast the episode of the method `careful`, and set the two prices by which it decides."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from app.controls.badge import SegmentedControl
from app.controls.layout import Surface, clear_layout, column, label, row
from app.controls.progress_line import ProgressLine
from app.dialogs.setup.forecast_process import forecast_in_process
from app.presentation.likelihood import fine_percent
from app.runtime.background_task import BackgroundTask
from app.theme import tokens as t
from core.config import Settings
from core.errors import ConsoleError
from core.evaluation.forecast_report import CLAIM_PRICES, PRICES, ForecastReport, careful_options
from core.methods.careful.claim_line import claim_line
from core.methods.careful.options import CarefulOptions

NEVER = 0.0  # the price of a question that is never asked


class ForecastSection(Surface):
    """Shows what `careful` expects of the episode, computed in another process; hidden for other methods."""

    chosen = Signal(str, float)  # an option of the method, and its value

    def __init__(self) -> None:
        super().__init__("sunken", "l")
        self.result: ForecastReport | None = None
        self._settings: Settings | None = None  # what it was made for
        self._task = BackgroundTask("forecast")
        self._task.progressed.connect(self._progressed)
        self._task.done.connect(self._done)
        self._progress = ProgressLine()
        self._progress.cancelled.connect(self._give_up)
        self._head, self._more = label("", "strong", "ink", wrap=True), label("", "small", "text", wrap=True)
        self._asked = PriceSelector("A question to you costs, in steps", (*PRICES, NEVER))
        self._asked.chosen.connect(lambda price: self.chosen.emit("operator_cost", price))
        self._claims = PriceSelector("A false claim costs, in steps", CLAIM_PRICES)
        self._claims.chosen.connect(lambda price: self.chosen.emit("false_claim_cost", price))
        title = row(label("FORECAST", "micro", "muted"), 1, self._progress)
        parts = (title, self._head, self._more, self._asked, self._claims)
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
        self._show_prices(options)
        self._head.setText("")
        self._more.setText("")
        self._progress.show_progress("starting")
        wanted = settings
        self._task.start(
            lambda cancel, report: forecast_in_process(
                wanted, robots, cancel, lambda done, of: report((done, of))
            )
        )

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
        self.result, found = result, result.forecast
        low, high = result.interval(lambda f: f.true_claims)
        share = f"{100 * low:.0f} to {100 * high:.0f}" if result.assumed else f"{100 * found.true_claims:.0f}"
        self._head.setText(f"Reaches the goal in {share} %")
        self._more.setText(
            f"{result.assumed + ' It ' if result.assumed else ''}"
            f"claims it falsely in {100 * found.false_claims:.0f} %, {found.calls:.1f} calls of the model, "
            f"{found.questions:.1f} questions to you, {found.steps:.0f} steps"
        )
        rates = (f"{rate:.1f} at {_price(price)}" for price, rate in result.rates if price)
        self._asked.note.setText(f"questions in an episode: {', '.join(rates)}")
        claims = (f"{100 * f.true_claims:.0f} % at {_price(price)}" for price, f in result.claims)
        if foretold := ", ".join(claims):
            self._claims.note.setText(f"{self._claims.note.text()}; reached and claimed: {foretold}")

    def _show_prices(self, options: CarefulOptions) -> None:
        self._asked.show_price(options.operator_cost)
        self._asked.note.setText("")
        self._claims.show_price(options.false_claim_cost)
        self._claims.note.setText(f"the goal is always claimed from {fine_percent(claim_line(options))} on")


class PriceSelector(QWidget):
    """A few prices in steps, one of them chosen, and what follows from it."""

    chosen = Signal(float)

    def __init__(self, name: str, usual: tuple[float, ...]) -> None:
        super().__init__()
        self._name, self._usual = name, usual
        self._prices: tuple[float, ...] = ()
        self._control: SegmentedControl | None = None
        self._place = row(1)
        self.note = label("", "caption", "muted", wrap=True)
        self.setLayout(column(label(name, "caption", "text"), self._place, self.note, spacing=t.XS))

    def show_price(self, now: float) -> None:
        """Choose this price; one that is not usual has a place of its own."""
        prices = tuple(sorted({*self._usual, now}, key=lambda price: price or float("inf")))
        if prices != self._prices or self._control is None:
            self._prices = prices
            clear_layout(self._place, keep=1)
            words = tuple(f"{price:g}" if price else "never" for price in prices)
            self._control = SegmentedControl(words, prices.index(now), self._name)
            self._control.currentChanged.connect(lambda i: self.chosen.emit(self._prices[i]))
            self._place.insertWidget(0, self._control)
        with QSignalBlocker(self._control):
            self._control.setCurrentIndex(prices.index(now))


def _price(price: float) -> str:
    return "1 step" if price == 1 else f"{price:g} steps"
