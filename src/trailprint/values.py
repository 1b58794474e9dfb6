"""Values of a result: numbers with their ranges, and texts with their choices."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple


class Rule(NamedTuple):
    """A rule that a value obeys besides its type: a keyword of JSON Schema and its value."""

    keyword: str
    value: Any


Share = Annotated[float, Rule("minimum", 0), Rule("maximum", 1)]
"""A share of people or links."""
Amount = Annotated[float, Rule("minimum", 0)]
"""A number that is not negative, such as metres or seconds."""
Count = Annotated[int, Rule("minimum", 0)]
"""A number of people, places or links."""
Position = Annotated[int, Rule("minimum", 1)]
"""A number from 1 on."""
MaskedText = Annotated[str, Rule("pattern", "^([<>][0-9]+|hidden)$")]
"""What stands in place of a small count: ``"<10"``, ``">90"`` or ``"hidden"``."""
MaskedCount = Count | MaskedText
"""A count of people, or the text in its place."""

KnowledgeKind = Literal["everything", "home-work", "top", "points", "days"]
"""What an adversary knows of each person."""
KnownPointKind = Literal["place", "place-time"]
"""What one known point in a release consists of."""
WeightsFrom = Literal["learnt", "equal", "given"]
"""Where the weights of views come from."""
OccupancyOf = Literal["place and hour", "place"]
"""What visitors are counted by."""
