"""A method's own request to a language model in the report, with prompt and reply."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from core.events import ModelConsulted
from core.text.plural import plural
from core.text.untrusted_text import sanitise

WHOLE = 200_000  # maximum length of a prompt or a reply


def consulted(at: str, event: ModelConsulted) -> Iterator[str]:
    """Yield the HTML of one request; `at` is its time, as HTML."""
    head = f"Asked {event.by}" if event.by else "Not asked"
    took = (
        f"{event.seconds:.1f} s" if event.seconds else "",
        plural(event.tokens, "token") if event.tokens else "",
        "" if event.cost is None else f"${event.cost:.4f}",
        "with the picture" if event.frame else "",
    )
    reason = f" ({event.reason.sentence})" if event.reason else ""
    yield f"<p>{at}{_text(', '.join(filter(None, (f'{head}: {event.purpose}', *took))))}{_text(reason)}</p>"
    prompt = "".join(f"<dt>{_text(m.role)}<dd><pre>{_text(m.text)}</pre>" for m in event.messages)
    yield f'<details class="call"><summary>Prompt</summary><dl>{prompt}</dl></details>'
    if event.error:
        yield f'<p class="fault">No reply: {_text(event.error)}</p>'
        return
    yield f'<pre class="said">{_text(event.raw_reply)}</pre>'
    yield f"<p>Read as: {_text(event.interpretation)}</p>" if event.interpretation else ""


def _text(words: str) -> str:
    return escape(sanitise(words, WHOLE))
