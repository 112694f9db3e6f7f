"""One of each file that the program reads, and what a server might reply."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

from core.evaluation.job import JobStore
from core.evaluation.outcome import TrialOutcome
from core.evaluation.trial import TRIALS, Design
from core.log.knowledge_store import KnowledgeStore
from core.methods.careful.options import CarefulOptions
from core.pictures import encode_png
from core.ports import ChatMessage, Reply
from core.stop_token import StopToken
from core.vqa.answerers.cached import CachedModel
from core.vqa.endpoint.chat_format import SCHEMA
from tests.core.log.test_knowledge_store import KEPT
from tests.core.vqa.eye.kit import RED, tiny_eye

ROOT = Path(__file__).parents[2]
MINE = Path("data/dkprompt-console")
SETUP = """\
address = "192.168.0.7"
tcp = [0.0, 0.0, 0.157, 0.0, 0.0, 0.0]
payload = 0.98
centre = [0.0, 0.0, 0.058]
watchdog = 2.0
gripper_force = 60
viewpoints = [[3.14, -2.35, 2.45, -1.67, -1.57, 0.0]]
grasp_network = ""
[limits]
joint_speed = 0.5
tool_speed = 0.2
lower = [0.12, -0.55, 0.004]
upper = [0.85, 0.55, 0.75]
clearance = 0.05
[camera.overhead]
kind = "opencv"
source = 0
depth = "depth.mp4"
depth_unit = 0.001
size = [1280, 720]
[camera.wrist]
kind = "realsense"
calibration = "wrist.toml"
"""
HAND_EYE = """\
camera = "wrist"
date = "2026-11-21T10:00:00+00:00"
views = 15
reprojection = 0.31
translation = 0.001
rotation = 0.002
pose = [0.1, 0.0, 0.05, 0.0, 0.0, 1.57]
table = [0.0, 0.001]
[intrinsics]
width = 1280
height = 720
fx = 910.0
fy = 910.0
cx = 639.5
cy = 359.5
distortion = [0.1, -0.2, 0.0, 0.0, 0.05]
"""
CURVE = """\
model = "gpt-4.1"
about = "made for this test"
[default]
slope = 1.1
shift = -0.2
answers = 400
[predicates.on]
slope = 0.9
shift = 0.1
answers = 200
"""
MEMORY = 'colours = "dark"\nmuted = true\n[dials]\nask = "WATCH"\n[setup]\ntask = "halve_egg"\nseed = 7\n'
REPLY = {
    "model": "gpt",
    "choices": [
        {
            "message": {"content": "1. yes"},
            "logprobs": {
                "content": [
                    {"token": "yes", "logprob": -0.1, "top_logprobs": [{"token": "no", "logprob": -2}]}
                ]
            },
        }
    ],
    "usage": {"prompt_tokens": 5, "completion_tokens": 2},
    "error": {"message": "busy"},
    "retry-after": "Mon, 23 Nov 2026 10:00:00 GMT",
}
REQUEST = {
    "model": "m",
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Is it open?"}]}],
    "n": 1,
    "temperature": 0.5,
    "response_format": SCHEMA,
    "dkprompt": {
        "turn": 1,
        "viewpoint": "top",
        "questions": [
            {
                "text": "Is it open?",
                "atom": ["open", "door"],
                "opposite": False,
                "about": "fact",
                "holds": True,
                "seen": True,
            }
        ],
    },
}
GIVEN = {  # what a person writes on the command line
    "method": "cowp",
    "knower": "perfect",
    "robot.situation": "the cup is dirty",
    "robot.stock": "bowl,dishwasher",
    "robot.chance": "0.5",
}
CAREFUL = {
    f"method.{name}": str(field.default)
    for name, field in CarefulOptions.model_fields.items()
    if isinstance(field.default, int | float)
}
DESIGN = Design(("dkprompt", "classical"), ("halve_egg",), ("perfect",), (1.0,), 6)


def template(folder: Path) -> None:
    """One of each file, where the program looks for it."""
    shutil.copytree(ROOT / "tests/fixtures/domains/blocks", folder / "blocks")
    shutil.copytree(ROOT / "domains/tabletop", folder / "tabletop")
    shutil.copytree(ROOT / "tests/fixtures/domains/ferry", folder / "ferry")
    shutil.copytree(ROOT / "domains/dining", folder / "dining")
    mine = folder / MINE
    for kind, name in (
        ("models", "vllm"),
        ("models", "prices"),
        ("profiles", "paper-gpt4"),
        ("prompts", "paper"),
        ("knowers", "davinci"),
    ):
        (mine / kind).mkdir(parents=True, exist_ok=True)
        shutil.copy(
            ROOT / f"resources/{kind}/{name}.toml",
            mine / kind / f"{'mine' if kind != 'models' else name}.toml",
        )
    shutil.copy(ROOT / "resources/models/vllm.toml", mine / "models" / "mine.toml")
    shutil.copy(ROOT / "resources/planners/babbling.toml", folder / "planner.toml")
    for name, text in (
        ("arm.toml", SETUP), ("wrist.toml", HAND_EYE), ("data/dkprompt-console/calibrations/gpt.toml", CURVE),
        ("console.toml", MEMORY), ("window.toml", 'layout = 1\ngeometry = "AAAA"\nstate = "AAAA"\n'),
        ("script.json", json.dumps(["yes;no", "skip"])), ("reply.json", json.dumps(REPLY)),
        ("request.json", json.dumps(REQUEST)), ("given.json", json.dumps(GIVEN)),
        ("careful.json", json.dumps({"method": "careful", **CAREFUL})), ("token", "x" * 43 + "\n"),
    ):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with JobStore(folder / "trials.db", TRIALS) as store:
        for trial in DESIGN.all_trials():
            store.put(trial, TrialOutcome("succeeded", "", True, True, 4, 5, 6, 0, 0, 6, 6, 0.1, 0.2))
    (folder / "token").chmod(0o600)
    (folder / "picture.png").write_bytes(encode_png(RED))
    model = SimpleNamespace(fingerprint=("m",), ask=lambda *_: Reply("yes", "m"))
    CachedModel(model, folder / "replies.db").ask((ChatMessage("user", "?"),), (), StopToken())  # type: ignore[arg-type]
    card = tiny_eye(folder / "eye") / "eye.toml"
    digest = hashlib.sha256((folder / "eye" / "trunk.onnx").read_bytes()).hexdigest()
    card.write_text(card.read_text().replace('trunk = ""', f'trunk = "{digest}"'))
    knowledge = KnowledgeStore(folder / "knowledge")
    knowledge.update("doors", lambda _: KEPT)
