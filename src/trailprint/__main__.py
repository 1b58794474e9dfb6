"""``python -m trailprint``."""

import os
import sys

# Python would import modules from the current folder first, whose files are not trusted.
if sys.path and sys.path[0] in ("", os.getcwd()):
    del sys.path[0]

from trailprint.cli.main import main

if __name__ == "__main__":
    main()
