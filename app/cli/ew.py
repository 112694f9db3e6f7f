"""`ew`: how far a domain agrees with the world that it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer
from typer import Option

from app.cli.help_text import CommandLine
from app.cli.options import Json, OperatorName, Plugins
from app.cli.output.json_output import print_json
from app.cli.output.printing import PlainConsole, print_line
from app.cli.settings_options import takes_settings
from core.domains import DomainSpec, Task
from core.drafting.agreement import LIMIT, Comparison, Score, Walks, compare
from core.drafting.folder import JudgedWalk, judge, read_walk
from core.drafting.simulator import WorldSimulator
from core.drafting.steps import DraftSteps
from core.drafting.world import world_of
from core.errors import BadValue
from core.operator import operator_name
from core.planning.domain_library import find_task

cli = CommandLine()


@dataclass(frozen=True)
class Agreement:
    """What `--json` prints."""

    map: str
    ew: float
    of_world: float  # share of the world's walks that the draft can do
    of_draft: float
    discrepancies: tuple[str, ...]
    untried: tuple[str, ...]
    compared: str
    states: int
    whole: bool
    agrees: bool


@cli.command()
@takes_settings("task", "domain", "domain_file", "problem_file")
def ew(
    context: typer.Context,
    map: str = Option("", metavar="GAME-SIZE-SEED", help="The world; by default the problem's name says it."),
    seed: int = Option(0, help="Random seed of the walks."),
    limit: int = Option(LIMIT, min=1, help="Pairs of states that are compared at most."),
    can: list[str] | None = Option(None, metavar="WALK", help="Keep that this can be done. Again for each."),
    cannot: list[str] | None = Option(None, metavar="WALK", help="Keep that its last step cannot be done."),
    operator: OperatorName = "",
    plugins: Plugins = None,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Score a domain and a problem against their world, and compare them state by state.

    EW, the paper's exploration walk score, is the harmonic mean of two shares of 50 random
    walks: the world's that the draft can do, and the draft's that the world can do. EW 1 proves nothing
    about words that no walk had; so both are also walked through state by state, up to --limit, for the
    shortest words on which they differ.

    --can "move left, open pkg-1" keeps in the folder that this can be done from the task's first state,
    whatever the world says; --cannot, that the last step cannot. `check` replays it for ever.

    Exit 0: EW is 1 and no difference was found. 1: they differ. 2: the input is wrong.
    """
    files = given["domain_file"], given["problem_file"]
    folder, task = find_task(given["task"], given["domain"], *files)
    for walks, possible in ((can, True), (cannot, False)):
        for text in walks or ():
            _keep(folder, task, text, possible)
    game, world = world_of(context.obj.games(), map or task.problem.name)
    draft = DraftSteps(task.problem, game.word_of)
    found = _agreement(
        world.name, Walks(WorldSimulator(world), seed).score(draft), compare(world, draft, limit)
    )
    if as_json:
        print_json(found)
    else:
        _print(found)
    raise typer.Exit(not found.agrees)


def _keep(folder: DomainSpec, task: Task, text: str, possible: bool) -> None:
    if folder.path is None:
        raise BadValue("Two files are no folder: give --domain, where what you say is kept.")
    judge(folder.path, read_walk(text), JudgedWalk(task.name, possible, operator_name()))


def _agreement(map: str, score: Score, compared: Comparison) -> Agreement:
    return Agreement(
        map,
        round(score.ew, 6),
        round(score.of_world, 6),
        round(score.of_draft, 6),
        tuple(dict.fromkeys(one.sentence for one in score.found)),
        score.untried,
        compared.sentence,
        compared.states,
        compared.whole,
        score.exact and compared.difference is None,
    )


def _print(found: Agreement) -> None:
    console = PlainConsole()
    print_line(
        console,
        f"EW {found.ew:.3f} on {found.map}: the draft can do {found.of_world:.0%} of the world's walks, the "
        f"world {found.of_draft:.0%} of the draft's.",
    )
    for sentence in found.discrepancies[:3]:
        print_line(console, f"  {sentence}", "yellow")
    if found.untried:
        print_line(console, f"In no walk: {', '.join(found.untried)}.", "dim")
    print_line(console, f"State by state: {found.compared}", "green" if found.agrees else "yellow")
    if len(found.discrepancies) > 3:
        print_line(console, f"{len(found.discrepancies)} such walks; --json lists them all.", "dim")
