"""
The program under hard conditions: killed, interrupted, without room, rights or memory.

``python -m tests.torture --kills 100`` runs every series; ``--only interrupts`` runs one.
"""
