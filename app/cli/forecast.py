"""`forecast`: what to expect of an episode before it begins."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.table import Column, Table
from typer import Option

from app.cli.help_text import CommandLine, listing
from app.cli.options import Database, Json, PartOptions, Plugins, log_path, part_options, settings_of
from app.cli.output.json_output import print_json
from app.cli.output.printing import PlainConsole, print_line, right_column
from app.cli.settings_options import takes_settings
from app.episode.kept_knowledge import known_before
from app.presentation.likelihood import fine_percent
from core.errors import LogError
from core.evaluation.forecast_report import CLAIM_PRICES, PRICES, ForecastReport, make_forecast
from core.log.store import Store
from core.methods.careful.forecast import Forecast
from core.planning.domain_library import find_task
from core.text.numbers import money
from core.text.plural import plural
from core.vqa.eye.coverage import EYE, doubt_of_eyes
from core.vqa.registry import uses_network

cli = CommandLine()


@cli.command(cls=listing("answerers"))
@takes_settings(
    *("task", "domain", "domain_file", "problem_file", "variant", "answerer", "robot", "max_steps"),
    *("engine", "seed"),
)
def forecast(
    context: typer.Context,
    option: PartOptions = None,
    alone: bool = Option(False, "--alone", help="Nobody is there to be asked."),
    episodes: int = Option(40, min=1, max=10_000, help="That are played."),
    plugins: Plugins = None,
    database: Database = None,
    as_json: Json = False,
    **_: Any,
) -> None:
    """Forecast an episode with the method `careful`: success, false claims, calls, questions to you.

    Episodes are played in the method's own model, with the situations of the domain and the error rates
    that the answerer states. Nothing moves and nobody is asked. It is as good as these rates. With -o
    method.operator_cost=1 a question to you costs one step, with -o method.false_claim_cost=1000 a false
    claim costs a thousand; `run` takes both as well. Money is told where the log has calls of this answerer
    that cost some.

    Exit 0: a forecast was made. 2: the input is wrong. 130: Ctrl+C.
    """
    settings = settings_of(context, method="careful", options=part_options(option))
    domain_spec, task = find_task(*settings.task_place)
    name, robots = settings.robot or domain_spec.default_robot, context.obj.tables()["robots"]
    viewpoints = getattr(robots[name], "viewpoints", ())
    began = time.perf_counter()
    report = make_forecast(
        settings,
        domain_spec,
        task,
        viewpoints=viewpoints,
        operator=not alone,
        episodes=episodes,
        prices=() if alone else PRICES,
        claim_prices=CLAIM_PRICES,
        known_before=known_before(log_path(database).parent, settings, domain_spec, task, robots),
        report=_progress if sys.stderr.isatty() else lambda done, of: None,
    )
    prices = _prices_of_calls(log_path(database))
    price = prices.get(settings.answerer)
    if as_json:
        print_json(_form(report) | {"dollars": None if price is None else price * report.forecast.calls})
        return
    console = PlainConsole()
    took = time.perf_counter() - began
    head = (
        f"{task.name}, answers of {report.answerer}: {plural(episodes, 'episode')} simulated in {took:.1f} s"
    )
    console.print(head, style="bold")
    if report.known.sentence:
        print_line(console, report.known.sentence)
    own = settings.options_for("answerer").get("folder")
    if settings.answerer == EYE and (said := doubt_of_eyes(own, domain_spec, task.problem, name, "careful")):
        print_line(console, said, "yellow")
    console.print(_table(report, price))
    if price is None and prices and uses_network(report.answerer):
        names = ", ".join(f"--answerer {name}" for name in sorted(prices))
        print_line(console, f"The log has what a call of others cost: {names}.")
    if not alone:
        console.print(_prices(report))
    console.print(_claims(report))


def _prices_of_calls(log: Path) -> dict[str, float]:
    """Return what a call of each answerer cost on average in US dollars, of those with a price."""
    if not log.exists():
        return {}
    asked = "select answerer, sum(cost) / sum(calls) from episodes where cost > 0 and calls group by answerer"
    with suppress(LogError), Store.open(log, read_only=True) as store:
        return dict(store.rows((str, float), asked))
    return {}


def _table(report: ForecastReport, price: float | None) -> Table:
    found = report.forecast
    table = Table("", right_column(""), Column(style="dim"), box=None, show_header=False, pad_edge=False)
    shares: dict[str, Callable[[Forecast], float]] = {
        "goal reached and claimed": lambda f: f.true_claims,
        "claimed falsely": lambda f: f.false_claims,
    }
    for name, share in shares.items():
        low, high = report.interval(share)
        table.add_row(name, f"{100 * share(found):.0f} %", f"{100 * low:.0f} to {100 * high:.0f} %")
    table.add_row("calls of the model", f"{found.calls:.1f}", "an episode")
    if price is not None:
        cost = money(price * found.calls)
        table.add_row("these cost", cost, f"an episode, {money(price)} a call as in the log")
    table.add_row("questions to you", f"{found.questions:.1f}", "an episode")
    table.add_row("steps of the robot", f"{found.steps:.1f}", "an episode")
    table.add_row("it claims the goal from", fine_percent(report.claimed_from), "method.false_claim_cost")
    return table


def _prices(report: ForecastReport) -> Table:
    heads = ("a question to you costs", right_column("questions an episode"), Column(style="dim"))
    table = Table(*heads, box=None, pad_edge=False, header_style="dim")
    for price, rate in report.rates:
        chosen = "chosen: method.operator_cost" if price == report.price else ""
        table.add_row(
            f"{price:g} {'step' if price == 1 else 'steps'}" if price else "never asked",
            f"{rate:.1f}",
            chosen,
        )
    return table


def _claims(report: ForecastReport) -> Table:
    """Return what a false claim's price does: too high a one, and nothing is claimed."""
    heads = ("a false claim costs", right_column("reached and claimed"), right_column("claimed falsely"))
    table = Table(*heads, Column(style="dim"), box=None, pad_edge=False, header_style="dim")
    for price, found in report.claims:
        shares = (f"{100 * share:.0f} %" for share in (found.true_claims, found.false_claims))
        chosen = "chosen" if found is report.forecast else ""
        table.add_row(f"{price:g} steps", *shares, chosen)
    return table


def _form(report: ForecastReport) -> dict[str, object]:
    rates = [{"price": price, "questions": rate} for price, rate in report.rates]
    return asdict(report.forecast) | {
        "answerer": report.answerer,
        "assumed": report.known.sentence if report.known.assumed else "",
        "measured": "" if report.known.assumed else report.known.sentence,
        "true_claims_interval": report.interval(lambda f: f.true_claims),
        "false_claims_interval": report.interval(lambda f: f.false_claims),
        "operator_cost": report.price,
        "claimed_from": round(report.claimed_from, 4),
        "rates": rates,
        "claims": [
            {"price": price, "true_claims": found.true_claims, "false_claims": found.false_claims}
            for price, found in report.claims
        ],
    }


def _progress(done: int, of: int) -> None:
    sys.stderr.write(f"\repisode {done} of {of}{'' if done < of else chr(10)}")
    sys.stderr.flush()
