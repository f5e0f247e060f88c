"""A text whose number of chunks is known beforehand."""

CHUNK_SIZE = 12  # a line has 8 tokens, two have 16


def numbered_lines(count: int, first: int = 0) -> str:
    """Lines that each are one chunk of CHUNK_SIZE, with numbers from `first`."""
    return "\n".join(numbered_line(number) for number in range(first, first + count)) + "\n"


def numbered_line(number: int) -> str:
    """One of these lines."""
    return f"流水号LS{number:05d}的记录。"
