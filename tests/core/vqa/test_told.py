"""Who gets to know the truth: our emulator on this machine, and nobody else."""

from dataclasses import replace

import pytest

from core.belief import Atom, Query, QueryTopic, Verdict
from core.planning_model import Step
from core.stop_token import StopToken
from core.vqa.endpoint.presets import load_preset
from core.vqa.mock.truth_sideband import FIELD, is_emulator
from core.vqa.registry import ModelSettings, make_answerer
from tests.core.vqa.conftest import Serve
from tests.core.vqa.kit import BOTH, CLOSED, FRAME, World


@pytest.mark.parametrize("prompt", ["dkprompt", "structured", "single", "paper"])
def test_that_the_emulator_hears_the_truth_and_answers_by_its_profile(serve: Serve, prompt: str) -> None:
    server = serve("perfect")
    answerer = make_answerer(server.url, truth=World(), asking=ModelSettings(prompt=prompt))
    for queries, right in ((BOTH, [Verdict.YES, Verdict.NO]), (BOTH[::-1], [Verdict.NO, Verdict.YES])):
        call = answerer.answer(FRAME, queries, 1, StopToken())
        assert [a.verdict for a in call.answers] == right
    assert server.received[0].body[FIELD]["viewpoint"] == "v1"


def test_that_the_emulator_knows_a_question_that_is_sent_in_the_prompts_own_words(serve: Serve) -> None:
    server = serve("perfect")
    answerer = make_answerer(server.url, truth=World(), asking=ModelSettings(prompt="paper"))
    wide = replace(CLOSED, text="Is the cabinet wide open?")
    call = answerer.answer(FRAME, (BOTH[0], wide), 1, StopToken())
    assert [a.verdict for a in call.answers] == [Verdict.YES, Verdict.NO]
    assert "Is the cabinet open?" in str(server.received[0].body["messages"][-1])


class Judging(World):
    def step_succeeded(self) -> bool | None:
        return True

    def step_possible(self, step: Step) -> bool:
        return step == Step("open", ("cabinet",))


STEPS = (
    Query(Atom("worked", ("close", "cabinet")), "Was closing successful?", topic=QueryTopic.STEP_SUCCEEDED),
    Query(
        Atom("possible", ("open", "cabinet")), "Can the cabinet be opened?", topic=QueryTopic.STEP_POSSIBLE
    ),
    Query(Atom("possible", ("open", "mug")), "Can the mug be opened?", topic=QueryTopic.STEP_POSSIBLE),
)


@pytest.mark.parametrize(
    ("world", "right"),
    [
        (Judging(), [Verdict.YES, Verdict.YES, Verdict.NO, Verdict.YES]),
        (World(), [Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.YES]),
    ],
)
def test_that_the_emulator_hears_what_is_so_of_steps(
    serve: Serve, world: World, right: list[Verdict]
) -> None:
    answerer = make_answerer(serve("perfect").url, truth=world)
    call = answerer.answer(FRAME, (*STEPS, BOTH[0]), 1, StopToken())
    assert [a.verdict for a in call.answers] == right


@pytest.mark.parametrize("owner", ["", "openai", "dkprompt-console", "vllm"])
def test_that_no_other_endpoint_receives_the_truth(serve: Serve, owner: str) -> None:
    server = serve("perfect", owner=owner)
    call = make_answerer(server.url, truth=World()).answer(FRAME, BOTH, 1, StopToken())
    assert [a.verdict for a in call.answers] == [Verdict.UNKNOWN] * 2
    assert server.received
    for received in server.received:
        assert FIELD not in received.body
        assert "holds" not in repr(received)


def test_that_an_endpoint_elsewhere_is_not_even_asked_whether_it_is_ours(serve: Serve) -> None:
    server = serve()
    here = load_preset("custom", "", server.url)
    assert is_emulator(here)
    assert not is_emulator(replace(here, base_url=server.url.replace("127.0.0.1", "127.0.0.2")))
    assert not is_emulator(replace(here, base_url="https://example.invalid/v1"))


def test_that_another_server_on_the_same_port_is_not_told(serve: Serve) -> None:
    first = serve()
    answerer = make_answerer(first.url, truth=World())
    answerer.answer(FRAME, BOTH, 1, StopToken())
    port = int(first.url.split(":")[2].split("/")[0])
    first.close()
    second = serve(port=port, owner="somebody")
    answerer.answer(FRAME, [CLOSED], 1, StopToken())
    assert [FIELD in received.body for received in second.received] == [False]
