"""What the files of a dataset are."""

from __future__ import annotations

import hashlib

from trailprint.events.fingerprints import fingerprint


def test_one_file_has_its_own_hash_and_a_folder_one_of_hashes(tmp_path):
    texts = {"a.csv": "user,location\n1,x\n", "b.csv": "user,location\n2,y\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in texts.values()]
    alone, both = fingerprint(str(tmp_path / "a.csv")), fingerprint(str(tmp_path))
    assert (alone.sha256, alone.bytes) == (digests[0], len(texts["a.csv"]))
    assert both.sha256 == hashlib.sha256("".join(digests).encode()).hexdigest()
    assert [path.rpartition("/")[2] for path in both.paths] == list(texts)
