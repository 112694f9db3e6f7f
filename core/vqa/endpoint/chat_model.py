"""A model behind any OpenAI-compatible endpoint, with timeout, retries, budget, cost and key."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from core.errors import AnswererError, BadValue
from core.ports import ChatMessage, Reply, SilentReply
from core.stop_token import StopToken
from core.vqa.budget import Meter, RetryPolicy
from core.vqa.data_files import user_dir
from core.vqa.endpoint.api_keys import Secret
from core.vqa.endpoint.chat_format import SCHEMA, chat_messages, parse_completion, redact_key, silence
from core.vqa.endpoint.event_loop_thread import EventLoopThread
from core.vqa.endpoint.presets import EndpointPreset, Purpose, prices
from core.vqa.endpoint.request_failure import (
    RequestFailure,
    connection_failure,
    error_in_success,
    malformed,
    oversized,
    status_failure,
    timeout_failure,
)
from core.vqa.endpoint.transport import proxy_for

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class ChatModel:
    """A `Model`. `ask` may be called from any thread; `notify` receives a sentence about every wait."""

    def __init__(
        self,
        preset: EndpointPreset,
        key: Secret,
        *,
        meter: Meter | None = None,
        retry_policy: RetryPolicy | None = None,
        structured: bool = False,
        purpose: Purpose = "questions",
        notify: Callable[[str], None] = lambda text: None,
        extra_fields: Callable[[], Mapping[str, object]] = dict,
        name: str = "",
    ) -> None:
        """With `structured`, request replies in our schema. `name` is the model's, "" for the preset's.

        `purpose` sets how much a reply may hold and how long it may take. `extra_fields` returns more fields
        for each request. Raises BadValue, and AnswererError for a proxy that cannot be used.
        """
        self.preset, self.meter, self.name = preset, meter or Meter(), name or preset.model
        self._key, self._notify, self._extra_fields = key, notify, extra_fields
        self._retry_policy = retry_policy or RetryPolicy()
        self._purpose, self._proxy = purpose, proxy_for(preset.base_url)
        self._timeout = self._retry_policy.timeout or preset.timeout_for(purpose)
        self._parameters = preset.parameters_for(purpose)
        if preset.logprobs:
            self._parameters |= {"logprobs": True, "top_logprobs": 5}
        if structured and preset.structured:
            self._parameters["response_format"] = SCHEMA
        if self.meter.budget.dollars is not None and not preset.free and prices().price_of(self.name) is None:
            raise BadValue(
                f"No price is known for {self.name!r}, so a budget in dollars cannot be kept: "
                f"set one in tokens or calls, or put its price into {user_dir('models') / 'prices.toml'}."
            )
        self._background = EventLoopThread(f"model {preset.name}")
        self._client: AsyncOpenAI | None = None

    @property
    def fingerprint(self) -> str:
        """Return all that a reply depends on besides messages and pictures."""
        return repr((self.preset.base_url, self.preset.model, sorted(self._parameters.items(), key=str)))

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: StopToken) -> Reply:
        """Send the messages and return a whole reply.

        Raises AnswererError (SilentReply and BudgetExceeded among them), and Cancelled within 100 ms.
        """
        content = chat_messages(messages, pictures, self.preset.detail_for(self._purpose))
        outcome = self._ask_with_retries(content, cancel)
        if not isinstance(outcome, Reply):
            raise AnswererError(self._sentence(outcome)) from None
        if silent := silence(outcome, self.preset, self._purpose):
            raise SilentReply(self._sentence(silent), outcome)
        return outcome

    def close(self) -> None:
        """Close the thread and its connections. Idempotent."""
        self._background.close()

    def _sentence(self, failure: RequestFailure) -> str:
        remedy = f": {failure.remedy}" if failure.remedy else ""
        return self._key.scrub(f"{self.name} at {self.preset.host} {failure.reason}{remedy}.")

    def _ask_with_retries(
        self, content: list[dict[str, object]], cancel: StopToken
    ) -> Reply | RequestFailure:
        """Retry as long as it may help and the retry policy allows."""
        policy, began, waited = self._retry_policy, time.monotonic(), 0.0  # for a budget, or a shared rate
        for attempt in count(1):
            asked = time.monotonic()
            self.meter.wait_for_budget(cancel)
            waited += time.monotonic() - asked
            outcome = self._ask_once(content, cancel)
            if isinstance(outcome, Reply) or not outcome.transient:
                break
            pause = outcome.retry_seconds
            if pause is None:
                pause = min(policy.max_backoff, policy.initial_backoff * 2 ** (attempt - 1))
            spent = time.monotonic() - began - waited
            if attempt >= policy.max_attempts or spent + pause >= policy.total_timeout:
                break
            self._notify(
                self._key.scrub(
                    f"Waiting {pause:.1f} s, then trying {self.name} again "
                    f"({attempt + 1} of at most {policy.max_attempts}): it {outcome.reason}."
                )
            )
            cancel.wait(pause)
            cancel.check()
        return outcome

    def _ask_once(self, content: list[dict[str, object]], cancel: StopToken) -> Reply | RequestFailure:
        """Send one request, which is counted whether or not it succeeds."""
        started = time.monotonic()
        outcome: Reply | RequestFailure | None = None
        try:
            outcome = self._background.run(self._ask_with_timeout(content), cancel)
        finally:
            seconds = time.monotonic() - started
            reply = None
            if isinstance(outcome, Reply):
                known = 0.0 if self.preset.free else self._cost(outcome)
                outcome = reply = replace(outcome, seconds=seconds, cost=known)
            self.meter.record_request(seconds, reply)
        return outcome

    def _cost(self, reply: Reply) -> float | None:
        return prices().cost(self.name, reply.tokens_in, reply.tokens_out)

    async def _ask_with_timeout(self, content: list[dict[str, object]]) -> Reply | RequestFailure:
        try:
            async with asyncio.timeout(self._timeout):
                return await self._request(content)
        except TimeoutError:
            return timeout_failure(self._timeout)

    async def _request(self, content: list[dict[str, object]]) -> Reply | RequestFailure:
        """Send the request; return failures as values: the client's exceptions hold the whole request."""
        import httpx2
        import openai

        from core.vqa.endpoint.transport import MAX_BODY_BYTES, TRUNCATED

        body: Any = content
        try:
            self._client = self._client or self._connect()
            answered = await self._client.chat.completions.with_raw_response.create(
                model=self.preset.model,
                messages=body,
                extra_body={**self._parameters, **self._extra_fields()},
            )
            response = answered.http_response
            if response.extensions[TRUNCATED]:
                return oversized(f"more than {MAX_BODY_BYTES:,} bytes", response.content)
            kind = response.headers.get("content-type", "")
            if odd := error_in_success(self.preset, response.content, kind):
                return odd
            outcome = parse_completion(response.content)
            return outcome if isinstance(outcome, RequestFailure) else redact_key(outcome, self._key)
        except openai.APIStatusError as error:
            return status_failure(self.preset, error.status_code, error.response.text, error.response.headers)
        except openai.APITimeoutError:
            return timeout_failure(self._timeout)
        except (openai.APIConnectionError, httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            return connection_failure(self.preset, error)
        except (openai.OpenAIError, ValueError) as error:
            return malformed(type(error).__name__)

    def _connect(self) -> AsyncOpenAI:
        import httpx2
        from openai import AsyncOpenAI

        from core.vqa.endpoint.transport import SingleHostTransport

        return AsyncOpenAI(
            api_key="put in by the transport",
            base_url=self.preset.base_url,
            max_retries=0,
            http_client=httpx2.AsyncClient(
                transport=SingleHostTransport(self.preset.host, self._key, self._proxy),
                timeout=self._timeout,
                follow_redirects=False,
            ),
        )
