"""The small parts around a model: presets, prices, confidence, faults, cache, doctor, emulator."""

import email.utils
import json
import math
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from core.belief import Verdict
from core.errors import BadFile, BadValue, UnknownName
from core.ports import ChatMessage, Reply, ReplyToken
from core.stop_token import StopToken
from core.vqa.answerers.cached import CachedModel
from core.vqa.answerers.model_answerer import raw_confidence
from core.vqa.budget import RetryPolicy
from core.vqa.doctor import diagnose_model, two_halves
from core.vqa.endpoint.api_keys import Secret
from core.vqa.endpoint.chat_format import MAX_REPLY_CHARS, parse_completion
from core.vqa.endpoint.chat_model import ChatModel
from core.vqa.endpoint.presets import load_preset, preset_names, prices
from core.vqa.endpoint.request_failure import retry_after, status_failure
from core.vqa.mock.faults import Fault, parse_faults
from core.vqa.mock.mock_server import start_mock_server
from core.vqa.registry import ModelSettings, make_answerer
from tests.core.vqa.conftest import Serve
from tests.core.vqa.kit import BOTH, FRAME, World

ASK = (ChatMessage("user", "Is it?"),)

# --- presets and prices ---


def test_that_the_seven_endpoints_and_a_custom_one_are_there() -> None:
    assert set(preset_names()) == {
        "openai", "google", "anthropic", "ollama", "vllm", "llama-cpp", "lm-studio", "custom",
    }  # fmt: skip
    for name in preset_names():
        preset = load_preset(name)
        assert preset.name == name
        assert preset.start
        assert preset.needs_key <= bool(preset.keys)


@pytest.mark.parametrize("url", ["ftp://x/v1", "http://", "http:// /v1:x", "http://h:99999/v1", "nonsense"])
def test_that_an_address_must_be_a_url(url: str) -> None:
    with pytest.raises(BadValue, match="is not an http"):
        load_preset("custom", "", url)


def test_that_a_host_is_shown_without_user_password_or_query() -> None:
    assert load_preset("custom", "", "http://me:secret@h:8000/v1?key=secret").host == "http://h:8000"
    assert load_preset("custom", "", "http://[::1]:8000/v1").host == "http://[::1]:8000"


def test_that_a_price_holds_for_dated_versions_only() -> None:
    table = prices()
    assert table.cost("gpt-4.1", 1_000_000, 1_000_000) == pytest.approx(10.0)
    assert table.cost("gpt-4.1-2025-04-14", 1_000_000, 0) == pytest.approx(2.0)
    assert table.cost("gpt-4.1-mini", 1_000_000, 0) == pytest.approx(0.4)
    assert table.cost("gpt-4.1-unheard-of", 1, 1) is None


# --- what comes back ---


@pytest.mark.parametrize(
    ("status", "body", "passing", "says"),
    [
        (401, "", False, "refused the key"),
        (404, "", False, "does not know the model"),
        (429, "slow down", True, "slow down"),
        (429, '{"code": "insufficient_quota"}', False, "no credit"),
        (400, "bad detail", False, "bad detail"),
        (301, "", False, "elsewhere"),
        (408, "", True, "busy"),
        (409, "", True, "busy"),
        (503, "x" * 9999, True, "busy"),
    ],
)
def test_that_each_status_says_whether_to_try_again(status: int, body: str, passing: bool, says: str) -> None:
    trouble = status_failure(load_preset("openai"), status, body, {})
    assert trouble.transient is passing
    assert says in trouble.reason
    assert len(trouble.reason) < 400


def test_that_retry_after_is_read_in_every_form() -> None:
    later = email.utils.formatdate(time.time() + 60, usegmt=True)
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert retry_after({"retry-after": later}) == pytest.approx(60, abs=2)
    assert retry_after({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}) == 0
    for odd in ("soon", "-1", "inf", "nan", ""):
        assert retry_after({"retry-after": odd}) is None
    assert retry_after({}) is None


def body(**message: object) -> bytes:
    return json.dumps({"choices": [{"message": message}]}).encode()


