"""``python -m trailprint``."""

import os
import sys

# Python looks for modules in the current folder first, where files may be anybody's.
if sys.path and sys.path[0] in ("", os.getcwd()):
    del sys.path[0]

from trailprint.cli.main import main

if __name__ == "__main__":
    main()
