"""A model behind any OpenAI-compatible endpoint: one door with timeout, retry, budget, cost and key."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.asking.background import Background
from core.asking.budget import Meter, Patience
from core.asking.keys import Secret
from core.asking.presets import Preset, prices
from core.asking.trouble import Trouble, of_connection, of_excess, of_nonsense, of_status, of_timeout
from core.asking.wire import SCHEMA, chat, parse, without_key
from core.cancel import Cancel
from core.errors import AnswererError, BadValue
from core.ports import Message, Reply

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from tenacity import RetryCallState


class ChatModel:
    """A `Model`. `ask` may be called from any thread; `notify` is told, in a sentence, of every wait."""

    def __init__(
        self,
        preset: Preset,
        key: Secret,
        *,
        meter: Meter | None = None,
        patience: Patience | None = None,
        structured: bool = False,
        notify: Callable[[str], None] = lambda text: None,
        beside: Callable[[], Mapping[str, object]] = dict,
    ) -> None:
        """`structured`: ask for replies in our schema. `beside` gives more fields for each request."""
        self.preset, self.meter = preset, meter or Meter()
        self._key, self._patience, self._notify, self._beside = key, patience or Patience(), notify, beside
        self._parameters: dict[str, object] = dict(preset.parameters)
        if preset.logprobs:
            self._parameters |= {"logprobs": True, "top_logprobs": 5}
        if structured and preset.structured:
            self._parameters["response_format"] = SCHEMA
        if self.meter.budget.dollars is not None and not preset.local and prices().of(preset.model) is None:
            raise BadValue(
                f"No price is known for {preset.model!r}, so a budget in dollars cannot be kept: "
                "set one in tokens or calls, or add its price to resources/models/prices.toml."
            )
        self._background = Background(f"model {preset.name}")
        self._client: AsyncOpenAI | None = None

    @property
    def name(self) -> str:
        return self.preset.model

    @property
    def fingerprint(self) -> str:
        """Names everything but messages and pictures that a reply depends on."""
        return repr((self.preset.base_url, self.preset.model, sorted(self._parameters.items(), key=str)))

    def ask(self, messages: Sequence[Message], pictures: Sequence[bytes], cancel: Cancel) -> Reply:
        """Raises AnswererError (BudgetSpent among them) and Cancelled, the latter within 100 ms."""
        content = chat(messages, pictures, self.preset.detail)
        outcome = self._persist(content, cancel)
        if isinstance(outcome, Reply):
            return outcome
        way_out = f": {outcome.way_out}" if outcome.way_out else ""
        raise AnswererError(
            self._key.scrub(f"{self.name} at {self.preset.host} {outcome.why}{way_out}.")
        ) from None

    def close(self) -> None:
        """Let go of the thread and its connections; idempotent."""
        self._background.close()

    def _persist(self, content: list[dict[str, object]], cancel: Cancel) -> Reply | Trouble:
        """Try, and try again while it may help and patience lasts."""
        import tenacity as t

        patience = self._patience

        def wait(state: RetryCallState) -> float:
            trouble = _trouble(state)
            if trouble.wait is not None:
                return trouble.wait
            return t.wait_exponential(patience.first_wait, patience.longest_wait)(state)

        def tell(state: RetryCallState) -> None:
            seconds = state.next_action.sleep if state.next_action else 0.0
            self._notify(
                self._key.scrub(
                    f"Waiting {seconds:.1f} s, then trying {self.name} again "
                    f"({state.attempt_number + 1} of at most {patience.attempts}): it {_trouble(state).why}."
                )
            )

        def sleep(seconds: float) -> None:
            cancel.wait(seconds)
            cancel.check()

        retrying = t.Retrying(
            retry=t.retry_if_result(lambda outcome: isinstance(outcome, Trouble) and outcome.passing),
            stop=t.stop_any(t.stop_after_attempt(patience.attempts), t.stop_before_delay(patience.total)),
            wait=wait,
            sleep=sleep,
            before_sleep=tell,
            retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,
        )
        outcome: Reply | Trouble = retrying(self._once, content, cancel)
        return outcome

    def _once(self, content: list[dict[str, object]], cancel: Cancel) -> Reply | Trouble:
        """One request, counted whether or not it succeeds."""
        self.meter.admit(cancel)
        started = time.monotonic()
        outcome: Reply | Trouble | None = None
        try:
            outcome = self._background.run(self._within_time(content), cancel)
        finally:
            seconds = time.monotonic() - started
            reply = None
            if isinstance(outcome, Reply):
                known = 0.0 if self.preset.local else self._cost(outcome)
                outcome = reply = replace(outcome, seconds=seconds, cost=known)
            self.meter.count(seconds, reply)
        return outcome

    def _cost(self, reply: Reply) -> float | None:
        return prices().cost(self.preset.model, reply.tokens_in, reply.tokens_out)

    async def _within_time(self, content: list[dict[str, object]]) -> Reply | Trouble:
        try:
            async with asyncio.timeout(self._patience.timeout):
                return await self._request(content)
        except TimeoutError:
            return of_timeout(self._patience.timeout)

    async def _request(self, content: list[dict[str, object]]) -> Reply | Trouble:
        """Every failure as a value: an exception of the client would carry the whole request along."""
        import httpx2
        import openai

        from core.asking.transport import CUT, LARGEST

        self._client = self._client or self._connect()
        body: Any = content
        try:
            answered = await self._client.chat.completions.with_raw_response.create(
                model=self.preset.model, messages=body, extra_body={**self._parameters, **self._beside()}
            )
            response = answered.http_response
            if response.extensions[CUT]:
                return of_excess(f"more than {LARGEST:,} bytes", response.content)
            outcome = parse(response.content)
            return outcome if isinstance(outcome, Trouble) else without_key(outcome, self._key)
        except openai.APIStatusError as error:
            return of_status(self.preset, error.status_code, error.response.text, error.response.headers)
        except openai.APITimeoutError:
            return of_timeout(self._patience.timeout)
        except (openai.APIConnectionError, httpx2.HTTPError, httpx2.StreamError, OSError):
            return of_connection(self.preset)
        except (openai.OpenAIError, ValueError) as error:
            return of_nonsense(type(error).__name__)

    def _connect(self) -> AsyncOpenAI:
        import httpx2
        from openai import AsyncOpenAI

        from core.asking.transport import Guarded

        return AsyncOpenAI(
            api_key="put in by the transport",
            base_url=self.preset.base_url,
            max_retries=0,
            http_client=httpx2.AsyncClient(
                transport=Guarded(self.preset.host, self._key),
                timeout=self._patience.timeout,
                follow_redirects=False,
            ),
        )


def _trouble(state: RetryCallState) -> Trouble:
    outcome = state.outcome.result() if state.outcome else None
    return outcome if isinstance(outcome, Trouble) else Trouble("failed")