def test_that_every_shape_of_a_message_is_read() -> None:
    def text(raw: bytes) -> str:
        reply = parse_completion(raw)
        assert isinstance(reply, Reply)
        return reply.text

    assert text(body(content="yes")) == "yes"
    assert text(body(content=None)) == ""
    assert text(body(content=None, refusal="I can't")) == "I can't"
    assert text(body(content=[{"type": "text", "text": "ye"}, {"text": "s"}])) == "yes"
    assert text(b'{"choices": [{"message": {"content": "yes\xff"}}]}') == "yes\ufffd"
    assert text(body(content="x" * 200_000)).endswith("… (200,000 characters)")
    assert len(text(body(content="x" * 200_000))) < MAX_REPLY_CHARS + 50


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"null", b"{}", b'{"choices": []}', b'{"choices": [1]}', b'{"choices": [{}]}',
     b'{"choices": [{"message": 1}]}', b'{"choices": [{"message": {}}]}', b"[" * 100_000, b"\xff",
     b'{"error": {"message": "no"}}', b"<html>"],
)  # fmt: skip
def test_that_a_body_without_a_reply_is_trouble_that_passes(raw: bytes) -> None:
    trouble = parse_completion(raw)
    assert not isinstance(trouble, Reply)
    assert trouble.transient


def test_that_odd_counts_and_logprobs_do_no_harm() -> None:
    data = {
        "model": 3,
        "usage": {"prompt_tokens": -1, "completion_tokens": "many"},
        "choices": [{"message": {"content": "yes"}, "logprobs": {"content": [{"token": "yes"}]}}],
    }
    reply = parse_completion(json.dumps(data).encode())
    assert isinstance(reply, Reply)
    assert (reply.model, reply.tokens_in, reply.tokens_out, reply.tokens) == ("", 0, 0, ())


# --- confidence ---


def token(text: str, share: float, **others: float) -> ReplyToken:
    return ReplyToken(text, math.log(share), tuple((word, math.log(p)) for word, p in others.items()))


def test_that_confidence_is_the_share_of_the_verdict_among_the_answers() -> None:
    tokens = [token("yes", 0.6, Yes=0.2, no=0.1, The=0.1), token(";", 1.0), token(" no", 0.5)]
    assert raw_confidence(tokens, 2) == pytest.approx((0.8 / 0.9, 1.0))


def test_that_confidence_is_none_where_answers_cannot_be_counted() -> None:
    assert raw_confidence([token("yes", 0.9)], 2) == (None, None)
    assert raw_confidence([], 1) == (None,)


