//! Every table and key of a file of cases: what is accepted, and what a fault lists. `docs/cases.md` says the same.

use std::time::Duration;

use crate::scenario::keys::{Key, Kind, Spec, optional, required};

const ID: Kind = Kind::Integer { min: 0, max: u32::MAX as u64 };
const NUMBER: Kind = Kind::Integer { min: 0, max: u64::MAX };
const TO: Key = optional("to", ID, "", "Which exchange, by its number from 0.", "0");
const TEXT: Key = optional("text", Kind::Text, "", "To the letter.", "\"hello\"");
const JSON: Key = optional("json", Kind::Any, "", "Compared by value; a string is JSON text.", "{ id = 1 }");
const BASE64: Key = optional("base64", Kind::Text, "", "Bytes.", "\"AAEC\"");
const BODY: Key = optional("body", Kind::Text, "", "Text, to the letter.", "\"hello\"");
const FIELDS: Key = optional("fields", Kind::Free, "", "Fields.", "{ accept = \"text/html\" }");
const REASON: Key = optional("reason", Kind::Text, "", "The text of the close.", "\"bye\"");
const NAME: Key = optional("name", Kind::Text, "", "The name of its series.", "\"page\"");

/// The whole file.
pub(super) static ROOT: Spec = Spec {
    title: "the cases",
    about: "What a plugin is expected to do.",
    keys: &[required("case", Kind::Tables(&CASE), "One run of one flow.", "")],
};

/// `[[case]]`.
pub(super) static CASE: Spec = Spec {
    title: "[[case]]",
    about: "One run of one flow.",
    keys: &[
        required("name", Kind::Text, "What it shows.", "\"a page that is down\""),
        optional("why", Kind::Text, "", "For people.", "\"it was so once\""),
        optional("config", Kind::Any, "{}", "The plugin's configuration.", "{ item = \"tea\" }"),
        optional("shared", Kind::Any, "", "What setup has shared.", "{ token = \"t\" }"),
        optional("flow", Kind::Choice(&["arrival", "setup", "teardown"]), "\"arrival\"", "Which flow.", "\"setup\""),
        optional("arrival", Kind::Table(&ARRIVAL), "", "The arrival.", ""),
        optional("step", Kind::Tables(&STEP), "", "What happens, in order.", ""),
        optional("expect", Kind::Table(&EXPECT), "", "What must have come of it.", ""),
    ],
};

/// `arrival`.
pub(super) static ARRIVAL: Spec = Spec {
    title: "`arrival`",
    about: "The arrival.",
    keys: &[
        optional("index", NUMBER, "0", "Its position.", "4"),
        optional("seed", NUMBER, "0", "Seeds its randomness.", "7"),
        optional("phase", Kind::Text, "\"case\"", "The name of its phase.", "\"burst\""),
        optional("wall_time", NUMBER, "0", "Nanoseconds since the Unix epoch.", "1700000000000000000"),
    ],
};

/// `[[case.step]]`.
pub(super) static STEP: Spec = Spec {
    title: "[[case.step]]",
    about: "What is asked for, and what comes.",
    keys: &[
        optional("request", Kind::Table(&REQUEST), "", "A request is asked for.", ""),
        optional("write", Kind::Table(&WRITE), "", "A message is written.", ""),
        optional("close", Kind::Table(&CLOSE), "", "A WebSocket is closed.", ""),
        optional("cancel", ID, "", "An exchange is given up.", "0"),
        optional(
            "wait",
            Kind::Duration { min: Duration::ZERO, max: Duration::from_secs(u64::MAX >> 30) },
            "",
            "A timer is set.",
            "\"500ms\"",
        ),
        optional("fires", Kind::Boolean, "true", "Whether that timer fires at once.", "false"),
        optional("answer", Kind::Table(&ANSWER), "", "What comes to an exchange.", ""),
        optional("fire", ID, "", "A timer fires, by its number from 0.", "0"),
    ],
};

/// `request`.
pub(super) static REQUEST: Spec = Spec {
    title: "`request`",
    about: "The parts of a request that matter.",
    keys: &[
        NAME,
        optional("method", Kind::Text, "", "The method.", "\"GET\""),
        optional("path", Kind::Text, "", "Path and query.", "\"/small\""),
        optional("authority", Kind::Text, "", "Another host than the target.", "\"model:4020\""),
        FIELDS,
        BODY,
        JSON,
        BASE64,
        optional(
            "read",
            Kind::Choice(&["head", "whole", "events", "lines", "chunks", "count", "socket"]),
            "",
            "The read mode; `socket` for a WebSocket.",
            "\"whole\"",
        ),
    ],
};

/// `write`.
pub(super) static WRITE: Spec =
    Spec { title: "`write`", about: "A message of the plugin.", keys: &[TO, TEXT, JSON, BASE64] };

/// `close` of a step.
pub(super) static CLOSE: Spec = Spec {
    title: "`close`",
    about: "A close of the plugin.",
    keys: &[TO, optional("code", Kind::Integer { min: 1000, max: 4999 }, "", "The code.", "1000"), REASON],
};

/// `answer`.
pub(super) static ANSWER: Spec = Spec {
    title: "`answer`",
    about: "What comes to an exchange.",
    keys: &[
        TO,
        optional("status", Kind::Integer { min: 100, max: 999 }, "200", "The status.", "503"),
        FIELDS,
        BODY,
        JSON,
        BASE64,
        optional("size", NUMBER, "the body's", "Bytes off the wire.", "2048"),
        optional("subprotocol", Kind::Text, "", "What a WebSocket's peer selects.", "\"chat\""),
        optional("events", Kind::Any, "", "Server-sent events, read by read.", "[\"one\", [\"two\", \"three\"]]"),
        optional("lines", Kind::Any, "", "Lines, read by read.", "[\"one\", [\"two\", \"three\"]]"),
        optional("messages", Kind::Any, "", "Messages, read by read.", "[\"one\", [\"two\", \"three\"]]"),
        optional("chunks", Kind::Any, "", "Bytes, read by read.", "[\"one\", { base64 = \"AAEC\" }]"),
        optional("close", Kind::Table(&CLOSED), "", "A WebSocket is closed by its peer.", ""),
        optional("failure", Kind::Text, "", "It fails by this reason.", "\"reset\""),
        optional("detail", Kind::Text, "", "What the failure says to people.", "\"by peer\""),
        optional("cancelled", Kind::Boolean, "false", "The plugin's cancel takes effect.", "true"),
        optional("more", Kind::Boolean, "false", "It goes on in a later step.", "true"),
    ],
};

/// `close` of an answer.
pub(super) static CLOSED: Spec = Spec {
    title: "`close` of an answer",
    about: "A close of the peer.",
    keys: &[optional("code", Kind::Integer { min: 1000, max: 4999 }, "1000", "The code.", "1001"), REASON],
};

/// `[case.expect]`.
pub(super) static EXPECT: Spec = Spec {
    title: "[case.expect]",
    about: "What must have come of it.",
    keys: &[
        optional("verdict", Kind::Text, "\"ok\"", "How it ended.", "\"http_503\""),
        optional("marks", Kind::Free, "", "How often marks were set.", "{ page_read = 1 }"),
        optional("counters", Kind::Free, "", "Sums of counters.", "{ tokens = 12 }"),
        optional("observations", Kind::Free, "", "Values observed, in order.", "{ results = [5] }"),
        optional("checks", Kind::Free, "", "How often checks passed and failed.", "{ paced = { passed = 1 } }"),
        optional("log", Kind::Texts, "", "Texts that log lines must hold.", "[\"token\"]"),
    ],
};
