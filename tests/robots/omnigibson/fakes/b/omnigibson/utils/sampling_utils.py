"""Rays through the scene."""

from contract_world import raytest

__all__ = ["raytest"]
