"""Endpoints with OpenAI's chat completions API, and the prices of their models, as data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from annotated_types import Ge
from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml
from core.errors import BadValue
from core.vqa.data_files import RESOURCES, available_names, find_file, user_dir


@dataclass(frozen=True, config=FILE)
class EndpointPreset:
    """`resources/models/NAME.toml`. `base_url` ends before `/chat/completions`.

    `keys` are the environment variables that may hold the key; the first one set counts. A keyring may hold
    it too (`core/vqa/endpoint/api_keys.py`). `parameters` are added to every request unchanged.
    """

    name: str
    about: str
    base_url: str
    model: str
    keys: tuple[str, ...] = ()
    needs_key: bool = False
    logprobs: bool = False  # the endpoint returns log-probabilities
    structured: bool = False  # the endpoint constrains replies to a JSON schema
    detail: str = ""  # image detail to request: "low", "high", "auto"; "": unsupported
    start: str = ""  # how to start the endpoint, for people
    parameters: Mapping[str, object] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """Return the endpoint's address without anything that could be secret."""
        parts = urlsplit(self.base_url)
        name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{parts.scheme}://{name}" + (f":{parts.port}" if parts.port else "")

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
    """Load a shipped preset or the user's own (a path), with another model or address if given.

    Raises UnknownName, BadFile, BadValue.
    """
    preset = load_toml(find_file("model", "models", name), EndpointPreset)
    preset = replace(preset, model=model or preset.model, base_url=(base_url or preset.base_url).rstrip("/"))
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
    """Return the shipped prices, overridden by `models/prices.toml` in the user's data folder.

    Raises BadFile.
    """
    mine = user_dir("models") / "prices.toml"
    return _prices(mine, mine.stat().st_mtime_ns if mine.is_file() else 0)


@cache
def _prices(mine: Path, changed: int) -> Prices:
    shipped = load_toml(RESOURCES / "models" / "prices.toml", Prices)
    if not changed:
        return shipped
    own_ = load_toml(mine, Prices)
    return Prices(f"{own_.as_of} (yours); others {shipped.as_of}", {**shipped.models, **own_.models})
