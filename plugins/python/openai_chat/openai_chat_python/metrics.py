"""The plugin's own figures."""

from engine_sdk import Check, Counter, Mark

HEAD = Mark(
    "head",
    "From due to the status and fields of a streamed answer: far before the first chunk where a server or a proxy "
    "compresses or holds back.",
)
FIRST_CHUNK = Mark("first_chunk", "From due to the first event of the stream, whatever it holds.")
FIRST_REASONING_TOKEN = Mark(
    "first_reasoning_token", "From due to the first text of a reasoning model's thoughts that is not empty."
)
FIRST_TOKEN = Mark("first_token", "From due to the first text of the answer that is not empty.")
CHUNK_GAP = Mark("chunk_gap", "From one chunk with output to the next; chunks of one read are 0 apart.")
TOKEN_GAP = Mark("token_gap", "From token to token by the server's count. Its inverse is tokens per second.")
CHUNKS = Counter("chunks", "Chunks with output.", "chunks")
TOKENS_IN = Counter("tokens_in", "Tokens of the prompts, by the server's count.", "tokens")
TOKENS_OUT = Counter("tokens_out", "Tokens of the answers, by the server's count.", "tokens")
FINISH_REASON = Check("finish_reason", "The answer named why it ended.")
PACED = Check("paced", "The chunks of a streamed answer came one after the other, not in one burst.")

METRICS = (
    HEAD,
    FIRST_CHUNK,
    FIRST_REASONING_TOKEN,
    FIRST_TOKEN,
    CHUNK_GAP,
    TOKEN_GAP,
    CHUNKS,
    TOKENS_IN,
    TOKENS_OUT,
    FINISH_REASON,
    PACED,
)
