"""The admin port's client, beside a server of one answer a connection."""

from __future__ import annotations

import socket
from threading import Thread

import pytest

from core.errors import RobotError
from robots.remote.connection import Connection
from robots.ur5e.emulator import admin_client
from robots.ur5e.emulator.admin_client import AdminClient


def test_that_it_finds_an_emulator_that_was_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(admin_client, "ADMIN_PORT", server.getsockname()[1])

        def one_answer_each() -> None:
            for number in range(2):
                connection = Connection(server.accept()[0])
                connection.receive(5)
                connection.send("answer", number=number)
                connection.close()

        Thread(target=one_answer_each, daemon=True).start()
        client = AdminClient("127.0.0.1")
        assert [client.ask("what").body["number"] for _ in range(2)] == [0, 1]
        server.close()
        with pytest.raises(RobotError, match="No emulator of ours answers"):
            client.ask("what")
        client.close()
        with pytest.raises(RobotError, match="the connection was closed"):
            client.ask("what")
