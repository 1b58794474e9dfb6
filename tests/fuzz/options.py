"""
Options of commands: snippets that are right by themselves, and values that are at a limit or wrong.

Both are written as on a command line. A line of ``odd`` is an option and the values it may get.
"""

from __future__ import annotations

import random
import shlex
from dataclasses import dataclass

#: What no option expects.
WRONG = tuple(
    shlex.split(
        "'' ' ' x -1 0 nan inf -inf 1e400 1e-320 99999999999999999999 é -- a,b : .. % [] None "
        '"\'; DROP TABLE x" ' + "1" * 400
    )
)


@dataclass(frozen=True, slots=True)
class Options:
    """What a group of options may be given."""

    usual: tuple[tuple[str, ...], ...]
    odd: tuple[tuple[str, ...], ...]


def parse_options(usual: str, odd: str, *shared: Options) -> Options:
    """Options a command has, and those it shares with others."""
    return Options(
        (*parse_lines(usual), *(line for one in shared for line in one.usual)),
        (*parse_lines(odd), *(line for one in shared for line in one.odd)),
    )


def parse_lines(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(shlex.split(line)) for line in text.strip().splitlines())


def draw_options(rng: random.Random, options: Options, share: float, *, odd: bool) -> list[str]:
    """About ``share`` of the usual snippets; where it may be ``odd``, also wrong values."""
    drawn = [word for one in options.usual if rng.random() < share for word in one]
    if odd and options.odd:
        for _ in range(rng.choice((0, 1, 1, 2))):
            name, *values = rng.choice(options.odd)
            drawn += [name, rng.choice((*values, *values, rng.choice(WRONG)))]
    return drawn


#: Of every command that may run its passes elsewhere.
ENGINE = parse_options(
    """
    --engine local
    --worker-memory 1MB
    """,
    """
    --engine hadoop ''
    --spark-master local[1] x ''
    --spark-conf a=1 x ''
    --worker-memory x 1 0MB 1KB ''
    """,
)
RUN = parse_options(
    """
    --seed 1
    --threads 1
    --threads 3
    --memory 500MB
    """,
    """
    --seed -1 18446744073709551616 x 1.5 ''
    --threads 0 -1 100000 x
    --memory 1KB 0GB -1GB 2 99999TB '2 GB' x ''
    """,
)

READ = parse_options(
    """
    --timezone Europe/Zurich
    --timezone America/New_York
    --allow-bad-rows
    --allow-bad-rows
    --drop-duplicates
    --window 09:00-17:00
    --window 00:00-24:00 --present-throughout
    --max-stay-days 2
    --max-stay-days 4000000
    """,
    """
    --layout geolife ap-movement web wlan ap-starts per-location x ''
    --user-column uid location '' x
    --location-column url user start '' x
    --start-column time user end x
    --end-column start location x
    --lat-column lon user x
    --lon-column lat start x
    --count-column user lat x
    --columns user,location,start,end user,location,start user a,a,a ,,, user,
    --delimiter , ; tab '\\t' | ' ' ab '' '"' é
    --encoding cp1252 utf-8 utf-16 utf-16-le utf-7 ascii idna rot13 x ''
    --timezone Mars/Olympus '' +02:00 utc
    --time-format '%d/%m/%Y %H:%M' %d/%m/%Y %s % '' x %Y-%m-%dT%H:%M:%S %q
    --window 17:00-09:00 9-17 x 25:00-26:00 23:59-24:00
    --present-throughout x
    --max-stay-days 0 -1 0.5 nan inf 1e308 1e-320
    """,
)

