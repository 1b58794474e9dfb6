"""Compiled code: from our folders only, and never that of other sources."""

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import caching

from trailprint.kernels import compiling, csr

SOURCE = Path(compiling.__file__).parent

#: Uses one small kernel, and says whether it was compiled or found, and where.
USE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy
from trailprint.kernels.compiling import call_before_compiling
from trailprint.kernels.csr import main_locations as kernel
import numba
told = []
call_before_compiling(lambda: told.append(1))
kernel(numpy.array([0, 1]), numpy.array([0], numpy.int32), numpy.array([1.0]), 1)
print(json.dumps({"hits": len(kernel.stats.cache_hits), "misses": len(kernel.stats.cache_misses),
    "path": kernel.stats.cache_path, "jit": numba.config.DISABLE_JIT, "told": len(told)}))
"""


def use(root, folder, **environment):
    """Run the program with a package in a current folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    ended = subprocess.run(
        [sys.executable, "-P", "-c", USE, str(root)],
        cwd=folder,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "config file" not in ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture
def package(tmp_path):
    """A copy of the package in which nothing was compiled, and a library that reads YAML."""
    root = tmp_path / "site"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE.parent, root / "trailprint", ignore=ignored)
    (root / "yaml.py").write_text("import json\ndef safe_load(file):\n    return json.load(file)\n")
    return root


class Evil:
    """Leaves a trace when it is unpickled."""

    def __init__(self, trace):
        self.trace = str(trace)

    def __reduce__(self):
        return open, (self.trace, "w")


@pytest.fixture
def theirs(package, tmp_path):
    """A folder of others, with settings and with something to be taken for compiled code."""
    folder = tmp_path / "theirs"
    source = package / "trailprint" / "kernels" / "csr.py"
    below = caching._CacheLocator.get_suitable_cache_subpath(str(source))
    (folder / "evil" / below).mkdir(parents=True)
    line, version = (
        csr.main_locations.py_func.__code__.co_firstlineno,
        "".join(map(str, sys.version_info[:2])),
    )
    index = folder / "evil" / below / f"csr.main_locations-{line}.py{version}.nbi"
    index.write_bytes(pickle.dumps(Evil(folder / "trace")))
    return folder


def test_settings_in_the_current_folder_are_not_read(package, theirs):
    (theirs / ".numba_config.yaml").write_text(json.dumps({"cache_dir": "evil", "opt": 0}))
    found = use(package, theirs)
    assert found["path"].startswith(str(package))
    assert not (theirs / "trace").exists()


def test_what_others_wrote_would_be_executed_where_they_could_say_so(package, theirs):
    """The test above could fail."""
    use(package, theirs, NUMBA_CACHE_DIR="evil")
    assert (theirs / "trace").exists()


def test_settings_that_are_nonsense_do_not_matter(package, theirs):
    (theirs / ".numba_config.yaml").write_text("{")
    assert use(package, theirs)["jit"] == 0


def test_the_environment_still_says_where_compiled_code_is(package, tmp_path):
    own = tmp_path / "own"
    found = use(package, tmp_path, NUMBA_CACHE_DIR=str(own))
    assert found["path"].startswith(str(own))


def test_compiling_is_told_when_it_happens_and_only_then(package, tmp_path):
    assert use(package, tmp_path)["told"] == 1
    assert use(package, tmp_path)["told"] == 0


def test_code_is_used_again_until_any_kernel_changes(package, tmp_path):
    assert use(package, tmp_path)["misses"] == 1
    assert use(package, tmp_path)["hits"] == 1
    other = package / "trailprint" / "kernels" / "heaps.py"
    other.write_text(other.read_text() + "\n# changed\n")
    assert use(package, tmp_path)["misses"] == 1


def test_code_of_kernels_that_are_gone_is_never_unpickled(package, tmp_path):
    kernels = package / "trailprint" / "kernels"
    gone = kernels / "gone.py"
    gone.write_text("")
    assert use(package, tmp_path)["misses"] == 1
    index = next((kernels / "__pycache__").glob("csr.main_locations-*.nbi"))
    with index.open("rb") as file:
        first = pickle.load(file)
    index.write_bytes(pickle.dumps(first) + pickle.dumps(Evil(tmp_path / "trace")))
    gone.unlink()
    assert use(package, tmp_path)["misses"] == 1
    assert not (tmp_path / "trace").exists()


def test_whether_a_kernel_is_compiled_follows_the_stamp(monkeypatch):
    kernel: Any = csr.main_locations
    kernel(np.array([0, 1]), np.array([0], np.int32), np.array([1.0]), 1)
    assert compiling.is_compiled(kernel)
    monkeypatch.setattr(kernel._cache._cache_file, "_source_stamp", b"another")
    assert not compiling.is_compiled(kernel)


def test_every_kernel_uses_this_compiler():
    for path in SOURCE.rglob("*.py"):
        if path != Path(compiling.__file__):
            assert "numba" not in path.read_text().replace("Numba", ""), path.name
    transpose: Any = csr._transpose
    assert transpose._cache._impl.locator.get_source_stamp() == compiling.stamp()


def test_numba_of_other_programs_is_left_alone(tmp_path):
    file = tmp_path / "theirs.py"
    file.write_text("def add(a, b):\n    return a + b\n")
    assert compiling._Stamped.from_function(None, str(file)) is None


def test_a_library_hidden_while_loading_is_there_again():
    with compiling._without_module("pickle"), pytest.raises(ImportError):
        __import__("pickle")
    assert sys.modules["pickle"] is pickle
