"""The actions: the engine's in a component, those of `engine_sdk.testing` natively."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if sys.platform == "wasi" and not TYPE_CHECKING:
    from wit_world.imports.actions import (
        cancel,
        check,
        clear,
        close,
        count,
        finish,
        log,
        mark,
        observe,
        open,
        register_blob,
        send,
        share,
        wait,
        write,
    )
else:
    from ._recorder import (
        cancel,
        check,
        clear,
        close,
        count,
        finish,
        log,
        mark,
        observe,
        open,
        register_blob,
        send,
        share,
        wait,
        write,
    )

__all__ = [
    "cancel",
    "check",
    "clear",
    "close",
    "count",
    "finish",
    "log",
    "mark",
    "observe",
    "open",
    "register_blob",
    "send",
    "share",
    "wait",
    "write",
]
