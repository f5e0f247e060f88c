"""Files to text, chosen by content and run in child processes."""
