"""A sheet as the grammar writes it: pick the strawberry, and place it onto the region."""

from __future__ import annotations

import pytest

from core.ports import Reply
from core.stop_token import StopToken
from core.wishes.authoring import Request
from core.wishes.sheet import Sheet, write_sheet
from core.wishes.word_sources import word_source
from tests.core.wishes.test_authoring import BRIEF


def ask(request: Request) -> Reply:
    return word_source("grammar", BRIEF, 0).ask(request.messages, (), StopToken())


@pytest.fixture(scope="session")
def sheet() -> Sheet:
    pytest.importorskip("pydantic_monty")
    return write_sheet(BRIEF, ask)
