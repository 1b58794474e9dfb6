"""
Exact matching of two sets of histograms: an overview.

Two sides, released rows and auxiliary columns, are matched one to one so that the sum of the
links' **gains** is greatest. A gain is a sum over the locations two people share (`metrics`), so
only pairs that overlap have to be examined, and they are streamed, never stored (`join`). The
matching is a maximum-weight bipartite matching, solved as a transportation problem by column
generation and proven optimal by linear-programming duality:

    prices u, v >= 0 with gain(i, j) <= u[i] + v[j] for every pair, tight on matched pairs and
    zero on unmatched people, prove that no other matching gains more.

The steps, in the order in which `solve` takes them:

1. **Reduce** (`reduction`). People with identical histograms become one node with a capacity;
   nodes that cannot overlap fall into separate components; both sides are shuffled with the
   seed, so that ties are broken at random and not by the order of the input.
2. **Orient** (`orientation`). In every component the scarcer side becomes the rows, the bidders;
   the other side's nodes are the objects. Prices then hardly ever fall, so bounds found in a pass
   over all pairs stay valid.
3. **Candidates** (`candidates`). One pass over all overlapping pairs keeps the best few of every
   row and a bound on the others. A join too large for memory is processed in `parts`.
4. **Bid and augment** (`auction`, `paths`, `transport`). On the candidates alone: free rows bid
   for their best column at the price that makes the second best equally good (Bertsekas' auction
   without epsilon); rows still free afterwards are matched along shortest augmenting paths
   with node prices (successive shortest paths: Jonker and Volgenant; Dijkstra with an indexed
   heap, over edges sorted by gain minus price). With a fixed number of links, every pair also
   pays a Lagrange multiplier, the cardinality multiplier (`cardinality`).
5. **Price** (`pricing`). Another pass looks for pairs whose gain exceeds the sum of their prices
   (reduced-cost pricing, as in Dantzig-Wolfe column generation). Rows whose bound already rules
   that out are skipped; bounds follow the prices (`moves`). Violating pairs become candidates, and
   step 4 continues from the current prices.
   Where a metric's constant depends on the pair, pairs that share nothing are priced too
   (`disjoint`).
6. **Expand** (`solve`). Flows between nodes become links between people, drawn at random within
   nodes of identical people; if requested, people left over are linked to fill up the matching.
7. **Prove** (`certificate`). Sum of prices minus sum of gains is the optimality gap. The
   certificate recomputes it from the data alone, independently of the solver.

The prices also give the importance of each link and the second-best matching (`margins`, by
shortest alternating `cycles` in the residual graph). Ranks and independent choices per row are
computed from the rows (`lookup`).

Cost: a pass costs one addition per (pair, shared location); memory grows with people and
candidates, never with pairs. No result depends on the number of threads.

References
----------
Bertsekas, *The auction algorithm for assignment and other network flow problems* (1990).
Jonker and Volgenant, *A shortest augmenting path algorithm for dense and sparse linear assignment
problems* (1987). Ahuja, Magnanti and Orlin, *Network Flows* (1993), chapters 9 and 12. Desrosiers
and Luebbecke, *A primer in column generation* (2005). Unnikrishnan and Naini (2013) for the
rejection test that uses the second-best matching.
"""
