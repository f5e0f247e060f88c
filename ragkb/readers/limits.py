"""What reading one file may cost."""

from dataclasses import dataclass, replace

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class ReaderLimits:
    """Bounds on one child process while it reads one file.

    `memory_bytes` bounds the child's resident memory, with a fifth of it kept as a margin for what
    is gained between two looks; its address space is bounded a quarter above.
    `seconds` is the deadline for a small file; every megabyte adds `seconds_per_megabyte`, every
    page that is read by OCR `seconds_per_ocr_page`: a dense one takes up to a minute of one core.
    `text_chars` bounds the text of one document. The child for OCR has `ocr_memory_bytes` instead.
    """

    memory_bytes: int = 1_500_000_000
    ocr_memory_bytes: int = 2_400_000_000
    seconds: float = 60.0
    seconds_per_megabyte: float = 5.0
    seconds_per_ocr_page: float = 120.0
    text_chars: int = 50_000_000

    @property
    def address_space_bytes(self) -> int:
        """The hard bound; native code aborts when it asks for more."""
        return self.memory_bytes * 5 // 4

    @property
    def resident_bytes(self) -> int:
        """How much resident memory makes the child give up on a file."""
        return self.memory_bytes * 4 // 5

    def deadline(self, size: int, ocr_pages: int = 0) -> float:
        """Seconds that a file of `size` bytes may take."""
        by_size = self.seconds_per_megabyte * size / MEGABYTE
        return self.seconds + by_size + self.seconds_per_ocr_page * ocr_pages

    def for_ocr(self) -> "ReaderLimits":
        """The bounds on the child that reads by OCR."""
        return replace(self, memory_bytes=self.ocr_memory_bytes)
