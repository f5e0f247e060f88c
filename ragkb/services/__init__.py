"""What ragkb does, as functions on values; no printing, no SQL."""
