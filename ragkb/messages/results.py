"""Texts of the command line: results."""

TEXTS: dict[str, tuple[str, str]] = {}
