"""The command `run`, from settings to summary."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from rich.console import Console

from app.cli.budget_prompt import budget_prompt
from app.cli.options import log_path
from app.cli.output.episode_pictures import EpisodePictures
from app.cli.output.episode_printer import EpisodePrinter
from app.cli.output.printing import PlainConsole, print_in_one_piece, print_line
from app.cli.run_episode import RunSummary, ShownEvents, TerminalEpisode
from app.cli.terminal_operator import TerminalOperator, arm_hint
from app.episode.kept_knowledge import KeptKnowledge
from core.arm.handover import SharesArm
from core.config import ComponentFactory, EpisodeComponents, Settings
from core.data_file import make_folder, replacing
from core.errors import BadValue
from core.events import ArmHandover, Notice
from core.install_paths import COMMAND
from core.log import sidecar
from core.log.database import as_log_error
from core.log.knowledge_store import KnowledgeStore
from core.log.recorder import Recorder
from core.loop.gate import AutoOperator
from core.operator import Operator, operator_name
from core.ports import Embodiment, ReportsRendering, Robot
from core.supervision import WATCH, SupervisionLevels


@dataclass(frozen=True)
class RunOutput:
    """Where an episode is written. `strip` "" is beside the log; `video` "" is none."""

    database: Path
    strip: str = ""
    video: str = ""
    quiet: bool = False
    learnt: bool = True  # begin with what was learnt before, and keep what is admitted


def run_episode_command(
    make: ComponentFactory, settings: Settings, output: RunOutput, levels: SupervisionLevels = WATCH
) -> RunSummary:
    """Run an episode and print it. Every step of a real robot is asked for. Raises ConsoleError.

    `levels` says what is asked of the person at the terminal; with WATCH, nothing is.
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
        kept.report_faults()
        if robot.embodiment is Embodiment.REAL and sys.stdin.isatty():
            ask, levels = True, levels.allowed_for(Embodiment.REAL)
        for words in _known_before(recorder, settings, robot):
            print_line(console, words)
        if sys.stdin.isatty():
            components.meter.on_exceeded = budget_prompt(components.meter, console, ask, note)
        watch, pictures = EpisodePrinter(components.domain_spec, console), EpisodePictures(components)

        def show(shown: ShownEvents) -> None:
            with console:  # which writes once: each write to a pipe takes as long as its words
                for event, state in shown:
                    pictures.show(event)
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
        with pictures.recording(output.video):
            summary = episode.run(recorder, note, ask)
        kept.keep(episode.state, components)
        png = pictures.strip(f"{settings.task}: {summary.result}")
        strip = _write_strip(output, summary.episode, png) if png else None
        for path in (strip, output.video):
            if path:
                print_line(console, f"  pictures: {path}")
        print_in_one_piece(console, f"  again: {_again(output, summary.episode)}")
        return summary


def _known_before(recorder: Recorder, settings: Settings, robot: Robot) -> Iterator[str]:
    """Yield what the person should know before the episode begins."""
    for broken in recorder.repaired:
        yield f"Episode {broken} was interrupted; everything logged so far is kept."
    if settings.pictures and isinstance(robot, ReportsRendering) and robot.blank_frames_reason:
        yield robot.blank_frames_reason


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
