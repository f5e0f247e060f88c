"""Events for whoever runs the program: on stderr, never with a document's text or a key.

structlog (140 ms) loads when something is really logged.
"""

import logging
import sys
from typing import Any

LEVELS = {name: getattr(logging, name.upper()) for name in ("debug", "info", "warning", "error")}


class Log:
    """Writes events of at least its level as `event name=value ...` lines."""

    def __init__(self) -> None:
        self._least: int = logging.WARNING

    def set_level(self, name: str) -> None:
        """Write only events of that level and above: debug, info, warning or error."""
        self._least = LEVELS[name]

    def debug(self, event: str, **values: object) -> None:
        """What helps to find a fault."""
        self._write(logging.DEBUG, event, values)

    def info(self, event: str, **values: object) -> None:
        """What was done."""
        self._write(logging.INFO, event, values)

    def warning(self, event: str, **values: object) -> None:
        """What did not work, and was dealt with."""
        self._write(logging.WARNING, event, values)

    def exception(self, event: str, **values: object) -> None:
        """What nobody expected, with the traceback of the exception being handled."""
        self._write(logging.ERROR, event, {**values, "exc_info": True})

    def _write(self, level: int, event: str, values: dict[str, Any]) -> None:
        if level < self._least:
            return
        _writer().log(level, event, **values)


log = Log()


def _writer() -> Any:
    import structlog

    return structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer(colors=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.NOTSET),
    )
