"""Which counts are published, by trying every way in which people can be spread over atoms."""

from __future__ import annotations

from itertools import product

import numpy as np


def choose_labels_by_enumeration(sums, values, roles, small: int) -> list[str]:
    """Labels as a reader would check them who lists every possible table; the first cell is all."""
    values, n_cells = np.array(values), len(values)
    spread = np.array(list(product(range(values[0] + 1), repeat=sums.shape[1])))
    tables = (spread @ sums.T).astype(int)
    tables = tables[tables[:, 0] == values[0]]
    is_few = (values > 0) & (values < small)
    has_gaps = True

    def possible(labels, with_gaps=True):
        """Values of every cell in the tables that fit the labels."""
        fits = np.ones(len(tables), dtype=bool)
        for j, label in enumerate(labels):
            of = tables[:, j]
            if label == "shown":
                fits &= of == values[j]
            elif label == "few":
                fits &= (of > 0) & (of < small)
            elif with_gaps and has_gaps and roles[j] != "unpublished":
                fits &= (of == 0) | (of >= small)
        return tables[fits]

    def follows(j, labels):
        shown = sums[[label == "shown" for label in labels]]
        more = np.vstack([shown, sums[j]])
        return np.linalg.matrix_rank(more) == np.linalg.matrix_rank(shown)

    def is_safe(labels):
        now = possible(labels)
        return all(
            (now[:, j] <= low).any() and (now[:, j] >= high).any()
            for j, (low, high) in ends.items()
        )

    always = [r == "size" or (r == "total" and not is_few[j]) for j, r in enumerate(roles)]
    totals: list[str] = ["shown" if one else "hidden" for one in always]
    outside = possible(totals, with_gaps=False)
    known = [
        follows(j, totals) or bool(is_few[j] and np.ptp(outside[:, j]) == 0) for j in range(n_cells)
    ]
    guarded = [j for j in range(n_cells) if is_few[j] and not known[j]]
    if not guarded:
        return ["shown"] * n_cells
    labels: list[str] = ["shown" if one else "hidden" for one in known]
    for j in guarded:
        labels[j] = "hidden" if roles[j] == "unpublished" else "few"
    while told := [
        j for j in guarded if labels[j] == "few" and np.ptp(possible(labels)[:, j]) == 0
    ]:
        has_gaps = False
        for j in told:
            labels[j] = "hidden"
    ends = {}
    for j in guarded:
        low, high = possible(labels)[:, j].min(), min(possible(labels)[:, j].max(), small - 1)
        ends[j] = (max(low, 1) if high > 1 else low, high)
    for j in range(n_cells):
        if labels[j] == "hidden" and j not in guarded and roles[j] != "unpublished":
            tried: list[str] = [*labels[:j], "shown", *labels[j + 1 :]]
            if follows(j, labels) or is_safe(tried):
                labels = tried
    return labels
