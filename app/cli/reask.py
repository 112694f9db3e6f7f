"""`reask`: ask another model, wording or prompt about logged pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import typer
from rich.status import Status
from rich.table import Table
from rich.text import Text
from typer import Argument, Option

from app.cli.help_text import CommandLine
from app.cli.log_file import open_to_read
from app.cli.options import Database, Json, settings_of
from app.cli.output.json_output import print_json
from app.cli.output.printing import PlainConsole, right_column
from app.cli.reask_prompts import ReaskRequest, ask_all, compare_logged_prompts, episodes_of, pictures_of
from app.cli.settings_options import OF_A_MODEL, Unused, refuse_unused, takes_settings
from core.closing import close_part
from core.domains import DomainSpec
from core.errors import LogError
from core.log.store import Store
from core.planning.domain_library import load_domain_spec
from core.ports import Answerer
from core.stop_token import StopToken
from core.text.plural import plural
from core.text.untrusted_text import sanitise
from core.vqa.knower.registry import is_simulated_knower
from core.vqa.reask import Agreement, Exchange, compare_answers, logged_exchanges, reask
from core.vqa.registry import make_answerer

cli = CommandLine()


@cli.command("reask")
@takes_settings(
    "model", "prompt", "picture_size", "max_calls", "max_dollars", "max_tokens", "max_seconds", "cache"
)
def reask_command(
    context: typer.Context,
    answerer: str = Option(..., help="A preset, PRESET:MODEL, a URL, a file, or several joined by +."),
    episode: list[str] | None = Argument(None, help="Their ids; none: all, latest first."),
    wording: str = Option("", help="A domain folder: its questions about the same facts."),
    prompts: bool = Option(
        False,
        "--prompts",
        help="What methods asked a language model in words, such as cowp; the answerer may be a "
        "simulated one: perfect, davinci, ada.",
    ),
    limit: int = Option(100, help="How many calls at most.", min=1),
    to: Path | None = Option(None, help="Both raw replies of each call, as JSON Lines."),
    database: Database = None,
    as_json: Json = False,
    **_: Any,
) -> None:
    """Ask logged questions about their pictures again, and compare agreement, duration and cost.

    No episode is changed. Ctrl+C compares what was asked so far. Exit 1: not everything was asked.
    """
    request = ReaskRequest(settings_of(context), episode or (), limit, to)
    if prompts:
        refuse_unused(context, _unused_of_prompts(answerer))
    with open_to_read(database) as store:
        if prompts:
            whole = compare_logged_prompts(store, request, as_json)
        else:
            whole = compare_logged_answers(store, request, wording, as_json)
    raise typer.Exit(0 if whole else 1)


def _unused_of_prompts(answerer: str) -> Iterator[Unused]:
    yield Unused(("wording", "prompt", "picture_size"), "--prompts asks again in the logged words")
    if is_simulated_knower(answerer):
        yield Unused(OF_A_MODEL, f"{answerer} is no model behind an address")


def compare_logged_answers(store: Store, request: ReaskRequest, wording: str, as_json: bool) -> bool:
    """Ask logged questions about their pictures again. Return True if all of them were asked.

    `wording` is a domain folder whose questions about the same facts are asked, "" for none.
    """
    console = PlainConsole(stderr=True)
    domain_spec = load_domain_spec(wording) if wording else None
    asking, meter = request.asking(console)
    other = make_answerer(request.settings.answerer, asking=asking, meter=meter)
    try:
        with console.status("asking") as status:
            found = reasked_exchanges(store, request, other, domain_spec, status)
            done, stopped = ask_all(found, request.to, json_line)
    finally:
        close_part(other)
    if not done:
        raise LogError("The log has no picture that a model was asked about: run an episode first.")
    show(done, other.name, stopped, as_json)
    return not stopped


@dataclass(frozen=True)
class ReaskedExchange:
    """An exchange of an episode, and that of the other answerer."""

    episode: str
    before: Exchange
    after: Exchange


def reasked_exchanges(
    store: Store, request: ReaskRequest, answerer: Answerer, domain_spec: DomainSpec | None, status: Status
) -> Iterator[ReaskedExchange]:
    """Ask at most `limit` exchanges of these episodes, or of all, latest first, in another folder's wording.

    Those without a stored picture are left out. Raises ConsoleError.
    """
    count, cancel = 0, StopToken()
    for episode in episodes_of(store, request.episodes):
        for one in logged_exchanges((r.event for r in store.records(episode)), pictures_of(store)):
            if count < request.limit and one.frame.png and one.call.by not in ("", "nobody"):
                count += 1
                status.update(Text(f"asking about picture {count}, of {episode}"))
                asked = reworded(domain_spec, one) if domain_spec else one
                yield ReaskedExchange(episode, one, reask(asked, answerer, cancel))
        if count == request.limit:
            return


def reworded(domain_spec: DomainSpec, exchange: Exchange) -> Exchange:
    """Return the questions in another domain folder's wording; one that it does not ask keeps its own."""
    asked = (domain_spec.query(q.atom, q.purpose, q.expected) or q for q in exchange.queries)
    return replace(exchange, queries=tuple(asked))


