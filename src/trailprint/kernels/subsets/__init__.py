r"""
Who agrees with a few known points, told on one page.

A **key** is what one known point says: a place, a place at a time, a place with a frequency. The
people who agree with a key are its **posting list**; those who agree with several known points are
the intersection of their lists (`postings`). Lists of many people are also held as rows of bits,
64 people to a word.

- **Random points** (`drawn`). Draw some of a person's points and intersect one list after the
  other; the candidates after each step give every number of points at once. One candidate left is
  the person alone, and no further point changes that.
- **Worst case** (`worst`, `tolerant`). Over all choices of at most k points, the fewest people who
  agree with all of them. Branch and bound: points in the order of their lists, shortest first, so
  that every choice is met once and the best ones early. A branch is cut when even its r most
  telling points,

      |C ∩ A ∩ B ∩ …| >= |C| - |C \ A| - |C \ B| - …,

  could not leave fewer people than the best choice so far. The search ends when as few are left as
  agree with everything the person did, for no choice leaves fewer. Exact, and without enumeration
  wherever one rare point decides.
- **Proportions** (`proportions`). How often one place is visited compared with another depends on
  the whole choice, so nothing can be intersected key by key: all choices are looked at, until one
  person is left.
- **Order** (`ordered`). Places in the order of the visits: each candidate is held with the
  earliest visit that completes what is known so far.

References
----------
de Montjoye, Hidalgo, Verleysen and Blondel, *Unique in the Crowd* (2013). Pellungrini,
Pappalardo, Pratesi and Monreale, *A data mining approach to assess privacy risk in human mobility
data* (2017), whose definitions of knowledge the worst case follows.
"""
