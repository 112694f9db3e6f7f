"""Ask a server that needs no key which models it has."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

from core.stop_token import StopToken
from core.vqa.endpoint.event_loop_thread import EventLoopThread
from core.vqa.endpoint.presets import EndpointPreset

TIMEOUT = 2.0  # seconds
SERVERS_OWN = "default"  # the name of the model where a server has but one


@dataclass(frozen=True)
class ListedModel:
    """A model in a server's list."""

    name: str
    owner: str = ""


def listed_models(preset: EndpointPreset, cancel: StopToken) -> tuple[ListedModel, ...] | None:
    """Return the server's models; None if it tells none in time. No key is sent. Raises Cancelled."""
    background = EventLoopThread("list of models")
    try:
        return background.run(_listed(f"{preset.base_url}/models"), cancel)
    finally:
        background.close()


def served_name(preset: EndpointPreset, cancel: StopToken) -> str:
    """Return the model's own name where the preset leaves it to the server, which is asked without a key:
    so the episode, its answers and its failed calls name one model. Raises Cancelled.
    """
    if preset.model != SERVERS_OWN:
        return preset.model
    listed = listed_models(preset, cancel) or ()
    return listed[0].name if len(listed) == 1 else preset.model


async def _listed(url: str) -> tuple[ListedModel, ...] | None:
    import httpx2

    from core.vqa.endpoint.transport import read_at_most

    try:
        async with (
            asyncio.timeout(TIMEOUT),
            # nothing secret is sent, and loading certificates would take 100 ms each time
            httpx2.AsyncClient(trust_env=False, verify=False, follow_redirects=False) as client,
            client.stream("GET", url, headers={"accept-encoding": "identity"}) as response,
        ):
            body, _ = await read_at_most(response, 100_000)
            data = json.loads(body)["data"]
            return tuple(ListedModel(str(model["id"]), str(model.get("owned_by"))) for model in data)
    except (OSError, httpx2.HTTPError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
