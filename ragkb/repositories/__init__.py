"""All SQL: rows by the ORM, the search index by hand."""
