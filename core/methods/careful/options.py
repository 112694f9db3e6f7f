"""Define the options of the method `careful`; every price is in steps of the robot."""

from __future__ import annotations

from pydantic import Field

from core.methods.skeleton import PerceptionOptions


class CarefulOptions(PerceptionOptions):
    false_claim_cost: float = Field(
        default=2000.0,
        gt=1,
        title="A false claim costs",
        description="in steps; the goal is claimed once making sure of it would cost more than the doubt",
    )
    giving_up_cost: float = Field(
        default=100.0,
        ge=0,
        title="Giving up costs",
        description="in steps; when no steps are left, the goal is claimed if the doubt costs less than this",
    )
    operator_cost: float = Field(
        default=3.0,
        ge=0,
        title="A question to you costs",
        description="in steps; you are asked where your answer saves more; 0: never",
    )
    operator_seconds: float = Field(
        default=60.0,
        ge=0,
        title="Wait for you",
        description="in seconds; then silence counts as no answer; 0: as long as it takes",
    )
    call_cost: float = Field(default=0.6, ge=0, title="A call costs", description="of the model, in steps")
    look_cost: float = Field(
        default=0.5, ge=0, title="A look costs", description="from another viewpoint, in steps"
    )
    reports: bool = Field(
        default=True,
        title="Use the reports",
        description="count DONE and FAILED as evidence, where domain.toml says what the robot feels",
    )
    hypotheses: int = Field(
        default=24, ge=2, le=200, title="Hypotheses", description="states of the world that are kept"
    )
    questions: int = Field(default=6, ge=1, le=30, title="Questions", description="in one call, at most")
    error_rates: str = Field(
        default="",
        title="Error rates",
        description="a profile, such as one made from judged answers; empty: the answerer's own",
    )
    error_scale: float = Field(
        default=1.0,
        ge=0,
        le=3,
        title="Errors times",
        description="multiplies the error rates",
    )
    rate_doubt: float = Field(
        default=0.2,
        ge=0,
        le=0.9,
        title="Doubt about the errors",
        description="how likely the answerer's error rates are other than stated; 0: exactly as stated",
    )
    shared_errors: float = Field(
        default=0.0,
        ge=0,
        le=1,
        title="Shared errors",
        description="how often an answer is repeated, right or wrong, from every other viewpoint as well",
    )
    situation_scale: float = Field(
        default=1.0,
        ge=0,
        le=1.75,
        title="Situations times",
        description="multiplies the rates of what goes wrong in domain.toml",
    )
    learn_rates: bool = Field(
        default=True,
        title="Learn the rates",
        description="of what goes wrong, from the domain's earlier episodes; no: as domain.toml has them",
    )
