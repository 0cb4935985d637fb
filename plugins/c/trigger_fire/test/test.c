#include <stdlib.h>
#include <string.h>

#include "../src/hmac_sha256.h"
#include "testing/engine_test.h"

#define GIVEN(secret, payload)                                                                    \
    "{\"token\":\"t-1\",\"organization\":\"org-1\",\"source\":\"github\",\"id\":\"a/1\"," \
    "\"webhook_secret\":\"" secret "\",\"payload\":" payload "}"
#define CONFIG GIVEN("key", "{}")
#define PATH "POST /api/v1/webhooks/triggers/github/a%2F1"
#define ACCEPTED "{ \"status\": \"accepted\", \"id\": \"e-1\" }"

/* The signature of a message, in hexadecimal; to be freed. */
static char *signed_by(const void *key, size_t key_len, const char *message)
{
    uint8_t code[HMAC_SHA256_BYTES];
    hmac_sha256 signer = hmac_sha256_key(key, key_len);
    hmac_sha256_of(&signer, message, strlen(message), code);
    engine_buf hex = {0};
    engine_buf_hex(&hex, code, sizeof code);
    return hex.ptr;
}

static void signatures_are_those_of_the_standard(void)
{
    /* RFC 4231, test cases 1, 2, 6 and 7: a short key, a short text, keys longer than a block, a text longer than one. */
    char key[131];
    struct {
        const char *key;
        size_t len;
        const char *message, *code;
    } cases[] = {
        {NULL, 20, "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {"Jefe", 4, "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {NULL, 131, "Test Using Larger Than Block-Size Key - Hash Key First",
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {NULL, 131,
         "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed "
         "before being used by the HMAC algorithm.",
         "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(key, cases[i].len == 20 ? 0x0b : 0xaa, sizeof key);
        char *code = signed_by(cases[i].key == NULL ? key : cases[i].key, cases[i].len, cases[i].message);
        ENGINE_EXPECT_TEXT(code, cases[i].code);
        free(code);
    }
}

static void padding_fits_every_length(void)
{
    /* Lengths around the ends of blocks: no two codes are the same, and nothing is read or written beyond (the sanitizer
     * looks). */
    char last[65] = "";
    for (size_t len = 0; len <= 130; len++) {
        char *message = calloc(1, len + 1);
        memset(message, 'a', len);
        char *code = signed_by("k", 1, message);
        ENGINE_EXPECT(strcmp(code, last) != 0 && strlen(code) == 64);
        strcpy(last, code);
        free(code);
        free(message);
    }
}

static engine_run *answering(uint16_t status, const char *body, uint64_t index, uint64_t wall_time)
{
    return engine_test_run(&(engine_script){
        .config = CONFIG, .index = index, .sequence = index, .seed = index + 1, .wall_time = wall_time,
        .answers = (engine_answer[]){{.on = PATH, .status = status, .body = body}, {0}}});
}

static void the_raw_body_is_signed(void)
{
    engine_run *run = answering(202, ACCEPTED, 0, 0);
    ENGINE_EXPECT_TEXT(run->outcome, "ok");
    const engine_sent *sent = &run->requests[0];
    char *code = signed_by("key", 3, sent->body);
    const char *signature = engine_sent_field(sent, "x-signature-256");
    ENGINE_EXPECT(strncmp(signature, "sha256=", 7) == 0);
    ENGINE_EXPECT_TEXT(signature + 7, code);
    ENGINE_EXPECT_TEXT(engine_sent_field(sent, "content-type"), "application/json");
    ENGINE_EXPECT_TEXT(engine_sent_field(sent, "authorization"), "Bearer t-1");
    ENGINE_EXPECT_TEXT(engine_sent_field(sent, "x-organization-id"), "org-1");
    ENGINE_EXPECT_TEXT(sent->name, "trigger");
    ENGINE_EXPECT(sent->wanted_fields == 0);
    engine_json body;
    uint64_t time = 0;
    ENGINE_EXPECT(engine_json_parse(sent->body, sent->body_len, &body));
    ENGINE_EXPECT(engine_json_is(engine_json_get(body, "event"), "load_test"));
    ENGINE_EXPECT(engine_json_u64(engine_json_get(body, "time_ns"), &time) && time == 1700000000000000000u);
    /* The first draw of seed 1 is 0x910a2dec89025cc1: subject 9, event 0, occasion 2, in every language. */
    ENGINE_EXPECT(engine_json_is(engine_json_get(body, "text"), "What has to be done when a security incident is "
                                                                "approved during the summer holidays?"));
    free(code);
    engine_run_free(run);
}

static void no_two_bodies_are_alike_and_the_same_arrival_sends_the_same(void)
{
    char *bodies[40];
    for (uint64_t i = 0; i < 40; i++) {
        engine_run *run = answering(202, ACCEPTED, i % 20, 1 + i / 20);
        bodies[i] = strdup(run->requests[0].body);
        engine_run_free(run);
    }
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < i; j++) ENGINE_EXPECT(strcmp(bodies[i], bodies[j]) != 0);
    engine_run *again = answering(202, ACCEPTED, 3, 1);
    ENGINE_EXPECT_TEXT(again->requests[0].body, bodies[3]);
    engine_run_free(again);
    for (int i = 0; i < 40; i++) free(bodies[i]);
}

static void expect_answer(uint16_t status, const char *body, const char *outcome)
{
    engine_run *run = answering(status, body, 0, 0);
    ENGINE_EXPECT_TEXT(run->outcome, outcome);
    engine_run_free(run);
}

static void what_is_not_accepted_is_a_failure(void)
{
    expect_answer(200, "{ \"status\": \"duplicate\" }", "check: duplicate");
    expect_answer(202, "{ \"status\": \"duplicate\" }", "check: duplicate");
    expect_answer(200, "{ \"status\": \"accepted\" }", "http_200");
    expect_answer(202, "{ \"status\": \"queued-7\" }", "check: not accepted");
    expect_answer(202, "{}", "check: not accepted");
    expect_answer(202, "", "check: unexpected JSON");
    expect_answer(202, "[]", "check: unexpected JSON");
    expect_answer(202, "{\"status\":1}", "check: unexpected JSON");
    expect_answer(401, "", "http_401");
    engine_run *run = engine_test_run(&(engine_script){
        .config = CONFIG, .answers = (engine_answer[]){{.on = PATH, .fail = "refused"}, {0}}});
    ENGINE_EXPECT_TEXT(run->outcome, "refused");
    engine_run_free(run);
}

static void the_trigger_and_its_secret_may_come_from_login(void)
{
    engine_run *run = engine_test_run(&(engine_script){
        .config = "{ \"payload\": { \"n\": 3, \"deep\": [\"a,b\"] } }",
        .shared = "{\"access_token\":\"t\",\"organization\":\"o\",\"trigger\":{\"source\":\"s\",\"id\":\"i\"},"
                  "\"webhook_secret\":\"k\",\"other\":3}",
        .answers = (engine_answer[]){
            {.on = "POST /api/v1/webhooks/triggers/s/i", .status = 202, .body = ACCEPTED}, {0}}});
    ENGINE_EXPECT_TEXT(run->outcome, "ok");
    engine_json body;
    uint64_t n = 0;
    ENGINE_EXPECT(engine_json_parse(run->requests[0].body, run->requests[0].body_len, &body));
    ENGINE_EXPECT(engine_json_u64(engine_json_get(body, "n"), &n) && n == 3);
    ENGINE_EXPECT(engine_json_is(engine_json_at(engine_json_get(body, "deep"), 0), "a,b"));
    engine_run_free(run);
}

static void what_is_missing_or_wrong_is_refused_with_what_to_do(void)
{
    const char *(*c)(const char *, const char *) = engine_test_configure;
    ENGINE_EXPECT_TEXT(c(CONFIG, NULL), NULL);
    ENGINE_EXPECT_TEXT(c(GIVEN("key", "{\"seed\":1}"), NULL), "config.payload.seed: the plugin sets this itself");
    ENGINE_EXPECT_TEXT(c(GIVEN("key", "3"), NULL), "config.payload: expected an object");
    ENGINE_EXPECT_TEXT(c(GIVEN("", "{\"seed\":1}"), NULL), "config.webhook_secret: must not be empty");
#define TO "missing; add [[setup]] plugin = \"login\""
    ENGINE_EXPECT_TEXT(c("{}", NULL), "config.token: " TO ", or give it here");
    ENGINE_EXPECT_TEXT(c("{\"token\":\"t\"}", NULL), "config.organization: " TO ", or give it here");
    ENGINE_EXPECT_TEXT(c("{}", "{\"access_token\":\"t\",\"organization\":\"o\"}"),
                       "config.source: " TO " with `trigger_source` in its config, or give it here");
    ENGINE_EXPECT_TEXT(c("{\"source\":\"s\"}", "{\"access_token\":\"t\",\"organization\":\"o\"}"),
                       "config.id: " TO " with `trigger_id` in its config, or give it here");
    ENGINE_EXPECT_TEXT(c("{\"source\":\"s\",\"id\":\"i\"}", "{\"access_token\":\"t\",\"organization\":\"o\"}"),
                       "config.webhook_secret: " TO " with `webhook_secret` in its config, or give it here");
    ENGINE_EXPECT_TEXT(c("{\"token\":\"bad token\",\"organization\":\"o\"}", NULL),
                       "config.token: must be printable ASCII without spaces");
    ENGINE_EXPECT_TEXT(c("{}", "{\"access_token\":7}"), "shared: expected a text for `token`");
}

int main(void)
{
    ENGINE_TEST(signatures_are_those_of_the_standard);
    ENGINE_TEST(padding_fits_every_length);
    ENGINE_TEST(the_raw_body_is_signed);
    ENGINE_TEST(no_two_bodies_are_alike_and_the_same_arrival_sends_the_same);
    ENGINE_TEST(what_is_not_accepted_is_a_failure);
    ENGINE_TEST(the_trigger_and_its_secret_may_come_from_login);
    ENGINE_TEST(what_is_missing_or_wrong_is_refused_with_what_to_do);
    return engine_test_end();
}
