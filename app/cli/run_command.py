"""The command `run`, from settings to summary."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from rich.console import Console
from rich.text import Text

from app.cli.budget_prompt import budget_prompt
from app.cli.episode_pictures import EpisodePictures
from app.cli.episode_printer import EpisodePrinter
from app.cli.options import log_path
from app.cli.printing import PlainConsole
from app.cli.run_episode import RunSummary, Shown, TerminalEpisode
from app.cli.terminal_operator import TerminalOperator, arm_hint
from core.arm.handover import SharesArm
from core.config import ComponentFactory, EpisodeComponents, Settings
from core.errors import BadValue
from core.events import ArmHandover, Notice
from core.install_paths import COMMAND
from core.log.recorder import Recorder
from core.loop.gate import AutoOperator
from core.operator import Operator, operator_name
from core.ports import Embodiment, ReportsRendering
from core.supervision import SUPERVISION_PRESETS, WATCH
from core.untrusted_text import sanitise


@dataclass(frozen=True)
class RunOutput:
    """Where an episode is written. `strip` "" is beside the log; `video` "" is none."""

    database: Path
    strip: str = ""
    video: str = ""
    quiet: bool = False


def run_verb(make: ComponentFactory, settings: Settings, output: RunOutput, ask: bool) -> RunSummary:
    """Run an episode and print it. Every step of a real robot is asked for. Raises ConsoleError."""
    if ask and not sys.stdin.isatty():
        raise BadValue("--ask needs a person at a terminal: leave it out where nobody can answer.")
    console = PlainConsole(stderr=output.quiet)
    levels = SUPERVISION_PRESETS["Approve"] if ask else WATCH
    with (
        Recorder.open(output.database) as recorder,
        closing(make(settings, _noting(recorder, console), levels)) as components,
    ):
        ask = ask or (components.robot.embodiment is Embodiment.REAL and sys.stdin.isatty())
        for broken in recorder.repaired:
            console.print(f"Episode {broken} was interrupted; everything logged so far is kept.")
        if (
            settings.pictures
            and isinstance(components.robot, ReportsRendering)
            and components.robot.blank_frames_reason
        ):
            console.print(components.robot.blank_frames_reason)
        if sys.stdin.isatty():
            components.meter.on_exceeded = budget_prompt(
                components.meter, console, ask, _noting(recorder, console)
            )
        watch, pictures = EpisodePrinter(components.domain_spec, console), EpisodePictures(components)

        def show(shown: Shown) -> None:
            with console:  # which writes once: each write to a pipe takes as long as its words
                for event, state in shown:
                    pictures.show(event)
                    if not output.quiet:
                        watch.show(event, state)
                    if isinstance(event, ArmHandover) and (hint := arm_hint(components.robot)):
                        console.print(hint if ask else "  Only who runs this with --ask can answer.")

        def fail(reason: str) -> None:
            console.print(Text(sanitise(reason), style="red"), soft_wrap=True)

        episode = TerminalEpisode(components, _operator(components, ask, console), show, fail)
        shared = components.robot.shared if isinstance(components.robot, SharesArm) else None
        if shared is not None and shared.refusal:
            how = "" if ask else " Run with --ask to ask for it."
            console.print(f"  {shared.sentence}{how}", soft_wrap=True)
        with pictures.recording(output.video):
            summary = episode.run(recorder, _noting(recorder, console), ask)
        strip = pictures.write_strip(_strip(output, summary.episode), f"{settings.task}: {summary.result}")
        for path in (strip, output.video):
            if path:
                console.print(f"  pictures: {path}", soft_wrap=True)
        console.print(f"  again: {_again(output, summary.episode)}", soft_wrap=True)
        return summary


def _again(output: RunOutput, episode: str) -> str:
    """Return the command that shows the episode again."""
    elsewhere = "" if output.database == log_path(None) else f" --database {quote(str(output.database))}"
    return f"{COMMAND} episodes show {episode}{elsewhere}"


def _strip(output: RunOutput, episode: str) -> Path:
    return Path(output.strip) if output.strip else output.database.parent / "strips" / f"{episode}.png"


def _noting(recorder: Recorder, console: Console) -> Callable[[str], None]:
    """Return a callback that prints and records a notice."""

    def note(text: str) -> None:
        recorder.record(Notice("doubt", text))
        console.print(Text(f"  {sanitise(text)}", style="yellow"), soft_wrap=True)

    return note


def _operator(components: EpisodeComponents, ask: bool, console: Console) -> Operator:
    if ask:
        robot = components.robot
        arm = robot if isinstance(robot, SharesArm) else None
        spec, problem = components.domain_spec, components.task.problem
        return TerminalOperator(spec, problem, console, operator_name(), arm)
    return AutoOperator(components.robot.embodiment)
