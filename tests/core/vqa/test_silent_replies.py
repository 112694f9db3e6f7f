"""What holds no answer is a failed call with its cause, at the answerer and in `doctor`, and is kept."""

from __future__ import annotations

import pytest

from app.cli.doctor import model_findings
from core.belief import Verdict
from core.errors import AnswererError
from core.ports import ChatMessage, Reply, SilentReply
from core.stop_token import StopToken
from core.vqa.budget import RetryPolicy
from core.vqa.doctor import diagnose_model
from core.vqa.endpoint.api_keys import Secret
from core.vqa.endpoint.chat_format import parse_completion, silence
from core.vqa.endpoint.chat_model import ChatModel
from core.vqa.endpoint.presets import Purpose, load_preset
from core.vqa.mock.faults import Fault
from core.vqa.registry import ModelSettings, make_answerer
from tests.core.vqa.conftest import Serve
from tests.core.vqa.kit import BOTH, FRAME, World
from tests.core.vqa.silent_kinds import KINDS, LASTING, SILENT
from tests.sampling import some

HASTY = ModelSettings(retry_policy=RetryPolicy(max_attempts=2, initial_backoff=0.001, max_backoff=0.002))
CUSTOM = load_preset("custom")


def test_that_the_table_has_every_fault() -> None:
    assert len(KINDS) >= 20
    assert set(KINDS) == set(Fault) - {Fault.NONE, Fault.DELAY}


@pytest.mark.parametrize("fault", SILENT)
def test_that_the_answerer_tells_the_cause_and_keeps_what_came(serve: Serve, fault: Fault) -> None:
    server = serve(faults=lambda call: fault)
    call = make_answerer(server.url, truth=World(), asking=HASTY).answer(FRAME, BOTH, 1, StopToken())
    assert SILENT[fault] in call.error
    assert [answer.verdict for answer in call.answers] == [Verdict.UNKNOWN] * 2
    assert len(server.received) == 2, "once more in a stricter form, and that is all"
    assert call.tokens > 0 and call.seconds > 0
    assert bool(call.reasoning) is (fault in (Fault.THINK_NULL, Fault.THINK_EMPTY, Fault.THINK_ONLY))
    assert call.finish_reason


@pytest.mark.parametrize("fault", LASTING)
def test_that_what_cannot_pass_is_not_tried_again(serve: Serve, fault: Fault) -> None:
    server = serve(faults=lambda call: fault)
    with pytest.raises(AnswererError) as caught:
        make_answerer(server.url, truth=World(), asking=HASTY).answer(FRAME, BOTH, 1, StopToken())
    assert LASTING[fault] in str(caught.value)
    assert len(server.received) == 1


@pytest.mark.parametrize("fault", some(KINDS, 4))
def test_that_doctor_names_the_cause_in_few_words(serve: Serve, fault: Fault) -> None:
    server = serve(faults=lambda call: fault, delay=0.001)
    (finding,) = model_findings(diagnose_model(server.url, HASTY))
    assert (finding.name, finding.level) == ("Model", "wrong")
    assert KINDS[fault] in finding.mend and len(finding.mend) < 500


def test_that_what_a_method_asks_in_words_is_never_taken_half(serve: Serve) -> None:
    server = serve(faults=lambda call: Fault.LENGTH)
    model = ChatModel(load_preset("custom", "m", server.url), Secret(""), purpose="prompts")
    with pytest.raises(SilentReply, match=r"its limit is 8000 tokens\): raise prompts of") as caught:
        model.ask([ChatMessage("user", "Write a plan.")], [], StopToken())
    model.close()
    assert caught.value.reply.text and caught.value.reply.finish_reason == "length"
    assert server.received[0].body["max_tokens"] == 8000


def completion(message: str, ending: str = '"stop"') -> Reply:
    body = f'{{"choices": [{{"message": {message}, "finish_reason": {ending}}}]}}'
    reply = parse_completion(body.encode())
    assert isinstance(reply, Reply)
    return reply


@pytest.mark.parametrize(
    ("message", "ending"),
    [
        ('{"content": "yes;no"}', '"stop"'),
        ('{"content": "yes;no"}', "null"),
        ('{"content": "yes;no", "refusal": null, "reasoning_content": "hm"}', '"stop"'),
        ('{"content": "The left is red.\\n</think>\\n\\nyes;no"}', '"stop"'),
        ('{"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "yes"}]}', '"stop"'),
        ('{"content": "yes", "tool_calls": []}', '"eos"'),
    ],
)
def test_that_a_whole_reply_is_whole(message: str, ending: str) -> None:
    assert silence(completion(message, ending), CUSTOM, "questions") is None


@pytest.mark.parametrize(
    "message",
    [
        '{"reasoning_content": "hm"}',
        '{"content": "<think></think>\\n"}',
        '{"content": [{"type": "thinking", "thinking": "hm"}]}',
        '{"content": [{"type": "text", "text": null}]}',
        '{"content": "\\u200b", "tool_calls": [{}]}',
        '{"tool_calls": [{}]}',
    ],
)
def test_that_other_shapes_without_an_answer_are_silent_too(message: str) -> None:
    assert silence(completion(message), CUSTOM, "questions") is not None


def test_that_far_more_than_an_answer_is_none() -> None:
    reply = completion(f'{{"content": "{"yes " * 30_000}"}}')
    assert silence(reply, CUSTOM, "files").reason == "wrote far more than an answer"


@pytest.mark.parametrize(("purpose", "tokens", "seconds"), [("questions", 4000, 60), ("files", 16000, 300)])
def test_that_tokens_time_and_detail_go_by_purpose(purpose: Purpose, tokens: int, seconds: float) -> None:
    openai, custom = load_preset("openai"), load_preset("custom")
    assert custom.parameters_for(purpose)["max_tokens"] == tokens
    assert openai.parameters_for(purpose)["max_completion_tokens"] == tokens
    assert custom.timeout_for(purpose) == seconds
    assert openai.detail_for(purpose) == ("low" if purpose == "questions" else "high")
    assert custom.detail_for(purpose) == ""


def test_that_a_preset_of_ones_own_says_otherwise_and_is_named_to_be_edited(tmp_path, serve: Serve) -> None:
    server = serve(faults=lambda call: Fault.THINK_NULL)
    mine = tmp_path / "mine.toml"
    head = f'name = "mine"\nabout = ""\nbase_url = "{server.url}"\nmodel = "m"\n'
    for text, words in (
        ("[max_tokens]\nquestions = 77\n", "its 77 tokens to think and gave no answer: raise questions of"),
        ("[parameters]\nmax_tokens = 88\n", "its 88 tokens to think and gave no answer: raise max_tokens of"),
    ):
        mine.write_text(head + text)
        call = make_answerer(str(mine), truth=World(), asking=HASTY).answer(FRAME, BOTH, 1, StopToken())
        assert words in call.error and f" in {mine}, or switch" in call.error
