//! A new plugin in C.

use super::template::{Template, files};

pub(super) const TEMPLATE: Template = Template {
    own: &[
        ("plugin.toml", include_str!("c/plugin.toml.txt")),
        ("src/workload.c", include_str!("c/workload.c.txt")),
        ("test/test.c", include_str!("c/test.c.txt")),
        ("Makefile", include_str!("c/Makefile.txt")),
        ("README.md", include_str!("c/README.md.txt")),
        (".gitignore", include_str!("c/gitignore.txt")),
    ],
    sdk: files!["plugins/sdk/c":
        "assert.h",
        "engine_answer.c",
        "engine_ask.c",
        "engine_config.c",
        "engine_config.h",
        "engine_json.c",
        "engine_json.h",
        "engine_own.h",
        "engine_plugin.c",
        "engine_plugin.h",
        "engine_rng.c",
        "engine_tell.c",
        "engine_text.c",
        "engine_text.h",
        "plugin.c",
        "plugin.h",
        "testing/engine_look.c",
        "testing/engine_play.c",
        "testing/engine_record.c",
        "testing/engine_record.h",
        "testing/engine_test.h",
    ],
    more: None,
    steps: &["make test"],
};
