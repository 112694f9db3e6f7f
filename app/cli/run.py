"""`run`: run one episode, from settings to summary."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import Any

import typer
from rich.console import Console
from typer import Option

from app.cli.budget_prompt import budget_prompt
from app.cli.help_text import CommandLine, listing
from app.cli.options import (
    ArmName,
    Database,
    Json,
    OperatorName,
    PartOptions,
    Plugins,
    chosen_robot,
    log_path,
    part_options,
    report_signals,
    settings_of,
)
from app.cli.output.episode_printer import EpisodePrinter
from app.cli.output.json_output import print_json
from app.cli.output.printing import PlainConsole, print_in_one_piece, print_line
from app.cli.run_episode import RunSummary, ShownEvents, TerminalEpisode
from app.cli.settings_options import OF_PICTURES, Unused, refuse_unused, takes_settings, unused_of_model
from app.cli.terminal_operator import APPROVE_STEPS, TerminalOperator, arm_hint
from app.episode.kept_knowledge import KeptKnowledge
from core.arm.arm_capabilities import SupportsPreflight
from core.arm.handover import SharesArm
from core.config import COMPONENT_KINDS, ComponentFactory, EpisodeComponents, Settings
from core.data_file import make_folder, replacing
from core.errors import BadFile, BadValue, ConsoleError, MissingPackage, UnknownName
from core.events import ArmHandover, EpisodeResult, Event, Notice
from core.install_paths import COMMAND
from core.log import sidecar
from core.log.database import as_log_error
from core.log.export.video import export as export_video
from core.log.knowledge_store import KnowledgeStore
from core.log.recorder import Recorder
from core.log.store import Store
from core.log.video.contact_sheet import contact_sheet, panels_of
from core.loop.gate import AutoOperator
from core.methods.careful.known_rates import STATED
from core.methods.careful.policy import Careful
from core.operator import Operator, operator_name
from core.planning.domain_library import find_task
from core.ports import Embodiment, ReportsRendering, Robot
from core.robots import START, TABLE, RobotEntry, RobotRegistry, start_check
from core.supervision import SUPERVISION_PRESETS, WATCH, SupervisionLevels
from core.text.plural import plural
from core.vqa.budget import UNITS, Meter, ModelBudget, Usage

PRESETS = [name.lower() for name in SUPERVISION_PRESETS]
WORLD, OUTPUT = "The world", "Recording"
cli = CommandLine()


@cli.command(cls=listing(*(f"{kind}s" for kind in COMPONENT_KINDS)))
@takes_settings(
    *("task", "domain", "domain_file", "problem_file", "variant", "engine", "method", "max_steps"),
    *("failure_limit", "robot", "seed", "openness", "pace", "pictures", "answerer", "knower", "model"),
    *("prompt", "picture_size", "max_calls", "max_dollars", "max_tokens", "max_seconds", "cache"),
    "live_video",
)
def run(
    context: typer.Context,
    ask: bool = Option(False, "--ask", help="Ask you before every step."),
    preset: str = Option(
        "",
        help="How much you decide: watch (nothing), assist (doubtful answers and new plans), approve "
        "(every answer, plan and step), manual (you answer). By default watch, with --ask assist and "
        "every step.",
        autocompletion=lambda: PRESETS,
    ),
    arm: ArmName = "",
    option: PartOptions = None,
    operator: OperatorName = "",
    plugins: Plugins = None,
    situation: str = Option(
        "",
        help='Something unusual at the start: "the cup is dirty". For the robot open-world.',
        rich_help_panel=WORLD,
    ),
    stock: str = Option(
        "",
        help="What is at hand besides, by commas: bowl,dishwasher. For the robot open-world; by default "
        "a random half of the domain's things.",
        rich_help_panel=WORLD,
    ),
    learnt: bool = Option(
        True,
        "--learnt/--no-learnt",
        help="Begin with what people let into the domain before, and keep what you let in, for a method "
        "that learns.",
        rich_help_panel=WORLD,
    ),
    strip: str = Option(
        "", help="The picture strip, a PNG; by default beside the log.", rich_help_panel=OUTPUT
    ),
    video: str = Option(
        "",
        help="The episode with captions as MP4, as `episodes export` writes it (extra: video).",
        rich_help_panel=OUTPUT,
    ),
    episodes: int = Option(
        1,
        min=1,
        max=10_000,
        help="So many, each with the next seed, until one is ended by hand. Limits such as --max-dollars "
        "count for all together. An arm's table stays as the last episode left it: what was moved is said.",
    ),
    database: Database = None,
    as_json: Json = False,
    **_: Any,
) -> None:
    """Run one episode, or several, and log it as it happens.

    Robots, methods, answerers and engines are listed below. `parts` lists their own options, and `-o
    robot.arm=192.168.0.2` sets one.

    Exit 0: the goal is believed reached. 1: it is not. 2: the input is wrong. 3: it is believed, but was
    only predicted, assumed or given: nothing confirmed it. Of several the worst counts. Ctrl+C stops the
    motion; with --ask a second one ends the episode.
    """
    with report_signals():
        unusual = {"robot.situation": situation, "robot.stock": stock}
        given = part_options(option, arm) | {name: value for name, value in unusual.items() if value}
        chosen, options = chosen_robot(context.params["robot"], given, context.obj.tables())
        settings = settings_of(context, options=options, robot=chosen)
        s = settings
        refuse_unused(context, unused_of_model([s.answerer], [s.method], s.knower, s.prompt))
        if not s.pictures:
            refuse_unused(context, [Unused(OF_PICTURES, "--no-pictures leaves nothing to show")])
        if episodes > 1 and (strip or video):
            raise BadValue("--strip and --video name the file of one episode: leave out --episodes.")
        if video:
            _check_video(Path(video))
        output, levels = RunOutput(log_path(database), strip, video, as_json, learnt), levels_of(preset, ask)
        ran, robots = list[RunSummary](), context.obj.tables()["robots"]
        for seed in range(settings.seed, settings.seed + episodes):
            if ran and output.left.used_up:
                break
            limits = {f"max_{name}": limit for name, limit in asdict(output.left).items()} if ran else {}
            this = replace(settings, seed=seed, **limits)
            if not ran:
                told = doubts_of(robots, this)
            else:
                told = left_by_the_last(robots[chosen], this) if chosen else ()
            ran.append(run_episode(context.obj.make, this, output, levels, told))
            if as_json:
                print_json(ran[-1])
            if ran[-1].result == EpisodeResult.ENDED.value and not ran[-1].held_up:
                break
        if episodes > 1:
            print_line(PlainConsole(stderr=as_json), _sum(ran, episodes, output))
        codes = [(0 if one.confirmed else 3) if one.believed_goal else 1 for one in ran]
        raise typer.Exit(1 if 1 in codes else max(codes))


def doubts_of(robots: RobotRegistry, settings: Settings) -> tuple[str, ...]:
    """Return what of the task will probably go wrong on its robot; () where it cannot be made."""
    try:
        domain_spec, task = find_task(*settings.task_place)
        return robots[settings.robot or domain_spec.default_robot].doubts(domain_spec, task)
    except ConsoleError:
        return ()  # it is said when the episode is made


def left_by_the_last(entry: RobotEntry, settings: Settings) -> tuple[str, ...]:
    """Return in a sentence what the episode before has left otherwise, and the way out; () for nothing.

    The robot is only listened to, which may take seconds.
    """
    try:
        report = entry.preflight(entry.read_options(settings.options_for("robot")))
    except ConsoleError:
        return ()  # the robot itself says so as it is made
    begins = frozenset(map(str, find_task(*settings.task_place)[1].problem.state))
    checks = (*report.checks, start_check(report.start, begins))
    wrong = (check for check in checks if check.name in (START, TABLE) and not check.ok)
    return tuple(f"Left by the episode before: {check.sentence}." for check in wrong)


def _sum(ran: list[RunSummary], episodes: int, output: RunOutput) -> str:
    """Return how many of so many episodes reached the goal, what they cost, and which did not run."""
    spent, left = sum((meter.usage for meter in output.meters), Usage()), output.left.used_up
    cost = ", ".join(filter(None, (plural(sum(one.calls for one in ran), "call"), spent.cost)))
    reached = sum(one.believed_goal for one in ran)
    known = [one.true_goal for one in ran if one.true_goal is not None]
    of = f" of the {len(known)} whose truth is known" if len(known) < len(ran) else ""
    truly = f", {sum(known)}{of} in truth" if known else ""
    said = f"{reached} of {plural(len(ran), 'episode')} reached the goal, as believed{truly}; {cost}."
    if held_up := sum(one.held_up for one in ran):
        said += f" This computer did not keep up in {held_up} of them: run as many more."
    if len(ran) == episodes:
        return said
    why = f"the budget of {UNITS[left]} is used up" if left else "one was stopped, or ended by hand"
    return f"{said} {episodes - len(ran)} of {episodes} did not run: {why}."


def levels_of(preset: str, ask: bool) -> SupervisionLevels:
    """Return the supervision levels of a run. Raises UnknownName, BadValue."""
    if not preset:
        return APPROVE_STEPS if ask else WATCH
    levels = SUPERVISION_PRESETS.get(preset.capitalize())
    if levels is None:
        raise UnknownName("preset", preset, PRESETS)
    if ask:
        raise BadValue("--ask and --preset both say what you decide: give one of them.")
    return levels


@dataclass(frozen=True)
class RunOutput:
    """Where an episode is written. `strip` "" is beside the log; `video` "" is none."""

    database: Path
    strip: str = ""
    video: str = ""
    quiet: bool = False
    learnt: bool = True  # begin with what was learnt before, and keep what is admitted
    meters: list[Meter] = field(default_factory=list)  # of the episodes so far

    @property
    def left(self) -> ModelBudget:
        """Return what is left of the last episode's budget."""
        return self.meters[-1].budget.less(self.meters[-1].usage)


