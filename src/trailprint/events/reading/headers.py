"""Column names: which may be shown in a message, and which may be data."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trailprint.display.discreet import Discreet

#: Words used in column names. A name made only of these is not that of a person or place.
_VOCABULARY = """
access account accuracy address age alt altitude amount antenna ap app area arrival arrive arrived
article at author auxiliary begin bin birth bssid building by bytes call called card category cell
cellid check checkin checkout city class client cluster code col column coord coordinate coordinates
coords count country counts county created currency customer data date datetime day deidentified
departure device direction distance district domain duration edit elevation end ended epoch event
favicon field finish finished first floor from gender geo geom geometry group h has hash heading
hits host hour household id identified ids idx imei imsi in index ip is item key kind label lac lang
last lat latitude leave leaving left length level lng local location locations log lon long
longitude mac member minute mode month msisdn n name no note nr num number of operator order out
packets page participant people person phone place poi point points port postcode price product
protocol provider pseudonym purchase quarter query rank record region released room row rssi score
search second sector service session sex share sheet shop signal site slot source speed ssid start
started state station status step stop store street subject subscriber table tap target text the
time times timestamp timezone title to token total tower tracked trip ts type tz uid unnamed until
updated url user users usr utc utctimestamp value values venue visit visitor visits week weekday
weight when x y year z zip zone
"""
_WORDS = frozenset(_VOCABULARY.split())
_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|[^\W\d_]+")
#: Starts with a letter and continues with usual characters: not an address, a date or a number.
_PLAUSIBLE = re.compile(r"_*[^\W\d_][\w .()/%-]*")
_MOST_DIGITS = 3
_HEXADECIMAL = re.compile(r"([0-9a-f]{8,}|([0-9a-f]{2}[-. ]){3,}[0-9a-f]{2})", re.IGNORECASE)
_LONGEST = 40
#: Characters that show wrong quoting or encoding: the name may contain data that follows it.
_BROKEN = re.compile(r"[\n\r\t\"',;|�\0]")
#: A wider table may have a column for each person or place.
_WIDE = 30
_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Header(Discreet):
    """
    Column names, and whether they are known to be names and not data.

    Attributes
    ----------
    names : tuple of str
        Names as in the source.
    given : tuple of str
        Names that the user typed, which may always be shown.
    is_proven : bool
        Whether there is evidence other than the names themselves that they are names: the file's
        format, or the rows below them.
    """

    names: tuple[str, ...]
    given: tuple[str, ...] = ()
    is_proven: bool = False

    def shown(self) -> list[str]:
        """Return the names that may be shown."""
        worded = [name for name in self.names if name in self.given or is_worded(name)]
        if not self._is_trusted or not worded:
            return worded
        return [name for name in self.names if name in worded or _is_plausible(name)]

    @property
    def _is_trusted(self) -> bool:
        """Whether unknown names are trusted to be names because the header as a whole is."""
        is_whole = not any(_BROKEN.search(name) for name in self.names)
        return self.is_proven and is_whole and len(self.names) <= _WIDE

    def suggest(self, near: Iterable[str]) -> list[str]:
        """Return up to 20 names that may be shown, those nearest to ``near`` first."""
        return self._order(nearest_names(self.shown(), near))[:_MOST_SHOWN]

    def _order(self, close: Sequence[str]) -> list[str]:
        return [*close, *(name for name in self.shown() if name not in close)]

    def describe(self, near: Iterable[str], *, kind: str = "columns") -> str:
        """Return one sentence that lists the names, those nearest to ``near`` first."""
        if not self.names:
            return f"It has no {kind}."
        shown = self.shown()
        n_hidden = len(self.names) - len(shown)
        if not shown:
            return f"Its {_names(n_hidden)} may be data and {_are(n_hidden)} not shown."
        close = nearest_names(shown, near)
        listed = self._order(close)
        text = ", ".join(listed[:_MOST_SHOWN]) + (", …" if len(listed) > _MOST_SHOWN else "")
        hidden = f" and {_names(n_hidden)} that may be data" if n_hidden else ""
        if close:
            return f"Nearest: {', '.join(close)}; all there are: {text}{hidden}."
        return f"There are: {text}{hidden}."


def _names(number: int) -> str:
    return "1 name" if number == 1 else f"{number:,} names"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def is_worded(name: str) -> bool:
    """Return whether a name is made only of words used in column names."""
    return _is_plausible(name) and all(word.casefold() in _WORDS for word in split_words(name))


def split_words(name: str) -> list[str]:
    """Return the words of a name: ``deviceId``, ``device_id`` and ``Device ID`` have two."""
    return list(_WORD.findall(name.replace("_", " ")))


def _is_plausible(name: str) -> bool:
    """Return whether text looks like a column name, not like an id, an address or a hash."""
    return (
        len(name) <= _LONGEST
        and _PLAUSIBLE.fullmatch(name) is not None
        and sum(character.isdigit() for character in name) <= _MOST_DIGITS
        and _HEXADECIMAL.fullmatch(name) is None
    )


def nearest_names(there: Sequence[str], near: Iterable[str]) -> list[str]:
    """Return up to three of the names ``there`` that resemble one of ``near``."""
    folded = {name.casefold(): name for name in there}
    close: list[str] = []
    for name in near:
        for match in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6):
            if folded[match] not in close:
                close.append(folded[match])
    return close[:3]
