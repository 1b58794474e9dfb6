"""Operating system: files, folders, processes and addresses, on any supported system."""
