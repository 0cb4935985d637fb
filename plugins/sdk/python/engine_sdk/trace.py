"""An author's error as one line of the log."""

from __future__ import annotations

from types import CodeType

LIMIT = 4096  # bytes of a log line; the engine cuts the rest
_SDK = __file__.rpartition("/")[0] + "/"


def line(error: BaseException) -> str:
    """`KeyError: 'total' at shop.py:41 in Plan.iterate, shop.py:60 in total`: what was raised, and the author's own
    functions on the way there, outermost first. Source text is not kept in a component."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(_SDK):
            places.append(f"{_file(code)}:{trace.tb_lineno} in {code.co_qualname}")
        trace = trace.tb_next
    text = " ".join(str(error).split())
    what = type(error).__name__ + (f": {text}" if text else "")
    if len(what) > LIMIT // 2:
        what = what[: LIMIT // 2] + " ..."
    # A deep recursion shows its two ends.
    if len(places) > 20:
        places[10:-10] = ["..."]
    whole = f"{what} at {', '.join(places)}" if places else what
    return whole.encode("utf-8", "replace")[:LIMIT].decode("utf-8", "ignore")


def _file(code: CodeType) -> str:
    """The file as it lies in the plugin's folder: a component knows it as `/<number>/<path>`."""
    first, _, rest = code.co_filename.lstrip("/").partition("/")
    return rest if rest and first.isdigit() else code.co_filename.rpartition("/")[2]
