/* What flows ask for, and what becomes of them. */
#include <string.h>

#include "flows.h"

#define ANSWERS (engine_answer[])

static const engine_field JSON_TYPE[] = {{"content-type", "application/json"}, {0}};

static void a_request_says_all_it_may_say(void)
{
    engine_run *run = play("everything", ANSWERS{
        {.on = "PUT /page", .status = 201, .fields = JSON_TYPE, .body = "{\"items\":[1,2,3]}"},
        {.on = "POST /json"}, {.on = "POST /blob"}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "ok");
    ENGINE_EXPECT(run->request_count == 4);
    const engine_sent *put = &run->requests[0];
    ENGINE_EXPECT_TEXT(put->line, "PUT /page?x=1");
    ENGINE_EXPECT_TEXT(put->name, "page");
    ENGINE_EXPECT_TEXT(put->authority, "other:80");
    ENGINE_EXPECT(put->field_count == 2 && strcmp(put->fields[0], "X-One") == 0 && strcmp(put->fields[3], "2") == 0);
    ENGINE_EXPECT(put->body_len == 3 && memcmp(put->body, "a\0b", 3) == 0);
    ENGINE_EXPECT(put->read == ENGINE_WHOLE && put->max_body == 16 << 20);
    ENGINE_EXPECT(put->wanted_fields == 1 && put->follow_redirects == 0 && put->timeout == ENGINE_S(5));
    ENGINE_EXPECT_TEXT(engine_sent_field(&run->requests[1], "content-type"), "application/json");
    ENGINE_EXPECT_TEXT(engine_sent_field(&run->requests[2], "content-type"), "text/x");
    ENGINE_EXPECT(run->requests[2].field_count == 1 && run->requests[2].follow_redirects == -1);
    ENGINE_EXPECT(run->requests[3].blob == 1 && !run->requests[3].has_body && run->requests[3].wanted_fields == 0);
    engine_run_free(run);
}

static void figures_and_log_lines_are_told(void)
{
    engine_run *run = play("everything", ANSWERS{
        {.on = "PUT /page?x=1", .fields = JSON_TYPE, .body = "{\"items\":[1,2,3]}"},
        {.on = "POST /json"}, {.on = "POST /blob"}, {0}});
    ENGINE_EXPECT(engine_run_marks(run, "read") == 2);
    ENGINE_EXPECT(engine_run_did(run, ENGINE_DID_MARK, 0)->since == 'd');
    ENGINE_EXPECT(engine_run_did(run, ENGINE_DID_MARK, 1)->since == 'a');
    ENGINE_EXPECT(engine_run_did(run, ENGINE_DID_MARK, 1)->at == ENGINE_MS(1));
    ENGINE_EXPECT(engine_run_counted(run, "bytes") == 17);
    ENGINE_EXPECT(engine_run_observed(run, "results", 0) == 3);
    ENGINE_EXPECT(engine_run_checked(run, "sorted", true) == 1 && engine_run_checked(run, "sorted", false) == 1);
    ENGINE_EXPECT_TEXT(engine_run_did(run, ENGINE_DID_LOG, 0)->text, "seed 1, text, test");
    engine_run_free(run);
}

static void expect_outcome(const char *flow, engine_answer answer, const char *expected)
{
    engine_run *run = play(flow, ANSWERS{answer, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, expected);
    engine_run_free(run);
}

static void a_failed_exchange_ends_the_iteration_by_its_reason(void)
{
    expect_outcome("plain", (engine_answer){.on = "GET /page", .fail = "timeout_total"}, "timeout_total");
    expect_outcome("plain", (engine_answer){.on = "GET /page", .status = 503}, "http_503");
    expect_outcome("caught", (engine_answer){.on = "GET /page", .fail = "refused"}, "cancelled");
    expect_outcome("caught", (engine_answer){.on = "GET /page"}, "check: no failure");
    expect_outcome("plain", (engine_answer){.on = "GET /page", .body = "<html>"}, "check: unexpected JSON");
    expect_outcome("plain", (engine_answer){.on = "GET /page"}, "check: unexpected JSON");
}

static void waiting_takes_no_time_of_the_test(void)
{
    engine_run *run = play("plain", ANSWERS{{.on = "GET /page", .body = "{}", .after = ENGINE_MS(5)}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "ok");
    ENGINE_EXPECT(run->took == ENGINE_S(30) + ENGINE_MS(5));
    engine_run_free(run);
}

static void several_are_open_together(void)
{
    engine_run *run = play("together", ANSWERS{{.on = "GET /picture/2", .after = ENGINE_MS(9), .status = 304},
        {.on = "GET /picture/0", .after = ENGINE_MS(7)}, {.on = "GET /picture/1"}, {.on = "GET /picture/3"}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "ok");
    ENGINE_EXPECT(run->took == ENGINE_MS(9));
    ENGINE_EXPECT(run->requests[3].read == ENGINE_COUNT);
    ENGINE_EXPECT_TEXT(run->requests[3].line, "GET /picture/3");
    engine_run_free(run);
    run = play("together", ANSWERS{{.on = "GET /picture/2", .fail = "reset"}, {.on = "GET /picture/0"},
        {.on = "GET /picture/1"}, {.on = "GET /picture/3"}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "reset");
    engine_run_free(run);
}

static void the_loser_of_a_race_is_given_up(void)
{
    /* Its end still comes, to nobody. */
    engine_run *run = play("race", ANSWERS{{.on = "GET /late", .after = ENGINE_S(3)}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "check: no answer after two seconds");
    ENGINE_EXPECT(engine_run_did(run, ENGINE_DID_CANCEL, 0) != NULL);
    ENGINE_EXPECT(run->took == ENGINE_S(62));
    engine_run_free(run);
    run = play("race", ANSWERS{{.on = "GET /late"}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "ok");
    ENGINE_EXPECT(engine_run_did(run, ENGINE_DID_CANCEL, 0) == NULL && engine_run_did(run, ENGINE_DID_CLEAR, 0) != NULL);
    ENGINE_EXPECT(run->took == ENGINE_S(5) + ENGINE_MS(1));
    engine_run_free(run);
}

static void items_of_one_read_share_a_lap(void)
{
    static const engine_piece TOKENS[] = {{.event = "token", .data = "a"}, {.event = "ping", .after = ENGINE_MS(5)},
        {.event = "token", .data = "b", .more = true, .after = ENGINE_MS(5)}, {.event = "token", .data = "c"}, {0}};
    engine_run *run = play("stream", ANSWERS{{.on = "POST /chat", .pieces = TOKENS}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "ok");
    ENGINE_EXPECT(engine_run_marks(run, "gap") == 3);
    ENGINE_EXPECT(engine_run_did(run, ENGINE_DID_MARK, 1)->weight == 0);
    const engine_did *last = engine_run_did(run, ENGINE_DID_MARK, 2);
    ENGINE_EXPECT(last->weight == 2 && last->since == 'p' && last->at == ENGINE_MS(11));
    engine_run_free(run);
    run = play("stream", ANSWERS{{.on = "POST /chat", .pieces = TOKENS, .fail = "truncated"}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "truncated");
    ENGINE_EXPECT(engine_run_marks(run, "gap") == 3);
    engine_run_free(run);
    expect_outcome("stream", (engine_answer){.on = "POST /chat", .status = 500, .body = ""}, "http_500");
}

static void lines_pile_up_and_a_stream_may_be_left(void)
{
    static const engine_piece LINES[] = {{.line = "one"}, {.line = "two", .more = true, .after = ENGINE_MS(5)},
        {.line = "three"}, {.line = "four"}, {.line = "five", .after = ENGINE_S(3)}, {0}};
    engine_run *run = play("lines", ANSWERS{{.on = "GET /lines", .pieces = LINES, .hang = true}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "ok");
    ENGINE_EXPECT(engine_run_did(run, ENGINE_DID_CANCEL, 0) != NULL);
    engine_run_free(run);
}

static void a_socket_talks_and_closes(void)
{
    static const engine_piece TALK[] = {{.written = "hello"}, {.text = "hi", .more = true}, {.text = "bye"}, {0}};
    engine_run *run = play("talk", ANSWERS{{.on = "WS /ws", .subprotocol = "chat", .pieces = TALK}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "ok");
    const engine_did *binary = engine_run_did(run, ENGINE_DID_WRITE, 1);
    ENGINE_EXPECT(binary != NULL && binary->number == 1 && binary->len == 1);
    ENGINE_EXPECT(engine_run_did(run, ENGINE_DID_CLOSE, 0)->number == 1000);
    engine_run_free(run);
    expect_outcome("talk", (engine_answer){.on = "WS /ws", .subprotocol = "chat", .close_code = 1001}, "check: closed early");
    expect_outcome("talk", (engine_answer){.on = "WS /ws", .fail = "upgrade_refused"}, "upgrade_refused");
    static const engine_piece BINARY[] = {{.binary = "\x02"}, {0}};
    expect_outcome("talk", (engine_answer){.on = "WS /ws", .subprotocol = "chat", .pieces = BINARY}, "check: a binary message");
}

static void functions_that_await_call_each_other(void)
{
    engine_run *run = play("children", ANSWERS{{.on = "GET /one"}, {.on = "GET /other", .after = ENGINE_MS(5)}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "ok");
    ENGINE_EXPECT(run->request_count == 8);
    /* Four times 11 ms one after the other, then the slower of two together. */
    ENGINE_EXPECT(run->took == ENGINE_MS(4 * 11 + 2 * 15));
    engine_run_free(run);
    run = play("children", ANSWERS{{.on = "GET /one", .times = 3}, {.on = "GET /one", .fail = "reset"}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "reset");
    ENGINE_EXPECT(run->request_count == 4);
    engine_run_free(run);
}

static void errors_of_the_author_trap_with_place_and_text(void)
{
    engine_run *run = play("asserts", ANSWERS{{.on = "GET /page"}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "plugin_trap");
    const engine_did *log = engine_run_did(run, ENGINE_DID_LOG, 0);
    ENGINE_EXPECT(log->number == ENGINE_ERROR && strncmp(log->text, "flows.c:", 8) == 0);
    ENGINE_EXPECT_TEXT(strstr(log->text, ": asserts: "), ": asserts: not created");
    engine_run_free(run);
    run = play("asserts_plainly", NULL);
    ENGINE_EXPECT_TEXT(run->outcome, "plugin_trap");
    ENGINE_EXPECT(strstr(engine_run_did(run, ENGINE_DID_LOG, 0)->text, "assertion failed: ctx->arrival.seed == 17") != NULL);
    engine_run_free(run);
    run = play("never_asked", NULL);
    ENGINE_EXPECT_TEXT(run->outcome, "plugin_trap");
    ENGINE_EXPECT(strstr(engine_run_did(run, ENGINE_DID_LOG, 0)->text, "an exchange that was not asked for") != NULL);
    engine_run_free(run);
    run = play("on_the_stack", ANSWERS{{.on = "GET /page"}, {0}});
    ENGINE_EXPECT_TEXT(run->outcome, "plugin_trap");
    ENGINE_EXPECT(strstr(engine_run_did(run, ENGINE_DID_LOG, 0)->text, "must stand in the iteration's state") != NULL);
    engine_run_free(run);
}

static void what_cannot_go_on_is_seen(void)
{
    expect_outcome("stalls", (engine_answer){.on = "GET /"}, "plugin_stalled");
    expect_outcome("misuses", (engine_answer){.on = "GET /"}, "plugin_misuse");
}

static void a_long_text_is_cut_between_characters(void)
{
    engine_run *run = play("long_text", NULL);
    ENGINE_EXPECT(strlen(run->outcome) == strlen("check: ") + 199);
    engine_run_free(run);
}

static void quoted(const char *note, const char *expected)
{
    char config[512];
    snprintf(config, sizeof config, "{\"flow\":\"quotes\",\"note\":\"%s\"}", note);
    engine_run *run = engine_test_run(&(engine_script){.config = config});
    ENGINE_EXPECT_TEXT(run->outcome, expected);
    engine_run_free(run);
}

static void a_quoted_text_keeps_its_words_and_loses_what_varies(void)
{
    quoted("QueuePool limit of size 5 overflow 10 reached, timed out after 30.00 31.00 s",
           "check: error: QueuePool limit of size # overflow # reached, timed out after # s");
    quoted("no agent 910a2dec-8902 for ann@example.org", "check: error: no agent # for #");
    quoted("  ", "check: error");
    quoted("910a2dec", "check: error");
    quoted("xxxxxxxxxxxxxxxxxxxxxxxxx", "check: error");
}

static void setup_shares_and_configure_reads(void)
{
    engine_run *run = engine_test_run(&(engine_script){.config = "{\"flow\":\"x\"}", .flow = ENGINE_SETUP,
        .answers = ANSWERS{{.on = "POST /login", .body = "t1"}, {0}}});
    ENGINE_EXPECT_TEXT(run->outcome, "ok");
    const char *shared = engine_run_did(run, ENGINE_DID_SHARE, 0)->text;
    ENGINE_EXPECT_TEXT(shared, "{\"token\":\"t1\"}");
    ENGINE_EXPECT_TEXT(engine_test_configure("{\"flow\":\"x\"}", shared), NULL);
    engine_run_free(run);
    ENGINE_EXPECT_TEXT(engine_test_configure("{\"flow\":\"x\"}", "{\"token\":\"wrong\"}"), "shared.token: wrong");
    ENGINE_EXPECT_TEXT(engine_test_configure("{\"flow\":\"x\"}", "[]"), "shared: expected a JSON object");
}

static void a_configuration_that_is_wrong_names_the_key(void)
{
    const char *(*c)(const char *, const char *) = engine_test_configure;
    ENGINE_EXPECT_TEXT(c("{\"flow\":\"x\",\"note\":null,\"limit\":1000,\"share\":1e-1,\"eager\":false,\"paths\":[1]}", NULL), NULL);
    ENGINE_EXPECT_TEXT(c("{}", NULL), "config: missing field `flow`");
    ENGINE_EXPECT_TEXT(c("[]", NULL), "config: expected a JSON object");
    ENGINE_EXPECT_TEXT(c("{\"flow\":null}", NULL), "config.flow: expected a text");
    ENGINE_EXPECT_TEXT(c("{\"flow\":\"a\\u0000b\"}", NULL), "config.flow: expected a text");
    ENGINE_EXPECT_TEXT(c("{\"flow\":\"x\",\"limit\":0}", NULL), "config.limit: expected a whole number, 1 to 1000");
    ENGINE_EXPECT_TEXT(c("{\"flow\":\"x\",\"limit\":2.5}", NULL), "config.limit: expected a whole number, 1 to 1000");
    ENGINE_EXPECT_TEXT(c("{\"flow\":\"x\",\"share\":\"1\"}", NULL), "config.share: expected a number");
    ENGINE_EXPECT_TEXT(c("{\"flow\":\"x\",\"eager\":1}", NULL), "config.eager: expected true or false");
    ENGINE_EXPECT_TEXT(c("{\"flow\":\"x\",\"flw\":1}", NULL),
        "config.flw: unknown field, expected one of `flow`, `note`, `limit`, `share`, `eager`, `paths`");
}

static void the_schema_says_what_is_taken(void)
{
    engine_json schema;
    const char *text = engine_test_schema();
    ENGINE_EXPECT(engine_json_parse(text, strlen(text), &schema));
    engine_json keys = engine_json_get(schema, "properties"), limit = engine_json_get(keys, "limit");
    ENGINE_EXPECT(engine_json_count(keys) == 6);
    uint64_t n = 0;
    ENGINE_EXPECT(engine_json_u64(engine_json_get(limit, "default"), &n) && n == 20);
    ENGINE_EXPECT(engine_json_u64(engine_json_get(limit, "maximum"), &n) && n == 1000);
    ENGINE_EXPECT(engine_json_is(engine_json_get(engine_json_get(keys, "flow"), "description"), "Which \"flow\"."));
    ENGINE_EXPECT(engine_json_count(engine_json_get(schema, "required")) == 1);
}

int main(void)
{
    ENGINE_TEST(a_request_says_all_it_may_say);
    ENGINE_TEST(figures_and_log_lines_are_told);
    ENGINE_TEST(a_failed_exchange_ends_the_iteration_by_its_reason);
    ENGINE_TEST(waiting_takes_no_time_of_the_test);
    ENGINE_TEST(several_are_open_together);
    ENGINE_TEST(the_loser_of_a_race_is_given_up);
    ENGINE_TEST(items_of_one_read_share_a_lap);
    ENGINE_TEST(lines_pile_up_and_a_stream_may_be_left);
    ENGINE_TEST(a_socket_talks_and_closes);
    ENGINE_TEST(functions_that_await_call_each_other);
    ENGINE_TEST(errors_of_the_author_trap_with_place_and_text);
    ENGINE_TEST(what_cannot_go_on_is_seen);
    ENGINE_TEST(a_long_text_is_cut_between_characters);
    ENGINE_TEST(a_quoted_text_keeps_its_words_and_loses_what_varies);
    ENGINE_TEST(setup_shares_and_configure_reads);
    ENGINE_TEST(a_configuration_that_is_wrong_names_the_key);
    ENGINE_TEST(the_schema_says_what_is_taken);
    return engine_test_end();
}
