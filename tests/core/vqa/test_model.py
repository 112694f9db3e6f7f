"""The real client over a real socket, against the emulated endpoint and its faults."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from core.belief import Verdict
from core.errors import AnswererError, BadValue, Cancelled
from core.ports import ChatMessage, Reply
from core.stop_token import StopToken
from core.vqa.budget import BudgetExceeded, Meter, ModelBudget, RetryPolicy
from core.vqa.endpoint.api_keys import Secret
from core.vqa.endpoint.chat_model import ChatModel
from core.vqa.endpoint.presets import load_preset
from core.vqa.mock.faults import Fault, sequence
from core.vqa.mock.mock_server import MockServer
from core.vqa.registry import ModelSettings, make_answerer
from tests.core.vqa.conftest import Serve
from tests.core.vqa.kit import BOTH, FRAME, World
from tests.patience import AT_ONCE

ASK = (ChatMessage("system", "You see."), ChatMessage("user", "Is it open?; Is it shut?"))
QUICK = RetryPolicy(timeout=5, total_timeout=10, max_attempts=4, initial_backoff=0.01, max_backoff=0.05)

Make = Callable[..., ChatModel]


@pytest.fixture
def make() -> Iterator[Make]:
    """Makes models and closes them."""
    models: list[ChatModel] = []

    def build(
        server: MockServer | str, key: str = "", patience: RetryPolicy = QUICK, **settings: object
    ) -> ChatModel:
        url = server if isinstance(server, str) else server.url
        models.append(
            ChatModel(load_preset("custom", "m", url), Secret(key), retry_policy=patience, **settings)
        )  # type: ignore[arg-type]
        return models[-1]

    yield build
    for model in models:
        model.close()


def ask(model: ChatModel) -> Reply:
    return model.ask(ASK, [b"a picture"], StopToken())


def test_that_questions_and_the_exact_picture_arrive_and_a_reply_comes_back(serve: Serve, make: Make) -> None:
    server = serve()
    reply = ask(make(server))
    assert reply.text == "skip;skip"
    assert reply.tokens_out > 0
    assert reply.cost is None  # nothing says that this server is free
    assert reply.seconds > 0
    body = server.received[0].body
    assert body["model"] == "m"
    assert body["temperature"] == 0
    assert body["messages"][0] == {"role": "system", "content": "You see."}
    picture, text = body["messages"][1]["content"]
    assert picture == {"type": "image_url", "image_url": {"url": "data:image/png;base64,YSBwaWN0dXJl"}}
    assert text == {"type": "text", "text": "Is it open?; Is it shut?"}


@pytest.mark.parametrize("fault", [Fault.BUSY, Fault.BROKEN, Fault.CUT, Fault.MALFORMED, Fault.NO_CHOICE])
def test_that_a_passing_fault_is_tried_again_and_told(serve: Serve, make: Make, fault: Fault) -> None:
    server = serve(faults=sequence([fault, fault]), delay=0.02)
    told: list[str] = []
    assert ask(make(server, notify=told.append)).text == "skip;skip"
    assert len(server.received) == 3
    assert len(told) == 2
    assert told[0].startswith("Waiting 0.")
    assert "(2 of at most 4)" in told[0]


@pytest.mark.parametrize("fault", [Fault.BUSY, Fault.BROKEN, Fault.CUT, Fault.MALFORMED, Fault.NO_CHOICE])
def test_that_a_lasting_fault_ends_in_one_sentence(serve: Serve, make: Make, fault: Fault) -> None:
    server = serve(faults=lambda call: fault, delay=0.01)
    with pytest.raises(AnswererError, match=r"^m at http://127\.0\.0\.1:\d+ .*\.$") as caught:
        ask(make(server))
    assert len(server.received) == QUICK.max_attempts
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("fault", [Fault.COUNT, Fault.REFUSAL, Fault.MEGABYTES, Fault.UTF8, Fault.EMPTY])
def test_that_a_reply_that_cannot_be_read_is_asked_again_once_and_then_unknown(
    serve: Serve, fault: Fault
) -> None:
    server = serve(faults=lambda call: fault)
    call = make_answerer(server.url, truth=World()).answer(FRAME, BOTH, 1, StopToken())
    assert [a.verdict for a in call.answers] == [Verdict.UNKNOWN] * 2
    assert len(server.received) == 2
    assert "asked again" in call.raw_reply
    assert all(len(answer.raw_reply) < 600 for answer in call.answers)


def test_that_retry_after_is_waited_for_and_not_longer_than_patience(serve: Serve, make: Make) -> None:
    server = serve(faults=sequence([Fault.BUSY]), delay=0.3)
    started = time.monotonic()
    ask(make(server))
    assert time.monotonic() - started >= 0.3
    patient = serve(faults=sequence([Fault.BUSY]), delay=3600)
    with pytest.raises(AnswererError, match="429"):
        ask(make(patient))
    assert len(patient.received) == 1


def test_that_waiting_for_a_shared_rate_is_no_part_of_the_patience_with_the_model(
    serve: Serve, make: Make
) -> None:
    server, meter = serve(), Meter()
    model = make(server, meter=meter, patience=replace(QUICK, total_timeout=1))
    ask(model)  # so that no import takes a part of that second
    server.faults = lambda call: Fault.BROKEN
    meter.wait_for_turn = lambda cancel: time.sleep(0.4)
    with pytest.raises(AnswererError):
        ask(model)
    assert len(server.received) == 1 + QUICK.max_attempts


def test_that_a_late_reply_runs_into_the_timeout(serve: Serve, make: Make) -> None:
    server = serve(faults=lambda call: Fault.DELAY if call > 1 else Fault.NONE, delay=30)
    model = make(server, patience=replace(QUICK, timeout=1, max_attempts=2))
    ask(model)  # so that no import takes a part of that second
    with pytest.raises(AnswererError, match=r"within 1 s"):
        ask(model)
    assert len(server.received) == 3


def cancelled(model: ChatModel, when: threading.Event | None = None) -> float:
    """Seconds from the cancel until the call has let go."""
    cancel = StopToken()
    let_go: list[float] = []

    def call() -> None:
        with pytest.raises(Cancelled):
            model.ask(ASK, [b""], cancel)
        let_go.append(time.monotonic())

    thread = threading.Thread(target=call)
    thread.start()
    if when:
        assert when.wait(10)
    started = time.monotonic()
    cancel.end("stop")
    thread.join(10)
    return let_go[0] - started


def test_that_a_call_under_way_lets_go_at_once_and_hangs_up(serve: Serve, make: Make) -> None:
    arrived = threading.Event()

    def late(call: int) -> Fault:
        arrived.set()
        return Fault.DELAY

    server = serve(faults=late, delay=30)
    assert cancelled(make(server), arrived) < AT_ONCE
    assert server.client_disconnected.wait(5)


def test_that_a_wait_for_another_try_lets_go_at_once(serve: Serve, make: Make) -> None:
    waiting = threading.Event()
    server = serve(faults=lambda call: Fault.BUSY, delay=5)
    assert cancelled(make(server, notify=lambda text: waiting.set()), waiting) < AT_ONCE


def test_that_a_cancelled_model_is_not_asked(serve: Serve, make: Make) -> None:
    server, cancel = serve(), StopToken()
    cancel.end("closed")
    with pytest.raises(Cancelled):
        make(server).ask(ASK, [], cancel)
    assert not server.received


def test_that_nobody_at_the_address_is_told_with_a_way_out(make: Make) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(AnswererError, match="cannot be reached, or hung up: is it running"):
        ask(make(url))


def test_that_a_wrong_address_is_not_tried_again(serve: Serve, make: Make) -> None:
    server = serve()
    with pytest.raises(AnswererError, match=r"does not know the model 'm' or the address"):
        ask(make(server.url.replace("/v1", "/v9")))


def test_that_a_broken_request_is_told_in_the_servers_words(serve: Serve, make: Make) -> None:
    model = make(serve())
    with pytest.raises(AnswererError, match=r"refused the request \(HTTP 400"):
        model.ask([], [], StopToken())


# --- budgets ---


@pytest.mark.parametrize(
    ("budget", "what"),
    [
        (ModelBudget(calls=2), "2 calls"),
        (ModelBudget(tokens=1), "1 tokens"),
        (ModelBudget(seconds=1e-6), "0 s"),
    ],
)
def test_that_a_spent_budget_asks_before_it_sends(
    serve: Serve, make: Make, budget: ModelBudget, what: str
) -> None:
    server = serve()
    meter = Meter(budget)
    model = make(server, meter=meter)
    with pytest.raises(BudgetExceeded, match=f"budget of {what} is used up.*raise it"):
        for _ in range(3):
            ask(model)
    sent = len(server.received)
    assert sent == meter.usage.calls
    meter.set_budget(ModelBudget())
    ask(model)
    assert len(server.received) == sent + 1


def test_that_failed_requests_count_as_calls(serve: Serve, make: Make) -> None:
    meter = Meter(ModelBudget(calls=2))
    with pytest.raises(BudgetExceeded):
        ask(make(serve(faults=lambda call: Fault.BROKEN), meter=meter))
    assert meter.usage.calls == 2


def test_that_a_budget_in_dollars_needs_a_price() -> None:
    preset = load_preset("openai", "no-such-model")
    with pytest.raises(BadValue, match="No price is known for 'no-such-model'"):
        ChatModel(preset, Secret(""), meter=Meter(ModelBudget(dollars=1)))


def test_that_dollars_run_out() -> None:
    meter = Meter(ModelBudget(dollars=0.5))
    meter.record_request(1, Reply("", cost=0.4))
    meter.check_budget()
    meter.record_request(1, Reply("", cost=0.1))
    with pytest.raises(BudgetExceeded, match=r"budget of \$0\.50 is used up \(\$0\.50 spent\)"):
        meter.check_budget()
    meter.record_request(1, Reply("", cost=None))
    assert meter.usage.unpriced == 1


# --- variants ---


def test_that_an_endpoint_with_schemas_is_asked_for_objects(serve: Serve) -> None:
    server = serve()
    asking = ModelSettings(prompt="structured")
    call = make_answerer(server.url, truth=World(), asking=asking).answer(FRAME, BOTH, 1, StopToken())
    assert [a.verdict for a in call.answers] == [Verdict.YES, Verdict.NO]
    assert "response_format" not in server.received[0].body  # "custom" promises no schemas


def test_that_logprobs_become_a_raw_confidence_beside_the_answers(serve: Serve, make: Make) -> None:
    server = serve()
    preset = replace(load_preset("custom", "m", server.url), logprobs=True, structured=True)
    model = ChatModel(preset, Secret(""), structured=True)
    reply = model.ask([ChatMessage("user", "Is it?")], [], StopToken())
    model.close()
    assert reply.text == '{"answers": [{"number": 1, "answer": "skip"}]}'
    assert "skip" in [token.text for token in reply.tokens]
    assert server.received[0].body["logprobs"] is True
    assert server.received[0].body["response_format"]["type"] == "json_schema"