def run_episode(
    make: ComponentFactory,
    settings: Settings,
    output: RunOutput,
    levels: SupervisionLevels = WATCH,
    notices: Sequence[str] = (),
) -> RunSummary:
    """Run an episode and print it. Every step of a real robot is asked for. Raises ConsoleError.

    `levels` says what is asked of the person at the terminal; with WATCH, nothing is. `notices` are what they
    should know as it begins.
    """
    ask = levels != WATCH
    if ask and not sys.stdin.isatty():
        raise BadValue(
            "--ask, or a --preset other than watch, needs a person at a terminal: leave it out where nobody "
            "can answer."
        )
    console = PlainConsole(stderr=output.quiet)
    with (
        Recorder.open(output.database) as recorder,
        closing(make(settings, (note := _noting(recorder, console)), levels)) as made,
    ):
        store = KnowledgeStore(output.database.parent / "knowledge") if output.learnt else None
        kept = KeptKnowledge(store, note)
        components = kept.begin(made)
        robot = components.robot
        output.meters.append(components.meter)
        kept.report_faults()
        for text in (*notices, *_table_line(robot)):
            note(text)
        if robot.embodiment is Embodiment.REAL and sys.stdin.isatty():
            ask, levels = True, levels.allowed_for(Embodiment.REAL)
        blank = robot.blank_frames_reason if isinstance(robot, ReportsRendering) else ""
        known = made.method.known_rates if isinstance(made.method, Careful) else STATED
        told = blank if settings.pictures else "", "" if known.assumed else known.sentence
        for words in filter(None, (*recorder.notices, *told)):
            print_line(console, words)
        if sys.stdin.isatty():
            components.meter.on_exceeded = budget_prompt(components.meter, console, ask, note)
        watch, events = EpisodePrinter(components.domain_spec, console), list[Event]()

        def show(shown: ShownEvents) -> None:
            with console:  # which writes once: each write to a pipe takes as long as its words
                for event, state in shown:
                    events.append(event)
                    if not output.quiet:
                        watch.show(event, state)
                    if isinstance(event, ArmHandover) and (hint := arm_hint(robot)):
                        print_line(console, hint if ask else "  Only who runs this with --ask can answer.")

        def fail(reason: str) -> None:
            print_line(console, reason, "red")

        episode = TerminalEpisode(components, _operator(components, levels, console), show, fail)
        shared = robot.shared if isinstance(robot, SharesArm) else None
        if shared is not None and shared.refusal:
            how = "" if ask else " Run with --ask to ask for it."
            print_line(console, f"  {shared.sentence}{how}")
        summary = episode.run(recorder, note, ask)
        kept.keep(episode.state, components)
        panels = panels_of(events, components.domain_spec.describe_step)
        if any(panel.picture is not None for panel in panels):
            png = contact_sheet(panels, f"{settings.task}: {summary.result}")
            print_line(console, f"  pictures: {_write_strip(output, summary.episode, png)}")
        if output.video:
            _write_video(output, summary.episode)
            print_line(console, f"  pictures: {output.video}")
        print_in_one_piece(console, f"  again: {_again(output, summary.episode)}")
        return summary