SHAPE = parse_options(
    """
    --truncate 1
    --between 2024-03-11..2024-03-28
    --weekdays mon,tue,wed
    --hours 09:00-17:00
    --top-locations 3
    --min-events 2
    --min-active-days 2
    --regions regions.csv
    --max-events 500
    --stays 200m,20min
    """,
    """
    --cell 500 1 1e-9 1e-320 1e9 0 -5 nan inf x
    --box 47,8,48,9 -90,-180,90,180 0,0,0,0 48,9,47,8 nan,0,1,1 1,2,3 x
    --h3 0 7 15 16 -1 x
    --regions nothing.csv '' data
    --truncate 99 0 -1 x
    --between ..2024-03-20 2024-03-20.. .. a..b 2024-03-20..2024-03-11 0001-01-01..9999-12-31
    --between 2024-02-30..2024-03-01 2024-03-31T02:30:00..2024-04-01
    --weekdays x '' , mon,mon sat
    --hours x 17:00-09:00 23:59-24:00 00:00-24:00
    --min-active-days 0 -1 1000000 99999999999999999999
    --top-locations 1 0 -1 1000000 99999999999999999999
    --min-events 0 -1 1000000 99999999999999999999
    --max-events 0 1 -1 x
    --stays 200m 0m,20min 200m,0min 1km,1h,1d nan,nan x ''
    """,
)
POSITIONS = parse_options(
    """
    --cell 300
    --h3 7
    --box 47,8,48,9
    """,
    "",
)

CUTS = parse_lines(
    """
    --at median
    --at median
    --at median
    --at 2024-03-25
    --halves-of-weeks
    --busiest-weeks
    --fold 1/2
    --fold 2/4
    --ranges 2024-03-11..2024-03-24,2024-03-25..2024-04-10
    """
)
ODD_CUTS = parse_lines(
    """
    --fold 3/2
    --fold 1/10000
    --fold 0/0
    --at 9999-12-31
    --at x
    --at ''
    --ranges 2024-03-11..2024-03-24
    --ranges a..b,c..d
    --ranges 2024-03-11..2024-03-24,2024-03-11..2024-03-24
    --at median --fold 1/2
    --json
    """
)
SPLIT = parse_options(
    """
    --active-both
    --released-users 3
    --auxiliary-users 0.5
    --released-users 4 --auxiliary-users 4 --common-users 2
    """,
    """
    --released-users 0 -1 1.5 nan inf 1000000
    --auxiliary-users 0 -1 1.5 nan 1000000
    --common-users 0 0.5 -1 1000000 nan
    """,
)

SCORE = parse_options(
    """
    --truth truth.csv
    --links links.csv
    --links links.parquet
    --knows points:2
    --knows top:1
    --knows home-work
    --knows days:3
    """,
    """
    --truth nothing.csv '' .
    --knows everything points:0 top:-1 days:x points:99999999999999999999 nothing ''
    --links links.xyz no/links.csv '' s3://bucket/l.csv . data.csv
    """,
)

MATCH = parse_options(
    """
    --metric l1
    --metric cosine
    --metric dot
    --metric likelihood
    --metric transport
    --metric transport --reach 200 --cell 300
    --method one-by-one
    --method one-by-one --direction auxiliary
    --size 1
    --size 3
    --gap 0.1
    --weight duration
    --weight day-balanced
    --slots weekday
    --slots weekend
    --slots four-hour
    --renamed-locations
    --margins
    --margins --precision 0.9
    --reject-lambda 0.1 --string-length 10
    --reject-lambda 0.1 --metric likelihood
    --reject-lambda 0.1 --string-length 10 --reject-certainly
    --slots weekday --reject-lambda 1 --string-length 5
    --views all
    --views visits,days --view-weights equal
    --views visits,moves --same-period
    --views visits,days --per-user people.csv
    --views nearby-300m,nearby-1km
    --dry-run
    --dry-run --engine spark
    """,
    """
    --views x '' , visits,visits visits
    --view-weights equal x visits=1 visits=nan visits=-1 ''
    --same-period x
    --metric x ''
    --reach 0 -1 nan inf 1e-320 1e308 x ''
    --method x
    --direction x auxiliary
    --size 0 -1 1000000 99999999999999999999
    --gap 1 -1 nan inf 1e-320 1e308
    --weight x
    --slots x
    --precision 0 1 1.1 nan -1
    --reject-lambda 0 -1 nan inf 1e308 1e-320
    --string-length 0 -1 1 99999999999999999999
    """,
    ENGINE,
)

