"""The attacks that ran, and the highest risk of each person over them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trailprint.arrays import Floats
from trailprint.audit.attacks.registry import attack_names
from trailprint.audit.parts import Outcome


def list_attacked(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Return the outcomes of the attacks that ran, in the order of the registry."""
    parts = {name: f"attack/{name}" for name in attack_names()}
    return {name: outcomes[part] for name, part in parts.items() if part in outcomes}


def worst_risk(outcomes: Mapping[str, Outcome]) -> Floats:
    """Return each person's highest estimated risk over the attacks tried on them."""
    risks = [outcome.arrays["risk"] for outcome in list_attacked(outcomes).values()]
    highest: Floats = np.fmax.reduce(risks)
    return highest
