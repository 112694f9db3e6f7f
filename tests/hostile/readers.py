"""What reads the files, as the program does: each use raises a ConsoleError with a sentence, or succeeds."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

from typer.main import get_command

from app.cli.command_line import command_line
from app.dialogs.setup.domain_probe import probe_in_process
from app.preferences import Preferences
from core.config import Settings
from core.data_file import read_bytes, read_text
from core.errors import ConsoleError
from core.evaluation.job import JobStore
from core.evaluation.outcome import TrialOutcome
from core.evaluation.report import report_page
from core.evaluation.table import Results
from core.evaluation.trial import TRIALS
from core.log.knowledge_store import KnowledgeStore, usable
from core.open_world.prompts import PromptKind, prompt
from core.open_world.world_file import load_open_world
from core.pictures import decode_picture
from core.planning.domain_library import load_domain_spec, load_pddl_pair
from core.planning.semantics import applicable_steps
from core.ports import ChatMessage, Reply
from core.stop_token import StopToken
from core.text.untrusted_text import sanitise
from core.vqa.answerers.cached import CachedModel
from core.vqa.answerers.profiles import load_profile
from core.vqa.answerers.scripted import load_script
from core.vqa.answerers.simulated_planner import load_planner_errors
from core.vqa.calibration import calibrations
from core.vqa.endpoint.chat_format import parse_completion
from core.vqa.endpoint.presets import load_preset, prices
from core.vqa.endpoint.request_failure import status_failure
from core.vqa.eye.eye import Eye
from core.vqa.knower.commonsense import Commonsense
from core.vqa.knower.knower_profile import load_knower_profile
from core.vqa.knower.simulated_knower import SimulatedKnower
from core.vqa.mock.request_schema import HttpError, parse_request
from core.vqa.mock.truth_sideband import FIELD, SidebandTruth, decode_questions
from core.vqa.prompt import load_prompt
from main import make_components, program
from robots.open_world.robot import OpenWorldRobot
from robots.options import OpenWorldOptions
from robots.registry import ROBOTS
from robots.remote.handshake import read_token
from robots.ur5e.arm_setup import read_setup
from robots.ur5e.vision.calibration_file import read_calibration
from tests.core.log.test_knowledge_store import KEPT
from tests.core.tiny import PROBLEM
from tests.core.vqa.eye.kit import RED
from tests.hostile.files import DESIGN, MINE
from tests.permitted import do

MOST = 20_000_000  # bytes of what stands for a server's reply, a request, a picture
RARE = 25  # one domain in so many is planned for, which takes a process each
KNOWER = load_knower_profile("davinci")


def verb(*words: object) -> None:
    """As on the command line. Raises ConsoleError with the sentence that a person reads."""
    out, error = StringIO(), StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(error):
            CLI.main([str(word) for word in words], "main.py")
    except SystemExit as left:
        assert left.code in (0, 1, 2), left.code
        sentence = error.getvalue().removesuffix("\n")
        assert sanitise(sentence) == sentence and "\n" not in sentence
        assert sanitise(out.getvalue(), sys.maxsize) == out.getvalue()
        if left.code == 2:
            raise ConsoleError(sentence) from None


def setup_dialog(domain: Path) -> None:
    found = probe_in_process(Settings(task="", domain=str(domain)), "robots.registry:ROBOTS")
    if not found.tasks:
        raise ConsoleError(found.checks[0].text)


def hand_eye(file: Path) -> None:
    """What was read is used to move."""
    found = read_calibration(file)
    assert abs(found.pose).max() < 1e6 and found.intrinsics.matrix.max() < 1e9


def arm(file: Path) -> None:
    made = read_setup(file)
    assert all(abs(value) < 1e6 for value in (*(made.tcp or ()), *made.centre, *sum(made.viewpoints, ())))


def confidences(_: Path) -> None:
    for calibration in calibrations().values():
        assert all(0 <= calibration.probability("on", raw) <= 1 for raw in (0.0, 0.4, 1.0))


def trials(file: Path) -> None:
    with JobStore(file, TRIALS) as store:
        found = store.finished(DESIGN.all_trials())
        store.put(next(DESIGN.all_trials()), TrialOutcome("x", "", True, None, *[0] * 7, 0.0, 0.0))
    results = Results(DESIGN, found)
    report_page(results, "bench")
    results.rows_over_tasks()


def replies(file: Path) -> None:
    model = SimpleNamespace(fingerprint=("m",), ask=lambda *_: Reply("yes", "m"))
    CachedModel(model, file).ask((ChatMessage("user", "?"),), (), StopToken())  # type: ignore[arg-type]


def knowledge(file: Path) -> None:
    store = KnowledgeStore(file.parent)
    admitted = store.load("doors")
    for learnt in usable(PROBLEM, admitted)[0]:
        assert sanitise(learnt.change.describe()) is not None
    store.update("doors", lambda _: KEPT)


def eye(file: Path) -> None:
    found = Eye(file.parent)
    sight = found.look(RED)
    known = [q for q in found.card.questions[:2] if found.knows(q)]
    found.choose(found.ask(sight, known).probabilities, known)


def server_reply(file: Path) -> None:
    body = read_bytes(file, MOST)
    parse_completion(body)
    text = body.decode(errors="replace")
    headers = {"retry-after": value} if isinstance(value := json_field(text, "retry-after"), str) else {}
    for status in (429, 500, 302):
        status_failure(load_preset("vllm"), status, text, headers)


def json_field(text: str, key: str) -> object:
    try:
        return json.loads(text)[key]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def client_request(file: Path) -> None:
    """What a program on this machine asks of the practice model: refused in OpenAI's format."""
    try:
        body = parse_request(read_bytes(file, MOST), ["m"])
        if (payload := body.get(FIELD)) is not None:
            decode_questions(payload, "Is it open?", SidebandTruth())
    except HttpError as error:
        json.dumps(error.body())
        raise ConsoleError(error.message) from None
    except (ValueError, KeyError, TypeError) as error:  # as the server's thread takes it
        raise ConsoleError(str(error)) from None


