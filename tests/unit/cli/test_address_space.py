"""Where charts could not be drawn, that is said before any work is done."""

import resource

import pytest

from trailprint.cli import memory
from trailprint.errors import OptionError


@pytest.mark.parametrize("allowed", [resource.RLIM_INFINITY, 10**11])
def test_enough_address_space_is_no_matter(allowed, monkeypatch):
    asked = []

    def limit(kind):
        asked.append(kind)
        return allowed, allowed

    monkeypatch.setattr(resource, "getrlimit", limit)
    memory.require_address_space()
    assert asked == [resource.RLIMIT_AS]


def test_too_little_is_refused_with_both_numbers(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (4 * 10**9, 4 * 10**9))
    with pytest.raises(OptionError, match=r"takes 75 GB .* the limit is 4\.0 GB \(ulimit -v\)"):
        memory.require_address_space()


def test_an_audit_asks_first(run, write, tmp_path, monkeypatch):
    def refuse():
        raise OptionError("asked")

    monkeypatch.setattr("trailprint.cli.audit.require_address_space", refuse)
    ended = run("audit", write("v.csv", "user,location\na,x\n"), "--out", tmp_path / "out")
    assert (ended.code, ended.err) == (2, "trailprint: asked\n")
    assert not (tmp_path / "out").exists()
