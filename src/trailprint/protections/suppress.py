"""Suppression: leave out locations, times or users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.events.filters import (
    WEEKDAYS,
    on_weekdays,
    split_range,
    with_enough_events,
    within,
)
from trailprint.protections.protection import (
    AuditedData,
    EventProtection,
    Rule,
    Seed,
    Unit,
    double_up,
)

Popularity = Literal["users", "events"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopLocations(EventProtection):
    """
    Keep the ``n`` most popular locations of the release (2016 paper, IV-B3).

    Popularity is the number of users, as in the paper, or the number of events. Users without any
    event left are dropped and counted.
    """

    name: ClassVar[str] = "top-locations"
    summary: ClassVar[str] = "only the n most popular locations; by=users or by=events"
    is_public: ClassVar[bool] = True
    leaves_out: ClassVar[bool] = True
    monotone: ClassVar[Mapping[str, int]] = {"n": -1}
    units: ClassVar[Mapping[str, Unit]] = {"n": "locations"}
    audited: ClassVar[str | None] = "n"
    audit_rank: ClassVar[int] = 3

    n: int = 100
    by: Popularity = "users"

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if not 1 <= self.n < 2**31:
            raise OptionError(f"n must be at least 1 location, got {self.n!r}. Try n=100.")

    def label(self) -> str:
        """The number of locations kept, as text."""
        if self.n == 1:
            return "Only the most visited location"
        return f"Only the {self.n:,} most visited locations"

    @classmethod
    def audit_values(cls, data: AuditedData) -> Sequence[int]:
        """A half, a fifth and a twentieth of the locations."""
        tops = {max(1, round(share * data.n_locations)) for share in (0.5, 0.2, 0.05)}
        return [n for n in sorted(tops, reverse=True) if n < data.n_locations]

    @classmethod
    def stronger_values(cls, data: AuditedData) -> Sequence[int]:
        """The number of locations halved repeatedly."""
        n_least, halves = min(cls.audit_values(data), default=1), []
        while n_least > 1:
            n_least //= 2
            halves.append(n_least)
        return halves

    @classmethod
    def neutral_value(cls, data: AuditedData) -> int:
        """All locations."""
        return data.n_locations

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Learn the list from the release, so that it is public."""
        released.require("location", "A choice of locations")
        amount = 'count(DISTINCT "user")' if self.by == "users" else released.total_sql()
        return _only_listed(
            released,
            f"GROUP BY location ORDER BY {amount} DESC, location::VARCHAR LIMIT {self.n}",
            f"Only the {self.n} locations with the most {self.by}.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonLocations(EventProtection):
    """Leave out locations visited by fewer than ``min_users`` users of the release."""

    name: ClassVar[str] = "common-locations"
    summary: ClassVar[str] = "without locations that fewer than min_users users visited"
    is_public: ClassVar[bool] = True
    leaves_out: ClassVar[bool] = True
    monotone: ClassVar[Mapping[str, int]] = {"min_users": 1}
    units: ClassVar[Mapping[str, Unit]] = {"min_users": "people"}
    audited: ClassVar[str | None] = "min_users"
    audit_rank: ClassVar[int] = 2

    min_users: int = 5

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if not 1 <= self.min_users < 2**31:
            raise OptionError(
                f"min_users must be at least 1 user, got {self.min_users!r}. Try min_users=5."
            )

    def label(self) -> str:
        """The locations that are left out, as text."""
        return f"Without locations of fewer than {self.min_users} people"

    @classmethod
    def audit_values(cls, data: AuditedData) -> Sequence[int]:
        """Small numbers of people, at most as many as there are."""
        return [n for n in (2, 5, 20) if n <= data.n_users]

    @classmethod
    def stronger_values(cls, data: AuditedData) -> Sequence[int]:
        """Numbers of people doubled repeatedly, up to half of all."""
        return double_up(20, data.n_users // 2)

    @classmethod
    def neutral_value(cls, data: AuditedData) -> int:
        """One user: every visited location is kept."""
        return 1

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Learn the list from the release, so that it is public."""
        released.require("location", "A choice of locations")
        return _only_listed(
            released,
            f'GROUP BY location HAVING count(DISTINCT "user") >= {self.min_users}',
            f"Only locations with {self.min_users} users or more.",
        )


def _only_listed(released: Events, choice: str, note: str) -> Rule:
    """Keep, on both sides, the locations chosen from the released side."""
    table = released.engine.materialise(
        f"SELECT CAST(location AS VARCHAR) AS location FROM ({released.query}) {choice}", "listed"
    )
    listed = f"CAST(location AS VARCHAR) IN (SELECT location FROM {table})"
    return lambda events: events.having(listed, note)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weekdays(EventProtection):
    """
    Keep only some weekdays (2016 paper, IV-A5), by local time: ``mon+tue``.

    The days are public: an adversary who knows that only Mondays were released compares Mondays.
    """

    name: ClassVar[str] = "weekdays"
    summary: ClassVar[str] = "only some weekdays, such as days=mon+tue"
    is_public: ClassVar[bool] = True
    leaves_out: ClassVar[bool] = True

    days: str = "mon"

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if not self.chosen or any(day not in WEEKDAYS for day in self.chosen):
            known = "+".join(WEEKDAYS)
            raise OptionError(f"days must be among {known}, got {self.days!r}. Try days=mon+tue.")

    @property
    def chosen(self) -> tuple[str, ...]:
        """The days as a tuple."""
        return tuple(day.strip().lower()[:3] for day in self.days.split("+") if day.strip())

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Select events by their start."""
        return lambda events: on_weekdays(events, self.chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period(EventProtection):
    """Keep only a period of the release, ``A..B``; the auxiliary side does not change."""

    name: ClassVar[str] = "period"
    summary: ClassVar[str] = "only a period, such as between=2024-05-01..2024-05-14"
    is_public: ClassVar[bool] = False
    leaves_out: ClassVar[bool] = True

    between: str

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if ".." not in self.between:
            raise OptionError(
                f"between must look like 2024-05-01..2024-05-14, got {self.between!r} instead."
            )
        split_range(self.between)

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Select events by their start."""
        return lambda events: within(events, self.between)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveUsers(EventProtection):
    """Leave out users with fewer than ``min_events`` events in the release."""

    name: ClassVar[str] = "active-users"
    summary: ClassVar[str] = "without users who have fewer than min_events events"
    is_public: ClassVar[bool] = False
    leaves_out: ClassVar[bool] = True

    min_events: int = 10

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule."""
        if not 1 <= self.min_events < 2**31:
            raise OptionError(
                f"min_events must be at least 1 event, got {self.min_events!r}. Try min_events=10."
            )

    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """Count each user's events."""
        return lambda events: with_enough_events(events, self.min_events)
