"""Pure functions on text: tokens, splitting, terms, windows."""
