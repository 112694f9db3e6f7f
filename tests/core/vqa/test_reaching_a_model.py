"""On the way to a model: proxies of the environment, certificates, and addresses as people paste them."""

from __future__ import annotations

import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from core.config import Settings
from core.errors import AnswererError, BadValue
from core.stop_token import StopToken
from core.vqa.budget import Meter, ModelBudget
from core.vqa.doctor import diagnose_model
from core.vqa.endpoint.api_keys import Secret
from core.vqa.endpoint.chat_model import ChatModel
from core.vqa.endpoint.presets import load_preset
from core.vqa.endpoint.transport import proxy_for
from core.vqa.registry import ModelSettings, make_answerer
from main import make_components
from tests.core.vqa.conftest import Serve
from tests.core.vqa.kit import BOTH, FRAME, World

FAR = "http://models.example.org/v1"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("named", "used"),
    [
        ("http://127.0.0.1:3128", "http://127.0.0.1:3128"),
        ("127.0.0.1:3128", "http://127.0.0.1:3128"),
        ("proxy.lab:3128", "http://proxy.lab:3128"),
        ("", None),
    ],
)
def test_that_a_proxy_is_used_also_without_a_scheme(
    monkeypatch: pytest.MonkeyPatch, named: str, used: str | None
) -> None:
    monkeypatch.setenv("HTTP_PROXY", named)
    assert proxy_for(FAR) == used
    monkeypatch.setenv("NO_PROXY", "models.example.org")
    assert proxy_for(FAR) is None


@pytest.mark.parametrize(
    "host",
    ["127.0.0.2", "10.1.2.3", "172.16.0.9", "192.168.1.7", "[::1]", "localhost", "gpu.local", "169.254.3.4"],
)
def test_that_no_proxy_leads_to_this_network(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", "socks5h://127.0.0.1:1")
    assert proxy_for(f"http://{host}:8000/v1") is None


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (
            "socks5h://ada:secret@127.0.0.1:1",
            "Your HTTP_PROXY is socks5h://127.0.0.1:1, which needs the package",
        ),
        ("socks5://127.0.0.1:1", "which needs the package socksio: set NO_PROXY=models.example.org"),
        ("ftp://127.0.0.1:1", "ftp://127.0.0.1:1, which cannot be used"),
        ("http://:x", "which cannot be used"),
        ("http://127.0.0.1:port", "which cannot be used"),
    ],
)
def test_that_a_proxy_that_cannot_be_used_is_a_sentence_before_the_episode(
    monkeypatch: pytest.MonkeyPatch, named: str, words: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", named)
    with pytest.raises(AnswererError) as caught:
        make_components(Settings("halve_egg", robot="symbolic", answerer=FAR, pictures=False))
    assert words in str(caught.value) and "secret" not in str(caught.value)
    assert words in diagnose_model(FAR).problem


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A self-signed certificate for 127.0.0.1, with its key."""
    made = tmp_path / "own.pem"
    words = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=127.0.0.1",
    ]
    words += [
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        str(made),
        "-out",
        str(tmp_path / "cert.pem"),
    ]
    try:
        subprocess.run(words, check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("openssl makes the certificate, and is not here")
    made.write_text(made.read_text() + (tmp_path / "cert.pem").read_text())
    return made


@pytest.fixture
def tls(certificate: Path) -> Iterator[str]:
    """The address of a server that speaks TLS with this certificate."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            body = b'{"choices": [{"message": {"content": "yes;no"}, "finish_reason": "stop"}]}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def test_that_a_certificate_of_ones_own_is_named_with_the_way_to_trust_it(
    tls: str, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    asking = ModelSettings(notify=told.append)
    answerer = make_answerer(tls, asking=asking)
    with pytest.raises(
        AnswererError, match=r"certificate that is not trusted here \(self.signed certificate\)"
    ):
        answerer.answer(FRAME, BOTH, 1, StopToken())
    assert told == [], "it is not tried again"
    assert "SSL_CERT_FILE" in diagnose_model(tls).problem
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_name("cert.pem")))
    assert make_answerer(tls, asking=asking).answer(FRAME, BOTH, 1, StopToken()).raw_reply == "yes;no"


def test_that_https_at_a_server_without_it_is_said(serve: Serve) -> None:
    url = serve().url.replace("http://", "https://")
    with pytest.raises(AnswererError, match=r"does not speak TLS as it should .* is it http:// there"):
        make_answerer(url).answer(FRAME, BOTH, 1, StopToken())


@pytest.mark.parametrize("pasted", ["/chat/completions", "/chat/completions/", "/models", "/"])
def test_that_a_pasted_address_is_mended(serve: Serve, pasted: str) -> None:
    server = serve()
    assert load_preset("custom", "m", f"{server.url}{pasted}").base_url == server.url
    assert (
        make_answerer(server.url + pasted, truth=World()).answer(FRAME, BOTH, 1, StopToken()).raw_reply
        == "yes;yes"
    )


def test_that_a_server_s_only_model_has_its_own_name_everywhere(serve: Serve) -> None:
    answerer = make_answerer(serve().url, truth=World())
    assert answerer.name not in ("", "default")
    assert answerer.answer(FRAME, BOTH, 1, StopToken()).by == answerer.name
    answerer.close()


def test_that_a_wrong_path_is_shown(serve: Serve) -> None:
    url = serve().url.replace("/v1", "/api")
    with pytest.raises(AnswererError, match=rf"{url}/chat/completions \(HTTP 404: there is no /api/chat"):
        make_answerer(url).answer(FRAME, BOTH, 1, StopToken())


# --- what it costs ---


def test_that_only_what_a_preset_calls_free_is_free(serve: Serve) -> None:
    with pytest.raises(
        BadValue, match="No price is known for 'perfect', so a budget in dollars cannot be kept"
    ):
        make_answerer(serve().url, meter=Meter(ModelBudget(dollars=1)))
    for name in ("ollama", "vllm", "llama-cpp", "lm-studio"):
        assert load_preset(name).free
        ChatModel(load_preset(name), Secret(""), meter=Meter(ModelBudget(dollars=1))).close()
    assert not any(load_preset(name).free for name in ("openai", "google", "anthropic", "custom"))
