"""The configuration as a user writes it. `plan` checks what these types cannot."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from engine_sdk import Length, Range


@dataclass
class Config:
    """What to ask, and of whom."""

    model: Annotated[str, "The model's name."]
    base_path: Annotated[str, "What stands before `/chat/completions`."] = "/v1"
    api_key: Annotated[str | None, "Sent as `Authorization: Bearer`; nothing is sent where absent or empty."] = None
    fields: Annotated[dict[str, str], "Further request fields, such as `api-key`."] = field(default_factory=dict)
    prompt: Annotated[
        str | None,
        "What to say. Give this or `prompts`; a short question of the plugin's own where neither is given.",
    ] = None
    prompts: Annotated[list[str] | None, "What to say; arrival i takes prompt i % n.", Length(1)] = None
    system: Annotated[str | None, "What the model is told before the prompt."] = None
    vary: Annotated[bool, "Begins each prompt with the arrival's seed, so that no cache of prompts answers."] = False
    stream: Annotated[bool, "Whether to have the answer streamed."] = True
    max_tokens: Annotated[
        int | None, "The most tokens of an answer, from 1; the server's own limit where absent.", Range(1, 2**32 - 1)
    ] = None
    include_usage: Annotated[
        bool, "Whether to ask a stream for its count of tokens. For servers that refuse to be asked: `false`."
    ] = True
    extra: Annotated[
        dict[str, Any],
        "Further entries of the request's body, such as `temperature`. A `stream_options` here takes the place of the "
        "plugin's.",
    ] = field(default_factory=dict)
