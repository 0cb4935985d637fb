//! A new plugin in Python.

use super::template::{Template, files};

pub(super) const TEMPLATE: Template = Template {
    own: &[
        ("pyproject.toml", include_str!("python/pyproject.toml.txt")),
        ("my_plugin.py", include_str!("python/my_plugin.py.txt")),
        ("test_my_plugin.py", include_str!("python/test_my_plugin.py.txt")),
        ("README.md", include_str!("python/README.md.txt")),
        (".gitignore", include_str!("python/gitignore.txt")),
    ],
    sdk: files!["plugins/sdk/python":
        "engine_sdk/__init__.py",
        "engine_sdk/_actions.py",
        "engine_sdk/_cases.py",
        "engine_sdk/_recorder.py",
        "engine_sdk/build.py",
        "engine_sdk/component.py",
        "engine_sdk/config.py",
        "engine_sdk/context.py",
        "engine_sdk/exchange.py",
        "engine_sdk/flow.py",
        "engine_sdk/join.py",
        "engine_sdk/metric.py",
        "engine_sdk/py.typed",
        "engine_sdk/reply.py",
        "engine_sdk/rng.py",
        "engine_sdk/shape.py",
        "engine_sdk/socket.py",
        "engine_sdk/stream.py",
        "engine_sdk/testing/__init__.py",
        "engine_sdk/testing/play.py",
        "engine_sdk/testing/run.py",
        "engine_sdk/testing/script.py",
        "engine_sdk/trace.py",
        "engine_sdk/values.py",
        "engine_sdk/verdict.py",
        "engine_sdk/wit/workload.wit",
        "engine_sdk/workload.py",
        "pyproject.toml",
    ],
    more: None,
    steps: &["python3 -m venv .venv && .venv/bin/pip install -e 'sdk[build]'", ".venv/bin/python -m unittest"],
};

/// Python's words and the modules of its standard library (`keyword.kwlist`, `sys.stdlib_module_names` of Python 3.11), and what a
/// plugin is built with: the plugin's module would stand in the way of another, or could not be imported.
const TAKEN: &str = include_str!("python/taken.txt");

/// Why a module cannot be called so; none where it can.
pub(super) fn keeps(name: &str) -> Option<&'static str> {
    TAKEN.lines().any(|taken| taken == name).then_some("is a word of Python, or a module that plugins are built with")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_modules_of_python_are_taken() {
        for name in ["async", "json", "random", "engine_sdk", "unittest"] {
            assert!(keeps(name).is_some(), "{name}");
        }
        assert_eq!(keeps("checkout"), None);
    }
}
