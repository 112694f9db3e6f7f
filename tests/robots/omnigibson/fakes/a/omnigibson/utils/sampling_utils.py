"""Rays through the scene."""

from contract_cameras import raytest

__all__ = ["raytest"]