def json_line(one: ReaskedExchange) -> Mapping[str, object]:
    """Return an exchange with both raw replies as JSON."""

    def side(exchange: Exchange) -> Mapping[str, object]:
        call = exchange.call
        return {
            "by": call.by,
            "prompt": call.prompt,
            "questions": [query.text for query in exchange.queries],
            "verdicts": [answer.verdict.value for answer in call.answers],
            "said": call.raw_reply,
            "seconds": call.seconds,
            "cost": call.cost,
        }

    old = one.before
    atoms = [str(query.atom) for query in old.queries]
    place = {"episode": one.episode, "turn": old.turn, "picture": old.frame.id, "atoms": atoms}
    return {**place, "before": side(old), "after": side(one.after)}


def show(done: Sequence[ReaskedExchange], name: str, stopped: str, as_json: bool) -> None:
    """Print how the answers compare; `stopped` says why not all of them were asked."""
    agreements = compare_answers([one.before for one in done], [one.after for one in done])
    errors = [one.after.call.error for one in done if one.after.call.error]
    if as_json:
        form = {"exchanges": len(done), "agreements": agreements, "stopped": stopped}
        cause = errors[-1] if errors else ""
        print_json({**form, "silent": len(errors), "cause": cause, "answerer": name})
        return
    console = PlainConsole()
    figures = ("asked", "both answered", "agreed", "share", "s before", "s now", "$ before", "$ now")
    table = Table("predicate", *map(right_column, figures), box=None, header_style="dim")
    for a in (*agreements, _sum(agreements)):
        share = f"{100 * a.agreed / a.both_decided:.0f} %" if a.both_decided else "–"
        counts = str(a.asked), str(a.both_decided), str(a.agreed)
        seconds = f"{a.seconds_before:.2f}", f"{a.seconds_after:.2f}"
        costs = _money(a.cost_before), _money(a.cost_after)
        style = "bold" if a.predicate == ALL else ""
        table.add_row(a.predicate, *counts, share, *seconds, *costs, style=style)
    console.print(table)
    console.print(f"{plural(len(done), 'call')} put to {name}; no belief is changed.", style="dim")
    if errors:
        silent = f"{plural(len(errors), 'call')} without an answer: {sanitise(errors[-1])}"
        console.print(silent, style="red", soft_wrap=True, markup=False)
    if stopped:
        console.print(f"Not all of them: {stopped}", style="yellow", soft_wrap=True)


ALL = "all"


def _sum(parts: Sequence[Agreement]) -> Agreement:
    """Return the sums; what is not known of one part is not known of all."""
    columns = ([getattr(part, f.name) for part in parts] for f in fields(Agreement)[1:])
    return Agreement(ALL, *(None if None in column else sum(column) for column in columns))  # type: ignore[arg-type]


def _money(cost: float | None) -> str:
    return "?" if cost is None else f"{cost:.4f}"
