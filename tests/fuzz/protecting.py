"""Protections as the command line names them, right and wrong, and the options of ``protect``."""

from __future__ import annotations

from tests.fuzz.options import ENGINE, parse_lines, parse_options

PROTECTIONS = (
    "coarsen-grid:cell_m=500",
    "coarsen-grid",
    "coarsen-regions:mapping=regions.csv",
    "coarsen-names:levels=1",
    "coarsen-names:levels=2",
    "coarsen-time",
    "coarsen-time:unit_s=1",
    "top-locations:n=2",
    "top-locations:n=1,by=events",
    "common-locations:min_users=1",
    "common-locations:min_users=2",
    "weekdays:days=mon+tue",
    "period:between=2024-03-11..2024-03-25",
    "active-users:min_events=2",
    "alike-trails:k=2",
    "alike-trails:k=2,fit=within",
    "perturb-locations",
    "perturb-locations:previous=1,next=0",
    "perturb-times",
    "perturb-times:sigma_s=0",
    "perturb-times:sigma_s=60",
    "microaggregate:k=2",
    "microaggregate:k=3,norm=l2",
    "microaggregate:k=5",
    "noise",
    "noise:kind=geometric",
    "noise:max_events=1",
    "noise:epsilon=0.1",
)
ODD_PROTECTIONS = (
    *[
        "coarsen-grid:cell_m=0",
        "coarsen-grid:cell_m=1e-320",
        "coarsen-regions:mapping=nothing.csv",
        "coarsen-regions",
        "coarsen-names:levels=0",
        "coarsen-names:separator=",
        "coarsen-time:unit_s=1e308",
        "coarsen-time:unit_s=0.5",
        "top-locations:n=0",
        "common-locations:min_users=1000000",
        "weekdays:days=",
        "weekdays:days=x",
        "period:between=x",
        "period",
        "active-users:min_events=1000000",
        "alike-trails:k=0",
        "alike-trails:k=1000000",
        "alike-trails:fit=x",
        "perturb-locations:previous=1,next=1",
        "perturb-locations:previous=nan",
        "perturb-times:sigma_s=1e308",
        "perturb-times:sigma_s=60,order=x",
        "perturb-times:sigma_s=1e12",
        "microaggregate:k=1",
        "microaggregate:k=0",
        "microaggregate:k=1000000",
        "microaggregate:k=3,method=x",
        "noise:epsilon=1e-320",
        "noise:epsilon=1e308",
        "noise:epsilon=0",
        "noise:epsilon=nan",
        "noise:max_events=0",
        "noise:kind=geometric,epsilon=1e-9",
        "noise:kind=geometric,epsilon=1e308",
        "noise:max_events=99999999999999999999",
        "x",
        ":",
        "noise:",
        "noise:epsilon",
        "noise:x=1",
        "noise:epsilon=1,epsilon=2",
        "microaggregate:k=2.5",
        "MICROAGGREGATE:k=2",
    ],
    "",
)
PROTECT = parse_options(
    """
    --out protected.csv
    --out protected.parquet
    --out protected.tsv
    --out protected.csv.gz
    --weight duration
    --weight day-balanced
    --release released.csv
    --release released.csv --keys keys.csv
    --release released.csv --keep-column url
    --dry-run
    """,
    """
    --out x.xyz '' no/such/p.csv s3://bucket/p.csv data.csv .
    --weight x
    --release x.xyz '' no/such/r.csv s3://bucket/r.csv data.csv .
    --keys keys.csv '' data.csv
    --keep-column url user start,end x '' , url,url
    --audit x '' . data.csv
    --metrics l1 x '' l1,l1
    --target-risk 0.05 nan
    """,
    ENGINE,
)
SWEEPS = parse_lines(
    """
    --apply microaggregate --sweep k=2,3
    --apply noise --sweep epsilon=1,10
    --apply top-locations --sweep n=1,2
    --apply coarsen-grid --sweep cell_m=100,1000
    --apply coarsen-names --sweep levels=1,2
    --apply common-locations --sweep min_users=1,2,1000
    --apply coarsen-time --sweep unit_s=60,86400
    --apply perturb-times --sweep sigma_s=60,600 --target-risk 0.1
    --apply noise --sweep epsilon=1,10 --target-risk 0.5 --metrics l1
    """
)
ODD_SWEEPS = parse_lines(
    """
    --apply microaggregate --sweep k=0
    --apply noise --sweep x=1
    --apply noise --sweep epsilon=1e-320,1
    --apply noise --sweep ''
    --apply noise --sweep =
    --apply perturb-times --sweep sigma_s=60,1e308
    --apply period --sweep between=x
    --apply microaggregate --sweep k=2,2 --target-risk nan
    --apply microaggregate --sweep k=2,3 --target-risk 2
    """
)
