"""The attacks of an audit: one class per file, listed in ``registry``."""
