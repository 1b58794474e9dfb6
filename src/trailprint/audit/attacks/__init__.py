"""The attacks of an audit: one file with one class each, named once in ``registry``."""
