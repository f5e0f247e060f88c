"""What reading one file may cost."""

from dataclasses import dataclass

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class ReaderLimits:
    """Bounds on one child process while it reads one file.

    `memory_bytes` bounds the child's resident memory, with a fifth of it kept as a margin for what
    is gained between two looks; its address space is bounded a quarter above.
    `seconds` is the deadline for a small file; every megabyte adds `seconds_per_megabyte`.
    `text_chars` bounds the text of one document.
    """

    memory_bytes: int = 1_500_000_000
    seconds: float = 60.0
    seconds_per_megabyte: float = 5.0
    text_chars: int = 50_000_000

    @property
    def address_space_bytes(self) -> int:
        """The hard bound; native code aborts when it asks for more."""
        return self.memory_bytes * 5 // 4

    @property
    def resident_bytes(self) -> int:
        """How much resident memory makes the child give up on a file."""
        return self.memory_bytes * 4 // 5

    def deadline(self, size: int) -> float:
        """Seconds that a file of `size` bytes may take."""
        return self.seconds + self.seconds_per_megabyte * size / MEGABYTE
