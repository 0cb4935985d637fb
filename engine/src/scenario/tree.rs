//! The values of a scenario, each with its place. Owned, so that a text that came from the command line can take the
//! place of one from the file.

use super::source::Span;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The value as written; of a table with a header, the header.
    pub(crate) span: Span,
    pub(crate) value: Value,
}

/// A value of TOML.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(Text),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Datetime(String),
    Array(Vec<Node>),
    Table(Table),
}

/// A string, before and after `${…}` was expanded.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// As written: what is shown to people.
    pub(crate) raw: String,
    /// As meant: what is used.
    pub(crate) value: String,
}

/// A table, its entries in the order in which they were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) entries: Vec<Entry>,
}

/// One entry of a table.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) node: Node,
}

impl Node {
    /// A string without anything to expand.
    pub(crate) fn text(text: impl Into<String>, span: Span) -> Self {
        let raw: String = text.into();
        Self { span, value: Value::Text(Text { value: raw.clone(), raw }) }
    }

    /// A table of these entries, whose keys stand where their values do.
    pub(crate) fn table(entries: Vec<(&str, Self)>, span: Span) -> Self {
        Self { span, value: Value::Table(Table::of(entries)) }
    }

    /// A list of tables with one in it, of these entries.
    pub(crate) fn list_of_one(entries: Vec<(&str, Self)>, span: Span) -> Self {
        Self { span, value: Value::Array(vec![Self::table(entries, span)]) }
    }

    /// A value of JSON, all of it standing at one place. Nulls have no counterpart and are left out.
    pub(crate) fn json(json: &serde_json::Value, span: Span) -> Option<Self> {
        let value = match json {
            serde_json::Value::Null => return None,
            serde_json::Value::Bool(value) => Value::Boolean(*value),
            serde_json::Value::Number(number) => match number.as_i128() {
                Some(integer) => Value::Integer(integer),
                None => Value::Float(number.as_f64()?),
            },
            serde_json::Value::String(text) => return Some(Self::text(text.as_str(), span)),
            serde_json::Value::Array(items) => {
                Value::Array(items.iter().filter_map(|item| Self::json(item, span)).collect())
            }
            serde_json::Value::Object(entries) => {
                let entries = entries.iter().filter_map(|(key, item)| Some((key.as_str(), Self::json(item, span)?)));
                return Some(Self::table(entries.collect(), span));
            }
        };
        Some(Self { span, value })
    }
}

impl Value {
    /// What type it is, with its article.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Boolean(_) => "a boolean",
            Self::Datetime(_) => "a date or time",
            Self::Array(_) => "an array",
            Self::Table(_) => "a table",
        }
    }
}

impl Table {
    /// A table of these entries, whose keys stand where their values do.
    pub(crate) fn of(entries: Vec<(&str, Node)>) -> Self {
        let entries = entries.into_iter().map(|(key, node)| Entry { key: key.to_owned(), key_span: node.span, node });
        Self { entries: entries.collect() }
    }

    /// The entry of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The entry of a key, to be changed.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.key == key)
    }

    /// Takes an entry out.
    pub(crate) fn remove(&mut self, key: &str) {
        self.entries.retain(|entry| entry.key != key);
    }

    /// The entry of a key: made as `make` says where there is none.
    pub(crate) fn entry(&mut self, key: &str, key_span: Span, make: impl FnOnce() -> Node) -> &mut Entry {
        let at = self.entries.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
            self.entries.push(Entry { key: key.to_owned(), key_span, node: make() });
            self.entries.len() - 1
        });
        &mut self.entries[at]
    }
}
