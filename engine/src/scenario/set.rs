//! `--set table.key=value`: values of the command line in the place of those of the file.

use super::code;
use super::fault::Fault;
use super::keys::{self, Key, Kind, Spec};
use super::nearest::did_you_mean;
use super::profile::PROFILES;
use super::source::{Sources, Span};
use super::syntax;
use super::tree::{Node, Table, Value};

/// Of each of these exactly one may be there: setting one takes the place of the others that the file has.
const ALTERNATIVES: [(&str, &[&str]); 2] = [("[target]", &["url", "stub"]), ("[[phase]]", &PROFILES)];

/// One name of a path, and where it stands.
type Step = (String, Span);

/// Sets what `text` says. `file` is the span of the file.
///
/// # Errors
/// Where the text is no setting, or its path leads nowhere.
pub(super) fn apply(root: &mut Table, text: &str, file: Option<Span>, sources: &mut Sources) -> Result<(), Fault> {
    let whole = sources.add("--set", text);
    let Some(at) = equals_sign(text) else {
        let fault =
            Fault::new(code::SET_BAD_FORM, "a `--set` is written as `table.key=value`").at(whole, "no `=` in it");
        return Err(fault.hint("for example: --set limits.timeout=5s, or --set phase.sustain.rate=20"));
    };
    let path = syntax::dotted_key(&text[..at], whole.part(0..at)).map_err(|_| {
        let fault =
            Fault::new(code::SET_BAD_FORM, "what is before the `=` is not a path").at(whole.part(0..at), "this");
        fault.hint("for example: --set limits.timeout=5s, or --set phase.sustain.rate=20")
    })?;
    let written = text[at + 1..].trim();
    let start = text.len() - text[at + 1..].trim_start().len();
    let span = whole.part(start.min(text.len())..start.min(text.len()) + written.len());
    put(root, &keys::ROOT, &path, &Setting { written, span, file })
}

/// Sets one value at a path of one name after the other; for options of the command line that have a key.
pub(super) fn put_at(root: &mut Table, path: &[&str], node: Node, file: Option<Span>) -> Result<(), Fault> {
    let steps: Vec<Step> = path.iter().map(|name| ((*name).to_owned(), node.span)).collect();
    put(root, &keys::ROOT, &steps, &Given { node, file })
}

/// What is to be set.
trait Source {
    /// The value for a key of this kind; for one in a free table where there is no key.
    fn node(&self, key: Option<&Key>) -> Result<Node, Fault>;
    /// Where it stands.
    fn span(&self) -> Span;
    /// The span of the file.
    fn file(&self) -> Option<Span>;
}

/// A value as text.
struct Setting<'a> {
    written: &'a str,
    span: Span,
    file: Option<Span>,
}

impl Source for Setting<'_> {
    fn node(&self, key: Option<&Key>) -> Result<Node, Fault> {
        let wants_text =
            |key: &Key| !matches!(key.kind, Kind::Integer { .. } | Kind::Number { .. } | Kind::Boolean | Kind::Limit);
        let wants_table = |key: &Key| matches!(key.kind, Kind::Free | Kind::Texts | Kind::Table(_) | Kind::Tables(_));
        match syntax::value(self.written, self.span) {
            // A title of digits is still a title.
            Ok(node) if key.is_some_and(|key| wants_text(key) && !wants_table(key)) => match node.value {
                Value::Text(_) | Value::Array(_) | Value::Table(_) => Ok(node),
                _ => Ok(Node::text(self.written, self.span)),
            },
            Ok(node) => Ok(node),
            Err(fault) if self.written.starts_with(['"', '\'', '[', '{']) => Err(fault),
            Err(_) => Ok(Node::text(self.written, self.span)),
        }
    }

    fn span(&self) -> Span {
        self.span
    }

    fn file(&self) -> Option<Span> {
        self.file
    }
}

/// A value as it is.
struct Given {
    node: Node,
    file: Option<Span>,
}

impl Source for Given {
    fn node(&self, _key: Option<&Key>) -> Result<Node, Fault> {
        Ok(self.node.clone())
    }

    fn span(&self) -> Span {
        self.node.span
    }

    fn file(&self) -> Option<Span> {
        self.file
    }
}

fn put(table: &mut Table, spec: &'static Spec, path: &[Step], source: &dyn Source) -> Result<(), Fault> {
    let Some(((name, span), rest)) = path.split_first() else { return Ok(()) };
    let Some(key) = spec.key(name) else {
        let label = did_you_mean(name, spec.keys.iter().map(|key| key.name), "not known here");
        let fault =
            Fault::new(code::SET_UNKNOWN_PATH, format!("unknown key `{name}` in {}", spec.title)).at(*span, label);
        return Err(fault.hint(format!("known keys: {}", spec.names())));
    };
    if rest.is_empty() {
        let node = source.node(Some(key))?;
        replace(table, spec, name, *span, node, source.file());
        return Ok(());
    }
    match &key.kind {
        Kind::Table(inner) => {
            displace(table, spec, name, source.file());
            put(sub_table(table, name, *span)?, inner, rest, source)
        }
        Kind::Free => put_free(sub_table(table, name, *span)?, rest, source),
        Kind::Tables(inner) => {
            let ((entry, entry_span), rest) = rest.split_first().unwrap_or((&path[0], &[]));
            let found = entry_of(table, name, entry, *entry_span, inner)?;
            if rest.is_empty() {
                let fault =
                    Fault::new(code::SET_BAD_FORM, format!("`{name}.{entry}` is a whole entry, not a key of one"));
                let hint = format!("name one of its keys: {}", inner.names());
                return Err(fault.at(*entry_span, "no key after this").hint(hint));
            }
            put(found, inner, rest, source)
        }
        _ => {
            let message = format!("`{name}` holds one value and has no keys of its own");
            Err(Fault::new(code::SET_UNKNOWN_PATH, message).at(rest[0].1, "nothing of this name"))
        }
    }
}

