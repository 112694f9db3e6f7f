"""The one kind of task that the worker uses."""

from omnigibson.tasks.behavior_task import BehaviorTask

__all__ = ["BehaviorTask"]
