"""The embedded DuckDB."""

import threading

from trailprint.events.engine import Engine


def test_a_running_query_says_how_far_it_is(capfd) -> None:
    engine = Engine(threads=1)
    query = "SELECT count(*) FROM (SELECT hash(i) AS h FROM range(8_000_000) t(i) GROUP BY h)"
    work = threading.Thread(target=engine.run, args=(query,))
    seen = [-1.0]
    work.start()
    while work.is_alive():
        seen.append(engine.connection.query_progress())
        work.join(0.01)
    assert max(seen) > 0
    assert capfd.readouterr() == ("", "")
