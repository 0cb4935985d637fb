"""Talks to a running stub model with the official OpenAI client. Arguments: the URL of a stub that answers 8 tokens, and of
one that fails always.

Exits with 0 where everything the client understood is right, and tells what is not otherwise.
"""

import math
import sys

import openai


def chat(client):
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is a queue?"}]
    whole = client.chat.completions.create(model="stub-chat", messages=messages)
    choice = whole.choices[0]
    assert (choice.finish_reason, choice.message.role) == ("stop", "assistant"), whole
    assert len(choice.message.content.split(" ")) == whole.usage.completion_tokens == 8, whole
    assert whole.usage.total_tokens == whole.usage.prompt_tokens + 8, whole

    short = client.chat.completions.create(model="stub-chat", messages=messages, max_tokens=3)
    assert (short.choices[0].finish_reason, short.usage.completion_tokens) == ("length", 3), short


def stream(client):
    messages = [{"role": "user", "content": "Stream, please."}]
    chunks = list(
        client.chat.completions.create(
            model="any-name",
            messages=messages,
            stream=True,
            stream_options={"include_usage": True},
            max_completion_tokens=5,
            extra_headers={"x-stub-sent-ns": "1"},
        )
    )
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk.id for chunk in chunks}) == 1 and {chunk.model for chunk in chunks} == {"any-name"}
    first, *tokens, finish, usage = chunks
    assert (first.choices[0].delta.role, first.choices[0].delta.content) == ("assistant", ""), first
    assert len(tokens) == 5 and all(chunk.choices[0].delta.content for chunk in tokens), tokens
    assert all(chunk.choices[0].finish_reason is None for chunk in [first, *tokens])
    assert (finish.choices[0].finish_reason, finish.choices[0].delta.content) == ("length", None), finish
    assert (usage.choices, usage.usage.completion_tokens) == ([], 5), usage
    assert all(chunk.usage is None for chunk in chunks[:-1])
    stamps = [chunk.model_extra["sent_ns"] for chunk in chunks]
    assert stamps == sorted(stamps), stamps

    # The client's own accumulation of a stream, which checks more than we do.
    with client.chat.completions.stream(model="stub-chat", messages=messages) as events:
        final = events.get_final_completion()
    assert len(final.choices[0].message.content.split(" ")) == 8, final

    bare = list(client.chat.completions.create(model="stub-chat", messages=messages, stream=True))
    assert all(chunk.choices for chunk in bare) and bare[-1].choices[0].finish_reason == "stop"
    assert all("sent_ns" not in (chunk.model_extra or {}) for chunk in bare)


def embeddings(client):
    texts = ["How do I reset my password?", "Resetting a password", "Lunch is served at noon"]
    # The client asks for base64 unless told otherwise.
    packed = client.embeddings.create(model="stub-embedding", input=texts)
    plain = client.embeddings.create(model="stub-embedding", input=texts, encoding_format="float")
    vectors = [item.embedding for item in packed.data]
    assert [item.index for item in packed.data] == [0, 1, 2]
    for one, other in zip(vectors, (item.embedding for item in plain.data)):
        assert len(one) == len(other) == 768
        assert all(abs(a - b) < 1e-6 for a, b in zip(one, other))
        assert abs(math.fsum(value * value for value in one) - 1) < 1e-5
    near, far = (sum(a * b for a, b in zip(vectors[0], vectors[k])) for k in (1, 2))
    assert near > far + 0.2, (near, far)
    assert packed.usage.prompt_tokens > 0

    short = client.embeddings.create(model="stub-embedding", input="one", dimensions=16)
    assert len(short.data[0].embedding) == 16


def models(client):
    assert [model.id for model in client.models.list()] == ["stub-chat", "stub-embedding"]
    assert client.models.retrieve("stub-chat").owned_by == "stub-model"


def errors(client):
    def refused(kind, call, **fields):
        try:
            call()
        except kind as error:
            body = {"status": error.status_code, "param": error.param, "code": error.code}
            assert fields.items() <= body.items(), (fields, body)
            assert error.message, error
        else:
            raise AssertionError(f"{kind} was expected")

    create = client.chat.completions.create
    messages = [{"role": "user", "content": "hi"}]
    refused(openai.BadRequestError, lambda: create(model="m", messages=[]), status=400, param="messages")
    refused(openai.BadRequestError, lambda: create(model="m", messages=messages, max_tokens=0), param="max_tokens")
    refused(openai.BadRequestError, lambda: client.embeddings.create(model="m", input=""), param="input")
    refused(openai.NotFoundError, lambda: client.models.retrieve("other"), status=404, code="model_not_found")
    refused(openai.NotFoundError, lambda: client.files.list(), status=404, code="unknown_url")


def faults(url):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="unused", max_retries=0)
    messages = [{"role": "user", "content": "hi"}]
    try:
        client.chat.completions.create(model="m", messages=messages)
    except openai.InternalServerError as error:
        assert (error.status_code, error.type) == (500, "server_error"), error
    else:
        raise AssertionError("a fault was expected")


def main(url, failing_url):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="unused", max_retries=0, timeout=20)
    for check in (chat, stream, embeddings, models, errors):
        check(client)
    faults(failing_url)


if __name__ == "__main__":
    main(*sys.argv[1:])
    print("ok")
