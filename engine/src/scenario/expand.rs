//! `${NAME}` and `${NAME:-default}`: values from the environment.

use super::code;
use super::fault::Fault;
use super::reader::Log;
use super::source::{Sources, Span};
use super::tree::{Node, Table, Text, Value};

/// Where variables come from.
pub(super) type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Expands every string of a scenario in place, and gives the secrets: what came from the environment into a plugin's
/// configuration or the stub's command line.
pub(super) fn expand(root: &mut Table, variables: Variables<'_>, sources: &Sources, log: &Log) -> Vec<String> {
    let mut expansion = Expansion { variables, sources, log, secrets: Vec::new() };
    for entry in &mut root.entries {
        let secret_key = match entry.key.as_str() {
            "workload" | "setup" => "config",
            "target" => "stub",
            _ => "",
        };
        expansion.section(&mut entry.node, secret_key);
    }
    let mut secrets = expansion.secrets;
    secrets.sort_unstable();
    secrets.dedup();
    secrets
}

/// What a `${…}` came to.
#[derive(Default)]
struct Variable<'t> {
    value: String,
    /// The variable it came from; none where it is the default.
    name: Option<&'t str>,
}

struct Expansion<'a> {
    variables: Variables<'a>,
    sources: &'a Sources,
    log: &'a Log,
    secrets: Vec<String>,
}

impl Expansion<'_> {
    /// A table, or a list of tables, with one key whose values are secret.
    fn section(&mut self, node: &mut Node, secret_key: &str) {
        match &mut node.value {
            Value::Array(nodes) => nodes.iter_mut().for_each(|node| self.section(node, secret_key)),
            Value::Table(table) => {
                for entry in &mut table.entries {
                    let secret = entry.key == secret_key;
                    self.node(&mut entry.node, secret);
                }
            }
            _ => self.node(node, false),
        }
    }

    fn node(&mut self, node: &mut Node, secret: bool) {
        match &mut node.value {
            Value::Text(text) => self.text(text, node.span, secret),
            Value::Array(nodes) => nodes.iter_mut().for_each(|node| self.node(node, secret)),
            Value::Table(table) => table.entries.iter_mut().for_each(|entry| self.node(&mut entry.node, secret)),
            Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
        }
    }

    fn text(&mut self, text: &mut Text, span: Span, secret: bool) {
        let (mut rest, mut expanded, mut shown) = (text.raw.as_str(), String::new(), String::new());
        while let Some(at) = rest.find("${") {
            let (before, from) = rest.split_at(at);
            if let Some(before) = before.strip_suffix('$') {
                expanded.push_str(before);
                expanded.push_str("${");
                shown.push_str(before);
                shown.push_str("$${");
                rest = &from[2..];
                continue;
            }
            expanded.push_str(before);
            shown.push_str(before);
            let Some((inside, after)) = from[2..].split_once('}') else {
                let place = self.sources.find(span, from);
                let fault =
                    Fault::new(code::VARIABLE_MALFORMED, "this `${` is not closed").at(place, "a `}` is missing");
                self.log.lose(span, fault.hint("write `$${` for a literal `${`"));
                return;
            };
            let Variable { value, name } = self.variable(inside, span, secret);
            expanded.push_str(&value);
            match name {
                Some(name) => shown.extend(["${", name, "}"]),
                None => shown.push_str(&value),
            }
            rest = after;
        }
        expanded.push_str(rest);
        shown.push_str(rest);
        text.value = expanded;
        text.raw = shown;
    }

    /// What stands for `inside` of `${inside}`; nothing after noting a fault.
    fn variable<'t>(&mut self, inside: &'t str, span: Span, secret: bool) -> Variable<'t> {
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let place = self.sources.find(span, &format!("${{{inside}}}"));
        let valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.chars().all(valid) || name.chars().next().is_none_or(|c| c.is_ascii_digit()) {
            let message = format!("`{name}` is not the name of a variable");
            let fault = Fault::new(code::VARIABLE_MALFORMED, message).at(place, "letters, digits and `_` only");
            self.log.lose(span, fault.hint("write ${NAME} or ${NAME:-default}, and `$${` for a literal `${`"));
            return Variable::default();
        }
        // As in a shell, `:-` also stands in for a variable that is set to nothing.
        let found = (self.variables)(name).filter(|value| default.is_none() || !value.is_empty());
        if let Some(value) = found {
            if secret && !value.is_empty() {
                self.secrets.push(value.clone());
            }
            return Variable { value, name: Some(name) };
        }
        let Some(default) = default else {
            let fault = Fault::new(code::VARIABLE_UNSET, format!("the environment variable `{name}` is not set"));
            self.log.lose(
                span,
                fault.at(place, "needed here").hint(format!("set it, or give a default: ${{{name}:-value}}")),
            );
            return Variable::default();
        };
        // Written in the file for all to read.
        Variable { value: default.to_owned(), name: None }
    }
}