fn replace(table: &mut Table, spec: &Spec, name: &str, key_span: Span, node: Node, file: Option<Span>) {
    if !matches!(node.value, Value::Boolean(false)) {
        displace(table, spec, name, file);
    }
    let entry = table.entry(name, key_span, || node.clone());
    (entry.key_span, entry.node) = (key_span, node);
}

/// Takes away what the file has in the place of this key.
fn displace(table: &mut Table, spec: &Spec, name: &str, file: Option<Span>) {
    let of_this = ALTERNATIVES.iter().filter(|(title, names)| *title == spec.title && names.contains(&name));
    for other in of_this.flat_map(|(_, names)| *names).filter(|other| **other != name) {
        let in_file = |span: Span| file.is_some_and(|file| span.same_source(file));
        if table.get(other).is_some_and(|entry| in_file(entry.key_span)) {
            table.remove(other);
        }
    }
}

/// The table of a key, made where there is none.
fn sub_table<'a>(table: &'a mut Table, name: &str, span: Span) -> Result<&'a mut Table, Fault> {
    let entry = table.entry(name, span, || Node { span, value: Value::Table(Table::default()) });
    match &mut entry.node.value {
        Value::Table(table) => Ok(table),
        other => {
            let message = format!("`{name}` is {} here and has no keys of its own", other.type_name());
            Err(Fault::new(code::SET_UNKNOWN_PATH, message).at(span, "not a table"))
        }
    }
}

/// The entry of a list of tables that is called `wanted`, or else stands at that position.
fn entry_of<'a>(
    table: &'a mut Table,
    list: &str,
    wanted: &str,
    span: Span,
    spec: &Spec,
) -> Result<&'a mut Table, Fault> {
    let nodes = match table.get_mut(list).map(|entry| &mut entry.node.value) {
        Some(Value::Array(nodes)) => nodes.as_mut_slice(),
        _ => &mut [],
    };
    let names: Vec<_> = nodes.iter().map(|node| name_of(node).unwrap_or_default().to_owned()).collect();
    let found = names.iter().position(|name| name == wanted).or_else(|| wanted.parse().ok());
    if let Some(Value::Table(entry)) = found.and_then(|at| nodes.get_mut(at)).map(|node| &mut node.value) {
        return Ok(entry);
    }
    let label = did_you_mean(wanted, names.iter().map(String::as_str), "not found");
    let fault =
        Fault::new(code::SET_UNKNOWN_PATH, format!("there is no {} called `{wanted}`", spec.title)).at(span, label);
    Err(match (names.len(), spec.key("name")) {
        (0, _) => fault.hint(format!("the scenario has no {}", spec.title)),
        (n, Some(_)) => fault.hint(format!("there are: {}; or by position, 0 to {}", names.join(", "), n - 1)),
        (n, None) => fault.hint(format!("by position, 0 to {}", n - 1)),
    })
}

fn name_of(node: &Node) -> Option<&str> {
    let Value::Table(table) = &node.value else { return None };
    match &table.get("name")?.node.value {
        Value::Text(text) => Some(&text.raw),
        _ => None,
    }
}

/// Sets a value in a table of anything, whose tables are made where there are none.
fn put_free(table: &mut Table, path: &[Step], source: &dyn Source) -> Result<(), Fault> {
    let Some(((name, span), rest)) = path.split_first() else { return Ok(()) };
    if rest.is_empty() {
        let node = source.node(None)?;
        let entry = table.entry(name, *span, || node.clone());
        (entry.key_span, entry.node) = (*span, node);
        return Ok(());
    }
    let entry = table.entry(name, *span, || Node { span: source.span(), value: Value::Table(Table::default()) });
    put_within(&mut entry.node, name, rest, source)
}

/// Sets a value within one of a table of anything.
fn put_within(node: &mut Node, name: &str, path: &[Step], source: &dyn Source) -> Result<(), Fault> {
    let Some(((step, span), rest)) = path.split_first() else {
        *node = source.node(None)?;
        return Ok(());
    };
    match &mut node.value {
        Value::Table(table) => put_free(table, path, source),
        Value::Array(nodes) => {
            let many = nodes.len();
            match step.parse().ok().and_then(|at: usize| nodes.get_mut(at)) {
                Some(node) => put_within(node, step, rest, source),
                None => Err(Fault::new(code::SET_UNKNOWN_PATH, format!("`{name}` is an array of {many}"))
                    .at(*span, "not a position in it")
                    .hint("positions count from 0; nothing is added")),
            }
        }
        other => {
            let message = format!("`{name}` is {} here and has no keys of its own", other.type_name());
            Err(Fault::new(code::SET_UNKNOWN_PATH, message).at(*span, "nothing of this name"))
        }
    }
}

/// The position of the first `=` that is not inside quotes.
fn equals_sign(text: &str) -> Option<usize> {
    let mut quote = None;
    text.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            (None, '=') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        None
    })
}
