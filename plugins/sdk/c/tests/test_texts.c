/* JSON, texts, randomness: what needs no plugin. */
#include <stdlib.h>
#include <string.h>

#include "../testing/engine_test.h"

/* The SDK wants a plugin all the same. */
ENGINE_PLUGIN(.name = "texts", .version = "0", .summary = "None");

static engine_json parsed(const char *text)
{
    engine_json value;
    if (!engine_json_parse(text, strlen(text), &value)) value = (engine_json){NULL, 0};
    return value;
}

static void right_json_is_taken_and_wrong_json_is_not(void)
{
    static const char *const RIGHT[] = {"{}", " [ ] ", "0", "-0.5e+3", "\"\"", "null", "[1,[2,{\"a\":true}]]",
        "{\"a\":1,\"b\":[],\"c\":{}}", "\"\\u00e9\\ud83d\\ude00\\n\"", "\"é😀\"", "1E5"};
    static const char *const WRONG[] = {"", " ", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "1.", ".5", "+1", "1e",
        "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "tru", "nullx",
        "[1 2]", "{\"a\":1,}", "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xe2\x82\"", "<html>", "{} {}"};
    for (size_t i = 0; i < sizeof RIGHT / sizeof *RIGHT; i++) {
        if (parsed(RIGHT[i]).ptr == NULL) printf("refused: %s\n", RIGHT[i]);
        ENGINE_EXPECT(parsed(RIGHT[i]).ptr != NULL);
    }
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        if (parsed(WRONG[i]).ptr != NULL) printf("taken: %s\n", WRONG[i]);
        ENGINE_EXPECT(parsed(WRONG[i]).ptr == NULL);
    }
}

/* Memory ends where the text does: the sanitizer sees a byte too far. */
static void no_byte_behind_the_text_is_read(void)
{
    static const char TEXT[] = "{\"a\":[1,-2.5e3,\"\\ud83d\\ude00é\"],\"b\":{\"c\":null,\"d\":false}}";
    for (size_t len = 0; len < sizeof TEXT; len++) {
        char *exact = malloc(len > 0 ? len : 1);
        memcpy(exact, TEXT, len);
        engine_json value;
        bool right = engine_json_parse(exact, len, &value);
        ENGINE_EXPECT(right == (len == sizeof TEXT - 1));
        if (right) ENGINE_EXPECT(engine_json_count(engine_json_get(value, "a")) == 3);
        free(exact);
    }
}

static void depth_has_a_limit(void)
{
    char text[1001];
    memset(text, '[', 1000);
    text[1000] = 0;
    ENGINE_EXPECT(parsed(text).ptr == NULL);
    memset(text + 100, ']', 100);
    text[200] = 0;
    ENGINE_EXPECT(parsed(text).ptr != NULL);
}

static void values_are_found(void)
{
    engine_json all = parsed("{ \"a\" : [ 1 , {\"x\":\"}]\\\"\"} , \"two\" ], \"b\\u0062\": {\"deep\": [true]}, \"a\": 2, \"n\":null}");
    ENGINE_EXPECT(engine_json_count(all) == 4);
    engine_json a = engine_json_get(all, "a");
    ENGINE_EXPECT(engine_json_type_of(a) == ENGINE_JSON_ARRAY && engine_json_count(a) == 3);
    ENGINE_EXPECT(engine_json_is(engine_json_get(engine_json_at(a, 1), "x"), "}]\""));
    ENGINE_EXPECT(engine_json_is(engine_json_at(a, 2), "two") && !engine_json_is(engine_json_at(a, 2), "twofold"));
    ENGINE_EXPECT(!engine_json_is(engine_json_at(a, 2), "tw"));
    bool b = false;
    ENGINE_EXPECT(engine_json_bool(engine_json_at(engine_json_get(engine_json_get(all, "bb"), "deep"), 0), &b) && b);
    ENGINE_EXPECT(engine_json_type_of(engine_json_get(all, "n")) == ENGINE_JSON_NULL);
    ENGINE_EXPECT(engine_json_get(all, "c").ptr == NULL && engine_json_at(a, 3).ptr == NULL);
    ENGINE_EXPECT(engine_json_get(engine_json_get(all, "c"), "d").ptr == NULL);
    ENGINE_EXPECT(engine_json_count(parsed("[]")) == 0 && engine_json_count(parsed("7")) == 0);
}

