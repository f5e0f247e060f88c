"""Texts of the command line: commands."""

TEXTS: dict[str, tuple[str, str]] = {}
