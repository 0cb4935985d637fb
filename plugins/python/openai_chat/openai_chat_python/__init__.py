"""Chat completions of any OpenAI-compatible server, streaming or not: what `plugins/openai_chat` does in Rust, which
says when an answer is right and what its times are. The configuration is the same."""

from .plan import OpenAiChat

__all__ = ["OpenAiChat"]
