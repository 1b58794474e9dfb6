"""
Made-up and mutated inputs for every layout, format and command, and what must hold for each.

``python -m tests.fuzz --cases 1000`` runs cases 0 to 999; ``--case 123`` runs one and prints it.
A case follows from its number alone. The modules, in the order they are used:

    populations → layouts → mutations → options → commands, api → cases
    sandbox → running → checks → workers → summary, minimise, corpus
"""
