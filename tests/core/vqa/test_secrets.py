"""A key is planted, everything goes wrong, and everything that was written is searched."""

import logging
import pickle
import traceback
from pathlib import Path

import pytest

from core.errors import AnswererError
from core.stop_token import StopToken
from core.vqa.endpoint.api_keys import Secret, find_key
from core.vqa.endpoint.presets import load_preset
from core.vqa.mock.faults import Fault, sequence
from core.vqa.registry import ModelSettings, make_answerer, model_answerer
from tests.core.vqa.conftest import Serve
from tests.core.vqa.kit import BOTH, FRAME, World

KEY = "sk-planted-0123456789abcdef"


def everything_in(thing: object, depth: int = 4) -> str:
    """The representations of an object's attributes and of theirs: what a crash dump would show."""
    inside = vars(thing).values() if hasattr(thing, "__dict__") and depth else ()
    return " ".join([repr(thing), *(everything_in(value, depth - 1) for value in inside)])


def test_that_a_planted_key_reaches_the_endpoint_and_nothing_that_is_written(
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("DKPROMPT_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    server = serve(faults=sequence([Fault.BROKEN, Fault.NONE] + [Fault.BUSY] * 9), delay=0.001)
    told: list[str] = []
    asking = ModelSettings(cache=tmp_path / "replies.db", notify=told.append)
    answerer = model_answerer(server.url, World(), asking)
    call = answerer.answer(FRAME, BOTH, 1, StopToken())
    errors = []
    for number in range(2):
        try:
            make_answerer(f"{server.url}/{number}" if number else server.url).answer(
                FRAME, BOTH, 1, StopToken()
            )
        except AnswererError as error:
            errors.append(
                "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
            )
    answerer.close()
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert len(errors) == 2
    written = [call, told, errors, everything_in(answerer), caplog.text]
    written += [*capsys.readouterr(), *[path.read_bytes() for path in tmp_path.iterdir()]]
    assert caplog.text
    assert KEY not in repr(written)


def test_that_an_endpoint_that_repeats_the_key_does_not_get_it_shown() -> None:
    secret = Secret(KEY)
    assert secret.scrub(f"Wrong key {KEY}, or {KEY[:14]}...") == "Wrong key ***, or ***12..."


def test_that_a_key_shows_in_no_form_and_cannot_be_pickled() -> None:
    secret = Secret(KEY)
    assert KEY not in f"{secret} {secret!r} {[secret]}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)


def test_that_what_the_client_takes_from_the_environment_stays_here(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Mine: {KEY}\nAuthorization: Bearer {KEY}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    server = serve()
    make_answerer(server.url).answer(FRAME, BOTH, 1, StopToken())
    assert len(server.received) == 1
    assert KEY not in repr(server.received)
    assert "authorization" not in server.received[0].headers


def test_that_a_key_comes_from_the_environment_or_else_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring

    preset = load_preset("google")
    monkeypatch.setattr(keyring, "get_password", lambda service, name: f"{service}/{name}")
    assert find_key(preset).reveal() == "dkprompt-console/google"
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    assert find_key(preset).reveal() == KEY


def test_that_a_missing_key_says_where_to_put_it() -> None:
    with pytest.raises(AnswererError, match=r"set OPENAI_API_KEY .* `keyring set dkprompt-console openai`"):
        find_key(load_preset("openai"))
    assert find_key(load_preset("ollama")).reveal() == ""
