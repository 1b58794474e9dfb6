r"""
People who agree with a few known points: an overview.

A **key** is the content of one known point: a place, a place at a time, a place with a frequency.
The people who agree with a key are its **posting list**; those who agree with several known points
are the intersection of their lists (`postings`). Long lists are also stored as bitmaps, 64 people
to a word.

- **Random points** (`drawn`). Draw some of a person's points and intersect one list after the
  other; the candidates after each step give the result for every number of points at once. If one
  candidate is left, it is the person, and further points change nothing.
- **Worst case** (`worst`, `tolerant`). Over all choices of at most k points, the fewest people who
  agree with all of them. Branch and bound: points are taken in the order of their lists, shortest
  first, so that every choice is visited once and the best ones early. A branch is pruned when even
  its r most selective points,

      |C ∩ A ∩ B ∩ …| >= |C| - |C \ A| - |C \ B| - …,

  could not leave fewer people than the best choice so far. The search ends when as few are left as
  agree with all of the person's points, since no choice leaves fewer. Exact, and without
  enumeration where one rare point is decisive.
- **Proportions** (`proportions`). How often one place is visited compared with another depends on
  the whole choice, so lists cannot be intersected key by key: all choices are enumerated, until
  one leaves a single person.
- **Order** (`ordered`). Places in the order of the visits: each candidate is kept with the
  earliest visit that completes the known sequence so far.

References
----------
de Montjoye, Hidalgo, Verleysen and Blondel, *Unique in the Crowd* (2013). Pellungrini,
Pappalardo, Pratesi and Monreale, *A data mining approach to assess privacy risk in human mobility
data* (2017), whose definitions of knowledge the worst case follows.
"""
