"""
What scikit-mobility says of the same visits, for every kind of knowledge it has.

scikit-mobility 1.3.1 needs pandas below 2, so it lives in an environment of its own; this file is
run by that environment's interpreter and imports nothing else of ours. ``bench_points.py
--scikit-mobility PYTHON`` times it; with ``--example`` this file writes the visits and risks that
``tests/unit/attacks/test_scikit_mobility.py`` compares ours with:

    python -m venv peer && peer/bin/pip install 'pandas<2' scikit-mobility
    peer/bin/python benchmarks/scikit_mobility.py --example tests/examples/scikit_mobility.json
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import warnings
from typing import Any

#: Kind of knowledge to the attack of scikit-mobility, and what else it is told.
ATTACKS: dict[str, tuple[str, dict[str, Any]]] = {
    "place": ("LocationAttack", {}),
    "unique-place": ("UniqueLocationAttack", {}),
    "place-time": ("LocationTimeAttack", {"time_precision": "Day"}),
    "sequence": ("LocationSequenceAttack", {}),
    "frequency": ("LocationFrequencyAttack", {"tolerance": 0.4}),
    "probability": ("LocationProbabilityAttack", {"tolerance": 0.4}),
    "proportion": ("LocationProportionAttack", {"tolerance": 0.4}),
    "home-work": ("HomeWorkAttack", {}),
}
#: In days of one month, which its way of writing days tells apart.
_MONTH = "2024-01-01"


def find_risks(visits: list[tuple[int, int, int]], kind: str, k: int) -> list[float]:
    """Everybody's risk. A visit is (user, place, hour after the beginning of a month)."""
    import pandas as pd
    import skmob  # type: ignore[import-not-found, unused-ignore]
    from skmob.privacy import attacks  # type: ignore[import-not-found, unused-ignore]

    users, places, hours = zip(*visits, strict=True)
    frame = pd.DataFrame(
        {
            "uid": users,
            "lat": [float(place) for place in places],
            "lng": [1.0] * len(places),
            "datetime": pd.Timestamp(_MONTH) + pd.to_timedelta(list(hours), unit="h"),
        }
    )
    name, told = ATTACKS[kind]
    attack = getattr(attacks, name)(**({} if kind == "home-work" else {"knowledge_length": k}))
    for option, value in told.items():
        setattr(attack, option, value)
    traces = skmob.TrajDataFrame(frame, user_id="uid")
    return [float(risk) for risk in attack.assess_risk(traces).sort_values("uid")["risk"]]


def draw_example(seed: int) -> list[tuple[int, int, int]]:
    """Eight people with two to five visits, to few places, at different hours."""
    rng = random.Random(seed)
    visits = []
    for user in range(8):
        hours = sorted(rng.sample(range(24 * 5), rng.randint(2, 5)))
        visits += [(user, min(int(rng.expovariate(0.5)), 6), hour) for hour in hours]
    return visits


def write_example(path: str) -> None:
    """Visits of synthetic people and scikit-mobility's risks of every kind."""
    found = []
    for seed in range(2):
        visits = draw_example(seed)
        risks = {
            f"{kind} {k}": find_risks(visits, kind, k)
            for kind in ATTACKS
            for k in ((1,) if kind == "home-work" else (1, 2))
        }
        found.append({"visits": visits, "risks": risks})
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(found) + "\n")


def main() -> None:
    """Write an example, or time one attack on visits that arrive as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--example", metavar="FILE")
    parser.add_argument("--kind", default="place", choices=tuple(ATTACKS))
    parser.add_argument("-k", type=int, default=2)
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    if wanted.example:
        write_example(wanted.example)
        return
    visits = [(int(user), int(place), int(hour)) for user, place, hour in json.load(sys.stdin)]
    began = time.perf_counter()
    risks = find_risks(visits, wanted.kind, wanted.k)
    json.dump({"seconds": time.perf_counter() - began, "risks": risks}, sys.stdout)


if __name__ == "__main__":
    main()
