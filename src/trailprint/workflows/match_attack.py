"""Features that a matching uses of both sides: one histogram per person, or several views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from trailprint.attacks.combined import match_views, pose_views
from trailprint.attacks.histogram import match_histograms, pose_problem
from trailprint.attacks.matching import Problem
from trailprint.attacks.options import MatchOptions
from trailprint.attacks.planning import Survey, survey_problem, survey_transport
from trailprint.attacks.transport import match_transport
from trailprint.attacks.view_weights import ViewWeights
from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms, build_histogram_pair
from trailprint.features.options import HistogramOptions
from trailprint.features.positions import locate
from trailprint.features.views import Views
from trailprint.kernels.distances.transport import Ground
from trailprint.kernels.matching.metrics import METRICS
from trailprint.linkage import Linkage
from trailprint.workflows.options import ViewOptions
from trailprint.workflows.views import build_views

#: Estimates what the matching needs, given its options and the memory of a worker in bytes.
MakeSurvey = Callable[[MatchOptions, int | None], Survey]


class Looks(NamedTuple):
    """How people are described: by one histogram, or by several views."""

    histograms: HistogramOptions | None
    views: ViewOptions | None


@dataclass(frozen=True, slots=True, eq=False)
class MatchAttack(Discreet):
    """A matching with its inputs, its function and its survey; ``weights`` only for views."""

    sides: tuple[Histograms, Histograms] | tuple[Views, Views]
    run: Callable[..., Linkage]
    survey: MakeSurvey
    weights: ViewWeights | None = None


def prepare_attack(
    released: Events,
    auxiliary: Events,
    looks: Looks,
    options: MatchOptions,
    n_threads: int | None,
) -> MatchAttack:
    """Build the features of both sides and prepare the matching."""
    if looks.views is not None:
        return _prepare_views(released, auxiliary, looks, options, n_threads)
    pair = build_histogram_pair(released, auxiliary, looks.histograms)
    if options.metric != "transport":
        pose = partial(pose_problem, *pair, METRICS[options.metric])
        return MatchAttack(pair, partial(match_histograms, *pair), _surveying(pose))
    place = locate((released, auxiliary), pair[0].locations)

    def survey(options: MatchOptions, worker_bytes: int | None) -> Survey:
        return survey_transport(*pair, Ground(place, options.reach_m), seed=options.seed)

    return MatchAttack(pair, partial(match_transport, *pair, place), survey)


def _prepare_views(
    released: Events,
    auxiliary: Events,
    looks: Looks,
    options: MatchOptions,
    n_threads: int | None,
) -> MatchAttack:
    if looks.views is None or looks.histograms not in (None, HistogramOptions()):
        raise OptionError(
            "--views have weights and slots of their own: leave out --weight and --slots.",
            option="views",
        )
    built = build_views(released, auxiliary, looks.views, seed=options.seed, n_threads=n_threads)
    first, second, weights = built

    def pose() -> Problem:
        return pose_views(first, second, weights, METRICS[options.metric])

    run = partial(match_views, first, second, weights)
    return MatchAttack((first, second), run, _surveying(pose), weights)


def _surveying(pose: Callable[[], Problem]) -> MakeSurvey:
    def survey(options: MatchOptions, worker_bytes: int | None) -> Survey:
        return survey_problem(pose(), options, worker_bytes=worker_bytes, seed=options.seed)

    return survey