def test_that_raw_confidence_stays_beside_the_answers_and_never_in_them(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    preset = tmp_path / "mine.toml"
    preset.write_text(
        f'name = "mine"\nabout = "x"\nbase_url = "{server.url}"\nmodel = "m"\nlogprobs = true\n'
    )
    call = make_answerer(str(preset), truth=World()).answer(FRAME, BOTH, 1, StopToken())
    assert call.confidences == pytest.approx((0.9, 0.9))
    assert [answer.confidence for answer in call.answers] == [None, None]


# --- faults ---


def test_that_faults_come_at_their_rates_and_the_same_every_time() -> None:
    faults = parse_faults("429=0.2, cut=0.1", seed=3)
    met = [faults(call) for call in range(5000)]
    assert met == [parse_faults("429=0.2,cut=0.1", seed=3)(call) for call in range(5000)]
    assert met.count(Fault.BUSY) / 5000 == pytest.approx(0.2, abs=0.03)
    assert met.count(Fault.CUT) / 5000 == pytest.approx(0.1, abs=0.03)
    assert parse_faults("")(1) is Fault.NONE
    assert parse_faults("500")(1) is Fault.BROKEN


def test_that_wrong_faults_are_told() -> None:
    with pytest.raises(UnknownName, match="did you mean refusal"):
        parse_faults("refusals=0.1")
    for odd in ("cut=x", "cut=2", "cut=0.6,500=0.6", "cut=-1"):
        with pytest.raises(BadValue):
            parse_faults(odd)


# --- cache ---


def cached(url: str, path: Path, **changes: object) -> CachedModel:
    preset = replace(load_preset("custom", "m", url), **changes)  # type: ignore[arg-type]
    return CachedModel(ChatModel(preset, Secret("")), path)


def test_that_a_kept_reply_is_not_asked_for_again_and_costs_nothing(serve: Serve, tmp_path: Path) -> None:
    server, path = serve(), tmp_path / "replies.db"
    first = cached(server.url, path, logprobs=True).ask(ASK, [b"p"], StopToken())
    again = cached(server.url, path, logprobs=True).ask(ASK, [b"p"], StopToken())
    assert len(server.received) == 1
    assert (again.text, again.tokens, again.cost) == (first.text, first.tokens, 0.0)
    assert "cached" in cached(server.url, path).name


def test_that_anything_else_is_asked_anew(serve: Serve, tmp_path: Path) -> None:
    server, path = serve(), tmp_path / "replies.db"
    cached(server.url, path).ask(ASK, [b"p"], StopToken())
    cached(server.url, path).ask(ASK, [b"q"], StopToken())
    cached(server.url, path).ask((ChatMessage("user", "Is it not?"),), [b"p"], StopToken())
    cached(server.url, path, model="n").ask(ASK, [b"p"], StopToken())
    cached(server.url, path, parameters={"temperature": 1}).ask(ASK, [b"p"], StopToken())
    assert len(server.received) == 5


def test_that_a_file_that_is_no_cache_is_told(tmp_path: Path) -> None:
    path = tmp_path / "replies.db"
    path.write_text("no database at all, but long enough to be taken for one " * 30)
    with pytest.raises(BadFile, match="cannot keep replies"):
        cached("http://127.0.0.1:1/v1", path)


# --- doctor ---


def test_that_the_doctor_finds_a_good_model_good() -> None:
    server = start_mock_server("perfect")
    diagnosis = diagnose_model(server.url)
    server.close()
    assert diagnosis.ok
    assert (diagnosis.correct, diagnosis.raw_reply) == (10, "no;yes;no;yes;no;yes;no")
    assert diagnosis.seconds > 0
    assert diagnosis.tokens > 0
    assert two_halves().startswith(b"\x89PNG")


def test_that_the_doctor_says_what_is_wrong() -> None:
    skips, noisy = start_mock_server("skips"), start_mock_server("symmetric-34", seed=1)
    assert "none of its answers is yes or no" in diagnose_model(skips.url).problem
    assert "which guessing can reach: does this model see pictures?" in diagnose_model(noisy.url).problem
    skips.close()
    noisy.close()
    assert "OPENAI_API_KEY" in diagnose_model("openai").problem
    assert "did you mean ollama" in diagnose_model("olama").problem
    gone = diagnose_model(
        skips.url, ModelSettings(retry_policy=RetryPolicy(initial_backoff=0.01, max_attempts=2))
    )
    assert "cannot be reached" in gone.problem


def test_that_the_doctors_picture_is_what_its_questions_say() -> None:
    import cv2
    import numpy as np

    picture = cv2.imdecode(np.frombuffer(two_halves(), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (256, 256, 3)
    assert (picture[:, :128] == (30, 30, 200)).all()  # blue, green, red
    assert (picture[:, 128:] == (200, 30, 30)).all()


# --- the emulated endpoint ---


def test_that_the_emulator_plays_a_script_without_any_truth(tmp_path: Path) -> None:
    script = tmp_path / "s.json"
    script.write_text('["Yes; No."]')
    server = start_mock_server(str(script))
    call = make_answerer(server.url).answer(FRAME, BOTH, 1, StopToken())
    server.close()
    assert [answer.verdict for answer in call.answers] == [Verdict.YES, Verdict.YES]


def test_that_the_emulator_listens_here_only_and_refuses_nonsense() -> None:
    server = start_mock_server("perfect")
    assert server.url.startswith("http://127.0.0.1:")
    for path, data in (("/chat/completions", b"nonsense"), ("/chat/completions", b"[]"), ("/else", b"{}")):
        request = urllib.request.Request(server.url + path, data, {"Content-Type": "application/json"})
        with pytest.raises(urllib.error.HTTPError, match=r"40[04]") as caught:
            urllib.request.urlopen(request, timeout=5)
        caught.value.close()
    with urllib.request.urlopen(f"{server.url}/models", timeout=5) as response:
        assert json.load(response)["data"][0]["id"] == "perfect"
    port = int(server.url.split(":")[2].split("/")[0])
    with pytest.raises(BadValue, match=f"cannot listen on port {port}"):
        start_mock_server("perfect", port=port)
    with pytest.raises(BadValue):
        start_mock_server("perfect", port=99999)
    server.close()
    server.close()
    server.wait()