POINTS = parse_options(
    """
    --knowledge place
    --knowledge unique-place
    --knowledge time
    --knowledge sequence
    --knowledge frequency --tolerance 0.5
    --knowledge probability
    --knowledge proportion --tolerance 1
    --knowledge home-work
    --knowledge home-work --home-work least-visited
    --points 1
    --points 1-3
    --draws 2
    --worst-case 0
    --worst-case 3
    --time-resolution 1d
    --time-resolution 30min
    --populations 100000
    --no-grid
    --apply top-locations:n=2
    --apply microaggregate:k=2
    --per-user risks.csv
    --dry-run
    """,
    """
    --knowledge x ''
    --points 0 x 3-1 99 1- '' 1,,2
    --draws 0 -1
    --worst-case -1 99 x
    --time-resolution 0h x '' 1y 99999999d
    --tolerance -1 2 nan
    --home-work x least-visited ''
    --populations 0 -5 x
    --apply x noise:epsilon=x
    --per-user no/risks.csv risks.xyz ''
    """,
    ENGINE,
)

TRAILS = parse_options(
    """
    --algorithm complete
    --algorithm incomplete
    --algorithm multiple
    --reserved auxiliary
    --reserved released
    --reserved none
    --reserved both
    --algorithm likely --precision 0.9
    --algorithm likely --agreement 0.5
    --algorithm likely --location-weights weights.csv
    --location-weights weights.csv
    --released-columns user
    --auxiliary-columns user
    --households households.csv
    --sensitivity locations
    --sensitivity locations --name-locations
    --sensitivity popularity
    --sensitivity withholding --runs 2
    --sensitivity withholding --runs 2 --withhold-by person
    --sensitivity withholding --runs 2 --withhold-by place
    """,
    """
    --algorithm x
    --reserved x
    --precision 0.9
    --algorithm likely --agreement 1
    --withhold-by x
    --released-columns user,location x '' , user,user
    --auxiliary-columns url x ''
    --households nothing.csv ''
    --sensitivity x
    --withhold 0 1 nan -1 '' x 2
    --runs 0 -1 x
    """,
)

CORRELATE = parse_options(
    """
    --model distance
    --model markov
    --model mobility-markov
    --model histogram
    --days 1
    --days 3
    --joint
    --all-pairs
    --duration-edges 300,600
    --min-duration 60
    --work work
    --dry-run
    """,
    """
    --model x ''
    --days 0 -1 1000000 99999999999999999999
    --duration-edges 0 -1 600,300 nan inf '' x 1,1
    --min-duration 0 -1 nan inf 1e308 x
    --folds 1 0 -1 10000 99999999999999999999
    --rounds 1 0 -1 1000000
    --work '' data.csv no/such/work s3://bucket/w .
    """,
    ENGINE,
)
FOLDS = parse_lines(
    """
    --folds 2
    --folds 3 --rounds 1
    --folds 2 --model markov
    --folds 2 --dry-run
    """
)

AUDIT = parse_options(
    """
    --attacks histogram
    --attacks trail
    --attacks histogram,trail
    --attacks trail,points
    --attacks sequence
    --protect microaggregate:k=2
    --protect 'top-locations:n=2 then microaggregate:k=2'
    --target-risk 0.1
    --weight duration
    --users 5
    --per-user
    --keep-prepared
    --dry-run
    --measure top-locations:n=2
    --name-locations
    --likely-trails
    --sequence-users 5
    --at median --split-seed 3
    --attacks combined
    --fail-above 0.05
    --fail-above 0.5 --fail-on upper
    --title 'A release'
    """,
    """
    --attacks x '' trail,trail points
    --protect noise:epsilon=1e-320 x '' 'noise then' coarsen-grid perturb-times:sigma_s=1e12
    --target-risk 0 1 nan -1
    --weight x
    --users 2 1 0 -1 1000000 x
    --per-user true
    --keep-prepared x
    --fail-above 0 1 -1 nan x
    --fail-on x upper
    --title '' '<script>'
    --settings nothing.toml data.csv '' .
    """,
    ENGINE,
)

KINDS = ("campus", "calls", "web", "gps", "households", "weekday-campus")
SIMULATE = parse_options(
    """
    --seed 3
    """,
    """
    --users 0 -1 x ''
    --days 0 -1 x 3
    --paper x
    """,
)