def _table_line(robot: Robot) -> tuple[str, ...]:
    """Return what a real arm's camera shows on the table otherwise than the task begins."""
    if robot.embodiment is not Embodiment.REAL or not isinstance(robot, SupportsPreflight):
        return ()
    return tuple(c.sentence for c in robot.preflight() if c.name == TABLE and not c.ok)


def _again(output: RunOutput, episode: str) -> str:
    """Return the command that shows the episode again."""
    elsewhere = "" if output.database == log_path(None) else f" --database {quote(str(output.database))}"
    return f"{COMMAND} episodes show {episode}{elsewhere}"


def _write_strip(output: RunOutput, episode: str, png: bytes) -> Path:
    """Write the picture strip, beside the log for its owner's eyes only. Raises BadFile, LogError."""
    path = Path(output.strip) if output.strip else sidecar.strip(output.database, episode)
    if output.strip:
        make_folder(path.parent)
    else:
        with as_log_error(output.database):
            sidecar.make_folder(path.parent)
    with replacing(path, private=not output.strip) as part:
        part.write_bytes(png)
    return path


def _check_video(path: Path) -> None:
    """Raise MissingPackage or BadFile before an episode whose video could not be written."""
    if find_spec("av") is None:
        raise MissingPackage("A video of the episode", "video")
    if not path.resolve().parent.is_dir():
        raise BadFile(path, "its folder does not exist", remedy="Make it first")


def _write_video(output: RunOutput, episode: str) -> None:
    """Write what `episodes export` writes as MP4. Raises BadFile, LogError."""
    with Store.open(output.database, read_only=True) as store, replacing(Path(output.video)) as part:
        export_video(store, episode, part)


def _noting(recorder: Recorder, console: Console) -> Callable[[str], None]:
    """Return a callback that prints and records a notice."""

    def note(text: str) -> None:
        recorder.record(Notice("doubt", text))
        print_line(console, f"  {text}", "yellow")

    return note


def _operator(components: EpisodeComponents, levels: SupervisionLevels, console: Console) -> Operator:
    if levels != WATCH:
        robot = components.robot
        arm = robot if isinstance(robot, SharesArm) else None
        spec, problem = components.domain_spec, components.task.problem
        return TerminalOperator(spec, problem, console, operator_name(), arm, levels)
    return AutoOperator(components.robot.embodiment)
