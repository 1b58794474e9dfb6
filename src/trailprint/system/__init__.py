"""The machine underneath: files, folders, processes and addresses, on any supported system."""
