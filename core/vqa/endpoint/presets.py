"""Endpoints with OpenAI's chat completions API, and the prices of their models, as data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal
from urllib.parse import urlsplit

from annotated_types import Ge, Gt
from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml
from core.errors import BadValue
from core.install_paths import COMMAND
from core.vqa.data_files import RESOURCES, available_names, find_file, user_dir

Purpose = Literal["questions", "prompts", "files"]  # of a request: its reply is a few words, a page, a file
# Thoughts count as tokens too, so there is room for them; a preset may say otherwise.
MAX_TOKENS: Mapping[Purpose, int] = MappingProxyType({"questions": 4000, "prompts": 8000, "files": 16000})
TIMEOUT: Mapping[Purpose, float] = MappingProxyType({"questions": 60.0, "prompts": 120.0, "files": 300.0})
TOKEN_PARAMETERS = ("max_tokens", "max_completion_tokens")
_ENDPOINT_PATHS = ("/chat/completions", "/completions", "/models")  # pasted along with an address


@dataclass(frozen=True, config=FILE)
class EndpointPreset:
    """`resources/models/NAME.toml`. `base_url` ends before `/chat/completions`.

    `keys` are the environment variables that may hold the key; the first one set counts. A keyring may hold
    it too (`core/vqa/endpoint/api_keys.py`). `parameters` are added to every request unchanged. `max_tokens`
    and `timeout` (seconds) are by purpose; what is left out is as in this file.
    """

    name: str
    about: str
    base_url: str
    model: str
    keys: tuple[str, ...] = ()
    needs_key: bool = False
    logprobs: bool = False  # the endpoint returns log-probabilities
    structured: bool = False  # the endpoint constrains replies to a JSON schema
    detail: str = ""  # image detail for questions: "low", "high", "auto"; "": unsupported
    start: str = ""  # how to start the endpoint, for people
    free: bool = False  # nobody bills for it
    token_parameter: str = "max_tokens"  # what the endpoint calls the limit
    parameters: Mapping[str, object] = field(default_factory=dict)
    max_tokens: Mapping[Purpose, Annotated[int, Gt(0)]] = field(default_factory=dict)
    timeout: Mapping[Purpose, Annotated[float, Gt(0)]] = field(default_factory=dict)
    file: str = ""  # where all this was read from, set by `load_preset`

    @property
    def host(self) -> str:
        """Return the endpoint's address without anything that could be secret."""
        parts = urlsplit(self.base_url)
        name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{parts.scheme}://{name}" + (f":{parts.port}" if parts.port else "")

    @property
    def editable(self) -> str:
        """Return the file to edit, in words: of a shipped preset a copy."""
        name = Path(self.file).name
        if not Path(self.file).is_relative_to(RESOURCES):
            return self.file
        return f"a copy of {name} (`{COMMAND} docs resources/models/{name} --to {name}`)"

    def parameters_for(self, purpose: Purpose) -> dict[str, object]:
        """Return the parameters of a request; a limit of tokens among the preset's own takes precedence."""
        own = dict(self.parameters)
        if not own.keys() & set(TOKEN_PARAMETERS):
            own[self.token_parameter] = {**MAX_TOKENS, **self.max_tokens}[purpose]
        return own

    def timeout_for(self, purpose: Purpose) -> float:
        """Return how long a request may take, in seconds."""
        return {**TIMEOUT, **self.timeout}[purpose]

    def detail_for(self, purpose: Purpose) -> str:
        """Return the image detail to request, "" for none: questions are about one small picture."""
        return self.detail if purpose == "questions" or not self.detail else "high"

    @property
    def local(self) -> bool:
        """Return True if the endpoint is on this machine."""
        return urlsplit(self.base_url).hostname in ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, config=FILE)
class TokenPrice:
    """US dollars per million tokens."""

    tokens_in: Annotated[float, Ge(0)]
    tokens_out: Annotated[float, Ge(0)]


@dataclass(frozen=True, config=FILE)
class Prices:
    """`resources/models/prices.toml`: list prices, by the beginning of a model's name.

    `as_of` says when they were valid, and who checked them.
    """

    as_of: str
    models: Mapping[str, TokenPrice]

    def cost(self, model: str, tokens_in: int, tokens_out: int) -> float | None:
        """Return the cost in US dollars, or None for a model without a price."""
        price = self.price_of(model)
        return None if price is None else (tokens_in * price.tokens_in + tokens_out * price.tokens_out) / 1e6

    def price_of(self, model: str) -> TokenPrice | None:
        """Return the price for the longest known name that `model` equals or is a dated version of."""
        name = model.lower().removeprefix("models/")
        fits = [known for known in self.models if name == known or name.startswith(f"{known}-2")]
        return self.models[max(fits, key=len)] if fits else None


def preset_names() -> tuple[str, ...]:
    """Return the names of the shipped presets."""
    return tuple(name for name in available_names("models") if name != "prices")


def load_preset(name: str | Path, model: str = "", base_url: str = "") -> EndpointPreset:
    """Load a preset, shipped or the user's (a path). Raises UnknownName, BadFile, BadValue."""
    file = find_file("model", "models", name)
    preset = load_toml(file, EndpointPreset)
    url = (base_url or preset.base_url).rstrip("/")
    for path in _ENDPOINT_PATHS:
        url = url.removesuffix(path)
    preset = replace(preset, model=model or preset.model, base_url=url, file=str(file))
    try:
        parts = urlsplit(preset.base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and not any(map(str.isspace, preset.base_url))
    except ValueError:
        usable = False
    if not usable:
        raise BadValue(
            f"The model's address {preset.base_url!r} is not an http(s) URL: give one such as http://localhost:8000/v1."
        )
    return preset


def prices() -> Prices:
    """Return the shipped prices, overridden by the user's own `models/prices.toml`. Raises BadFile."""
    mine = user_dir("models") / "prices.toml"
    return _prices(mine, mine.stat().st_mtime_ns if mine.is_file() else 0)


@cache
def _prices(mine: Path, changed: int) -> Prices:
    shipped = load_toml(RESOURCES / "models" / "prices.toml", Prices)
    if not changed:
        return shipped
    own_ = load_toml(mine, Prices)
    return Prices(f"{own_.as_of} (yours); others {shipped.as_of}", {**shipped.models, **own_.models})
