"""The prompt `structured` binds the answers to a schema, and a plan that a method asks for not."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from core import events as ev
from core.config import Settings
from core.planning.domain_library import load_task
from core.planning.planner import make_planner
from core.ports import ChatMessage
from core.stop_token import StopToken
from core.vqa.data_files import RESOURCES
from core.vqa.endpoint.chat_format import SCHEMA
from core.vqa.mock.mock_server import MockServer
from core.vqa.registry import ModelSettings, make_answerer
from main import make_components
from tests.core.vqa.conftest import Serve
from tests.core.vqa.kit import BOTH, FRAME
from tests.episodes import events_of

STEPS = make_planner().plan(load_task("halve_egg")[1].problem, StopToken()).steps


class BoundBySchema:
    """Plans, but a schema leaves it no choice, as real servers do."""

    name = "bound"

    def reply(self, body: Mapping[str, Any]) -> str:
        if wanted := body.get("response_format"):
            assert wanted == SCHEMA
            return '{"answers": [{"number": 1, "answer": "yes"}]}'
        return "\n".join(f"{step.name}({', '.join(step.args)})" for step in STEPS)


def preset(server: MockServer, folder: Path) -> str:
    """An endpoint that binds its replies to a schema, as OpenAI's and vLLM's do."""
    path = folder / "bound.toml"
    text = (RESOURCES / "models" / "custom.toml").read_text()
    text = text.replace("http://localhost:8000/v1", server.url).replace("[param", "structured = true\n[param")
    path.write_text(text)
    return str(path)


def test_that_a_schema_is_sent_with_questions_only(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    answerer: Any = make_answerer(preset(server, tmp_path), asking=ModelSettings(prompt="structured"))
    with closing(answerer):
        answerer.answer(FRAME, BOTH, 1, StopToken())
        answerer.model.ask([ChatMessage("user", "Plan.")], [], StopToken())
    assert ["response_format" in request.body for request in server.received] == [True, False]


def test_that_vlm_planner_can_plan_with_the_prompt_structured(tmp_path: Path) -> None:
    with closing(MockServer(BoundBySchema())) as server:
        settings = Settings(
            task="halve_egg",
            method="vlm-planner",
            answerer=preset(server, tmp_path),
            prompt="structured",
            openness=0,
            pictures=False,
        )
        with closing(make_components(settings)) as parts:
            events = events_of(parts)
    done = [event.step for event in events if isinstance(event, ev.StepFinished)]
    assert tuple(done) == STEPS
