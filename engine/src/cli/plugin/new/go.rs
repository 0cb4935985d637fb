//! A new plugin in Go.

use super::template::{Template, files};

pub(super) const TEMPLATE: Template = Template {
    own: &[
        ("go.mod", include_str!("go/go.mod.txt")),
        ("plugin.toml", include_str!("go/plugin.toml.txt")),
        ("main.go", include_str!("go/main.go.txt")),
        ("main_test.go", include_str!("go/main_test.go.txt")),
        ("README.md", include_str!("go/README.md.txt")),
        (".gitignore", include_str!("go/gitignore.txt")),
    ],
    sdk: files!["plugins/sdk/go":
        "abi_wasm.go",
        "adapter.wat",
        "config.go",
        "context.go",
        "exchange.go",
        "exports_wasm.go",
        "go.mod",
        "iteration.go",
        "metric.go",
        "native.go",
        "panic.go",
        "play.go",
        "plugin.go",
        "reply.go",
        "request.go",
        "rng.go",
        "run.go",
        "schema.go",
        "script.go",
        "shared.go",
        "socket.go",
        "stream.go",
        "trap_wasm.go",
        "verdict.go",
        "wait.go",
    ],
    more: None,
    steps: &["go test ."],
};

/// What a module's path must not be: the SDK's, and words that mean something to the `go` command.
const TAKEN: [&str; 6] = ["all", "cmd", "engine", "main", "std", "tool"];

/// Why a module cannot be called so; none where it can.
pub(super) fn keeps(name: &str) -> Option<&'static str> {
    TAKEN.contains(&name).then_some("is a name that Go, or the SDK, has taken")
}
