"""The tables as SQLAlchemy models, one file each."""