static void numbers_are_read_exactly_or_not_at_all(void)
{
    uint64_t n = 7;
    double d = 0;
    ENGINE_EXPECT(engine_json_u64(parsed("18446744073709551615"), &n) && n == UINT64_MAX);
    ENGINE_EXPECT(!engine_json_u64(parsed("18446744073709551616"), &n) && !engine_json_u64(parsed("-1"), &n));
    ENGINE_EXPECT(!engine_json_u64(parsed("1.0"), &n) && !engine_json_u64(parsed("\"1\""), &n) && n == UINT64_MAX);
    ENGINE_EXPECT(engine_json_f64(parsed("[-2.5e3]"), &d) == false && engine_json_f64(parsed("-2.5e3"), &d) && d == -2500);
}

static void escapes_are_undone(void)
{
    char *text = engine_json_dup(parsed("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\\ud83d\\ude00\""));
    ENGINE_EXPECT_TEXT(text, "a\"\\/\b\f\n\r\té€😀");
    free(text);
    ENGINE_EXPECT(engine_json_dup(parsed("\"a\\u0000\"")) == NULL && engine_json_dup(parsed("1")) == NULL);
}

static void texts_are_written(void)
{
    engine_buf buf = {0};
    engine_buf_format(&buf, "%s %d %i %u %x %02X %zu %llu %ld %c %% %5d|%05d|%.*s|%4s", "a", -3, INT32_MIN, 7u, 255u, 10u,
                      (size_t)9, 18446744073709551615ull, -5l, 'z', -42, -42, 2, "xyz", "r");
    ENGINE_EXPECT_TEXT(buf.ptr, "a -3 -2147483648 7 ff 0A 9 18446744073709551615 -5 z %   -42|-0042|xy|   r");
    engine_buf_clear(&buf);
    engine_buf_json(&buf, "a\"\\\n\r\t\x01é");
    ENGINE_EXPECT_TEXT(buf.ptr, "\"a\\\"\\\\\\n\\r\\t\\u0001é\"");
    engine_buf_clear(&buf);
    engine_buf_percent(&buf, "a-b_c.d~1 /é?");
    ENGINE_EXPECT_TEXT(buf.ptr, "a-b_c.d~1%20%2F%C3%A9%3F");
    engine_buf_clear(&buf);
    engine_buf_hex(&buf, "\x00\xffz", 3);
    engine_buf_value(&buf, (engine_json){NULL, 0});
    ENGINE_EXPECT_TEXT(buf.ptr, "00ff7anull");
    engine_buf_clear(&buf);
    for (int i = 0; i < 1000; i++) engine_buf_text(&buf, "0123456789");
    ENGINE_EXPECT(buf.len == 10000 && strlen(buf.ptr) == 10000);
    engine_buf_free(&buf);
    ENGINE_EXPECT(engine_is(engine_text("a"), "a") && !engine_is(engine_text(NULL), "") && !engine_is(engine_text("a"), "ab"));
}

static void the_sequence_is_the_published_one(void)
{
    static const uint64_t FIRST[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                     4593380528125082431u, 16408922859458223821u};
    engine_rng rng = {1234567};
    for (size_t i = 0; i < 5; i++) ENGINE_EXPECT(engine_random(&rng) == FIRST[i]);
}

static void draws_stay_within_their_bounds(void)
{
    engine_rng rng = {7};
    unsigned seen[3] = {0};
    for (int i = 0; i < 3000; i++) {
        seen[engine_random_below(&rng, 3)]++;
        double unit = engine_random_unit(&rng);
        ENGINE_EXPECT(unit >= 0 && unit < 1);
    }
    for (int i = 0; i < 3; i++) ENGINE_EXPECT(seen[i] > 900 && seen[i] < 1100);
    ENGINE_EXPECT(engine_random_below(&rng, 0) == 0);
    ENGINE_EXPECT(!engine_random_chance(&rng, 0) && engine_random_chance(&rng, 1));
    /* As a 128-bit product has it. */
    for (int i = 0; i < 100; i++) {
        engine_rng one = rng, same = rng;
        uint64_t bound = engine_random(&rng);
        uint64_t high = (uint64_t)(((unsigned __int128)engine_random(&same) * bound) >> 64);
        ENGINE_EXPECT(engine_random_below(&one, bound) == high);
    }
}

int main(void)
{
    ENGINE_TEST(right_json_is_taken_and_wrong_json_is_not);
    ENGINE_TEST(no_byte_behind_the_text_is_read);
    ENGINE_TEST(depth_has_a_limit);
    ENGINE_TEST(values_are_found);
    ENGINE_TEST(numbers_are_read_exactly_or_not_at_all);
    ENGINE_TEST(escapes_are_undone);
    ENGINE_TEST(texts_are_written);
    ENGINE_TEST(the_sequence_is_the_published_one);
    ENGINE_TEST(draws_stay_within_their_bounds);
    return engine_test_end();
}
