"""`run`: run one episode."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated

import typer

from app.cli import completion
from app.cli.choosing import choosing
from app.cli.options import (
    ArmName,
    Database,
    Domain,
    DomainFile,
    Engine,
    Json,
    Knower,
    LiveVideo,
    OperatorName,
    PartOptions,
    Plugins,
    ProblemFile,
    TaskName,
    Variant,
    chosen_robot,
    first_task,
    log_path,
    number,
    part_options,
    report_errors,
    report_signals,
    settings_of,
)
from app.cli.output.json_output import json_object
from app.cli.unused_options import OF_PICTURES, Unused, refuse_unused, unused_of_model
from core.config import COMPONENT_KINDS, ComponentFactory, Settings
from core.errors import BadValue, UnknownName
from core.registry import Registries
from core.supervision import SUPERVISION_PRESETS, WATCH, SupervisionLevels

DEFAULT = Settings()
WORLD, MODEL, OUTPUT = "The world", "Who answers", "Recording"
Seed = Annotated[int, typer.Option(help="Random seed: same seed, same episode.", rich_help_panel=WORLD)]
Openness = Annotated[
    float,
    number("How often things go wrong: 0 never, 1 as in the paper, at most 1.75.", rich_help_panel=WORLD),
]
RobotName = Annotated[
    str,
    typer.Option(
        help="By default the one that the task is made for; listed below.",
        rich_help_panel=WORLD,
        autocompletion=completion.component("robots"),
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        help="How the model is asked and its answers used; listed below.",
        autocompletion=completion.component("methods"),
    ),
]
Pace = Annotated[float, number("0: no delay; 1: real time.", rich_help_panel=WORLD)]
Pictures = Annotated[
    bool, typer.Option(help="--no-pictures: same actions and facts, no rendering.", rich_help_panel=WORLD)
]
AnswererName = Annotated[
    str,
    typer.Option(
        help="One of those listed below, a file of a profile, a model (PRESET:MODEL), a URL; several joined "
        "by + vote. By default the eye where it was trained on the task's questions, else perfect.",
        rich_help_panel=MODEL,
        autocompletion=completion.component("answerers"),
    ),
]
Model = Annotated[str, typer.Option(help="The preset's model, if not its own.", rich_help_panel=MODEL)]
Prompt = Annotated[
    str,
    typer.Option(
        help="dkprompt (the paper's format), paper (its tone), structured, or single.", rich_help_panel=MODEL
    ),
]
PictureSize = Annotated[
    int | None,
    typer.Option(help="The picture's side for the model, pixels; by default 256.", rich_help_panel=MODEL),
]
MaxCalls = Annotated[
    int | None, typer.Option(help="Limit of calls; at it you are asked.", rich_help_panel=MODEL)
]
MaxDollars = Annotated[
    float | None,
    number("Limit in US dollars; at it you are asked.", rich_help_panel=MODEL),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(help="Limit of tokens; at it you are asked.", rich_help_panel=MODEL),
]
MaxSeconds = Annotated[
    float | None,
    number("Limit of waiting for the model, in seconds; at it you are asked.", rich_help_panel=MODEL),
]
Cache = Annotated[str, typer.Option(help="A file of cached replies, for experiments.", rich_help_panel=MODEL)]
Strip = Annotated[
    str,
    typer.Option(help="The picture strip, a PNG; by default beside the log.", rich_help_panel=OUTPUT),
]
Video = Annotated[str, typer.Option(help="The episode as MP4 (extra: video).", rich_help_panel=OUTPUT)]
SituationText = Annotated[
    str,
    typer.Option(
        help='What is unusual from the beginning: "the cup is dirty". For the robot open-world.',
        rich_help_panel=WORLD,
    ),
]
StockList = Annotated[
    str,
    typer.Option(
        help="What is at hand besides, by commas: bowl,dishwasher. For the robot open-world; by default a "
        "random half of the domain's things.",
        rich_help_panel=WORLD,
    ),
]
Learnt = Annotated[
    bool,
    typer.Option(
        "--learnt/--no-learnt",
        help="Begin with what people let into the domain before, and keep what you let in, for a method that "
        "learns.",
        rich_help_panel=WORLD,
    ),
]
Ask = Annotated[bool, typer.Option("--ask", help="Ask you before every step.")]
Preset = Annotated[
    str,
    typer.Option(
        help="How much you decide: watch (nothing), assist (doubtful answers and new plans), approve (every "
        "answer, plan and step), manual (you answer). By default watch, with --ask assist and every step.",
        autocompletion=lambda: [name.lower() for name in SUPERVISION_PRESETS],
    ),
]


def open_world_options(situation: str, stock: str) -> dict[str, str]:
    """Return the options of the robot that these stand for."""
    given = {"robot.situation": situation, "robot.stock": stock}
    return {name: value for name, value in given.items() if value}


def levels_of(preset: str, ask: bool) -> SupervisionLevels:
    """Return the supervision levels of a run. Raises UnknownName, BadValue."""
    from app.cli.terminal_operator import APPROVE_STEPS

    if not preset:
        return APPROVE_STEPS if ask else WATCH
    levels = SUPERVISION_PRESETS.get(preset.capitalize())
    if levels is None:
        raise UnknownName("preset", preset, [name.lower() for name in SUPERVISION_PRESETS])
    if ask:
        raise BadValue("--ask and --preset both say what you decide: give one of them.")
    return levels


def add_run(cli: typer.Typer, make: ComponentFactory, tables: Callable[[], Registries]) -> None:
    """Add the command to the command line."""

    @cli.command(cls=choosing(tables, *(f"{kind}s" for kind in COMPONENT_KINDS)))
    def run(
        context: typer.Context,
        task: TaskName = "",
        domain: Domain = DEFAULT.domain,
        domain_file: DomainFile = DEFAULT.domain_file,
        problem_file: ProblemFile = DEFAULT.problem_file,
        variant: Variant = DEFAULT.variant,
        engine: Engine = DEFAULT.engine,
        method: MethodName = DEFAULT.method,
        max_steps: Annotated[int, typer.Option(help="Limit of actions.")] = DEFAULT.max_steps,
        failure_limit: Annotated[
            int,
            typer.Option(help="Warn when a step fails so often for the same reason; 0: never."),
        ] = DEFAULT.failure_limit,
        ask: Ask = False,
        preset: Preset = "",
        robot: RobotName = DEFAULT.robot,
        arm: ArmName = "",
        option: PartOptions = None,
        operator: OperatorName = "",
        plugins: Plugins = None,
        seed: Seed = DEFAULT.seed,
        openness: Openness = DEFAULT.openness,
        pace: Pace = DEFAULT.pace,
        pictures: Pictures = DEFAULT.pictures,
        answerer: AnswererName = DEFAULT.answerer,
        knower: Knower = DEFAULT.knower,
        situation: SituationText = "",
        stock: StockList = "",
        learnt: Learnt = True,
        model: Model = DEFAULT.model,
        prompt: Prompt = DEFAULT.prompt,
        picture_size: PictureSize = DEFAULT.picture_size,
        max_calls: MaxCalls = DEFAULT.max_calls,
        max_dollars: MaxDollars = DEFAULT.max_dollars,
        max_tokens: MaxTokens = DEFAULT.max_tokens,
        max_seconds: MaxSeconds = DEFAULT.max_seconds,
        cache: Cache = DEFAULT.cache,
        strip: Strip = "",
        video: Video = "",
        live_video: LiveVideo = DEFAULT.live_video,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Run one episode and log it as it happens.

        Robots, methods, answerers and engines are listed below. `parts` lists their own options, and `-o
        robot.arm=192.168.0.2` sets one.

        Exit 0: the goal is believed reached. 1: it is not. 2: the input is wrong. 3: it is believed, but was
        only predicted, assumed or given: nothing confirmed it. Ctrl+C stops the motion.
        """
        from app.cli.run_command import RunOutput, run_episode_command

        with report_errors(), report_signals():
            named = task or first_task(domain)
            given = part_options(option, arm) | open_world_options(situation, stock)
            chosen, options = chosen_robot(robot, given, tables())
            settings = settings_of(context, task=named, options=options, robot=chosen)
            refuse_unused(context, unused_of_model([answerer], [method], knower, prompt))
            if not pictures:
                refuse_unused(context, [Unused(OF_PICTURES, "--no-pictures leaves nothing to show")])
            output = RunOutput(log_path(database), strip, video, as_json, learnt)
            summary = run_episode_command(make, settings, output, levels_of(preset, ask))
            if as_json:
                print(json.dumps(json_object(summary)))
            raise typer.Exit((0 if summary.confirmed else 3) if summary.believed_goal else 1)
