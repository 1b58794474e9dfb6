"""Values that exist nowhere else, so that seeing one means that data got out."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Ids are text or whole numbers, places are names or positions.
USER = "uzqx{:03}e"
NUMERIC_USER = "73901{:05}"
PLACE = "bzqx{}.f{}.r{}"
LATITUDE, LONGITUDE = "47.90731", "8.48842"

_USERS = re.compile(r"uzqx\d+\w*|73901\d{5}", re.IGNORECASE)
_PLACES = re.compile(r"bzqx\d*[\w.]*|47\.90731\d*|8\.48842\d*", re.IGNORECASE)


def find_canaries(text: str, *, allowed: Iterable[str] = (), places: bool = True) -> list[str]:
    """Canaries in a text, but for those in ``allowed`` texts; without ``places``, only people."""
    patterns = (_USERS, _PLACES) if places else (_USERS,)
    exempt = {found.lower() for one in allowed for found in _all(one, patterns)}
    return [found for found in _all(text, patterns) if found.lower() not in exempt]


def hide_canaries(text: str) -> str:
    """A text in which canaries are replaced, so that texts about different ones are equal."""
    return _PLACES.sub("PLACE", _USERS.sub("USER", text))


def _all(text: str, patterns: Iterable[re.Pattern[str]]) -> list[str]:
    return [found for pattern in patterns for found in pattern.findall(text)]