def given(file: Path) -> None:
    """Words on the command line: a situation, what is at hand, a method's options."""
    try:
        words = json.loads(read_text(file))
        options = {str(key): str(value) for key, value in words.items() if "." in key}
        parts = {key: str(words[key]) for key in ("method", "knower") if key in words}
    except (ValueError, AttributeError, RecursionError):
        return
    robot = "open-world" if any(key.startswith("robot.") for key in options) else "symbolic"
    task = "serve_water" if robot == "open-world" else "halve_egg"
    make_components(
        Settings(task, answerer="perfect", robot=robot, pictures=False, options=options, **parts)  # type: ignore[arg-type]
    ).close()


def memory(file: Path) -> None:
    kept = Preferences.load(file.parent)
    kept.settings(Settings(), ROBOTS)
    kept.geometry()
    kept.store_settings(Settings())
    kept.save()


def open_world(folder: Path) -> None:
    """What a simulator and a simulated language model make of a domain's open world."""
    spec = load_domain_spec(folder)
    world = load_open_world(spec)
    task = spec.tasks["serve_water"] if "serve_water" in spec.tasks else next(iter(spec.tasks.values()))
    options = OpenWorldOptions(chance=1.0)
    robot = OpenWorldRobot(spec, task, options=options, pictures=False)
    if step := next(iter(applicable_steps(task.problem, task.problem.state)), None):
        do(robot, step)
    robot.situations()
    knower = SimulatedKnower(KNOWER, Commonsense(spec, task, world), robot.stock())
    for purpose in (PromptKind.MONITOR, PromptKind.SUBSTITUTE, PromptKind.CHOICE, PromptKind.REPAIR):
        words = dict.fromkeys(
            ("action", "situation", "things", "goal", "device", "thing", "opposite"), "fill the cup"
        )
        knower.ask((ChatMessage("user", prompt(purpose, **words).text),), (), StopToken())


USES: dict[str, tuple[str, Callable[[Path], object]]] = {  # by which file is mutated, and what reads it
    "script": ("script.json", load_script),
    "prompt": (f"{MINE}/prompts/mine.toml", load_prompt),
    "planner": ("planner.toml", load_planner_errors),
    "profile": (f"{MINE}/profiles/mine.toml", load_profile),
    "preset": (f"{MINE}/models/mine.toml", load_preset),
    "prices": (f"{MINE}/models/prices.toml", lambda _: prices().cost("gpt-4.1", 10**6, 10**6)),
    "calibrations": (f"{MINE}/calibrations/gpt.toml", confidences),
    "answerers": (f"{MINE}/models/mine.toml", lambda _: verb("parts", "answerers")),
    "arm": ("arm.toml", arm),
    "hand-eye": ("wrist.toml", hand_eye),
    "trials": ("trials.db", trials),
    "knower": (f"{MINE}/knowers/mine.toml", load_knower_profile),
    "knowledge": ("knowledge/doors.json", knowledge),
    "eye card": ("eye/eye.toml", eye),
    "eye head": ("eye/head.npz", eye),
    "eye trunk": ("eye/trunk.onnx", eye),
    "picture": ("picture.png", lambda file: decode_picture(read_bytes(file, MOST))),
    "token": ("token", read_token),
    "replies": ("replies.db", replies),
    "reply": ("reply.json", server_reply),
    "request": ("request.json", client_request),
    "given": ("given.json", given),
    "careful": ("careful.json", given),
    "memory": ("console.toml", memory),
    "layout": ("window.toml", memory),
}


def domain_use(template: Path, case: Path, rng: random.Random) -> tuple[str, Path, Callable[[Path], object]]:
    """A file of a domain folder, by its place in the template, and a door to it; seldom one that plans."""
    chosen = rng.choice(("blocks", "blocks", "tabletop", "ferry", "dining"))
    folder = case / chosen
    files = (p for p in (template / chosen).rglob("*") if p.is_file())
    at = rng.choice(sorted(p.relative_to(template) for p in files))
    if rng.randrange(RARE):
        if chosen == "ferry":
            return "pair", at, lambda _: load_pddl_pair(folder / "domain.pddl", folder / "problem.pddl")
        if chosen == "dining":
            at = rng.choice((at, Path("dining/open_world.toml")))
            return "open world", at, lambda _: open_world(folder)
        return rng.choice((
            ("load", at, lambda _: load_domain_spec(folder)),
            ("tasks", at, lambda _: verb("tasks", "--domain", folder)),
        ))  # fmt: skip
    pair = ("--domain-file", folder / "domain.pddl", "--problem-file", folder / "problem.pddl")
    what = pair if chosen == "ferry" else ("--domain", folder)
    return rng.choice((
        ("check", at, lambda _: verb("check", folder)),
        ("plan", at, lambda _: verb("plan", *what, "--seconds", 2)),
        ("setup", at, lambda _: setup_dialog(folder)),
    ))  # fmt: skip


CLI = get_command(command_line(program()))
