"""A string that must not be shown."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Secret:
    """An API key; printing, logging or formatting it gives stars."""

    _value: str = field(repr=False)

    def reveal(self) -> str:
        """The key itself, for the one request header that carries it."""
        return self._value

    def __str__(self) -> str:
        return "***"
