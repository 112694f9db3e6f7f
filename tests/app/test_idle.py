"""What is said before an episode begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.presentation.idle_summary import idle_summary
from core.config import Settings
from core.plugins import PLUGINS_VARIABLE

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "plugins"
STAYS, GOES = "nothing leaves this computer", "pictures are sent to the model"
OWN = "your own answerer decides where pictures go"


@pytest.mark.parametrize(
    ("answerer", "said"),
    [
        ("perfect", STAYS),
        ("perfect+skips", STAYS),
        ("replies.json", STAYS),
        ("openai", GOES),
        ("openai:gpt-4.1", GOES),
        ("https://example.org", GOES),
        ("perfect+openai", GOES),
        ("grid-eye", OWN),
        ("perfect + grid-eye", OWN),
        ("nobody knows it", GOES),
    ],
)
def test_that_it_says_where_pictures_go(answerer: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLUGINS_VARIABLE, str(EXAMPLES))
    strip, _ = idle_summary(Settings(answerer=answerer), None, "")
    assert strip.doubt.lines == (said,)
