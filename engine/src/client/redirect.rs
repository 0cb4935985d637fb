//! Follows redirects as browsers do (fetch standard, "HTTP-redirect fetch"), with less trust.

use http::{HeaderMap, Method, header};
use url::Url;

use super::exchange::Exchange;
use super::failure::{Failure, Reason};
use super::origin::Origins;
use super::request;
use super::target::OriginName;

// Fields that describe the body that is no longer sent.
const OF_THE_BODY: [&str; 5] =
    ["content-encoding", "content-language", "content-length", "content-location", "content-type"];

// Fields that belong to one origin alone.
const OF_THE_ORIGIN: [&str; 4] = ["authorization", "cookie", "host", "proxy-authorization"];

/// Where an answer redirects to; none where it does not.
pub(super) fn location(status: u16, fields: &HeaderMap) -> Option<&[u8]> {
    match status {
        301 | 302 | 303 | 307 | 308 => fields.get(header::LOCATION).map(http::HeaderValue::as_bytes),
        _ => None,
    }
}

/// Turns the exchange's request into the one the redirect asks for.
///
/// # Errors
/// `protocol` for a location that is none, `host_not_allowed` for one that the settings do not allow.
pub(super) fn apply(exchange: &mut Exchange, status: u16, location: &[u8], origins: &Origins) -> Result<(), Failure> {
    let bad = |problem: String| {
        Failure::new(Reason::Protocol, format!("redirect to \"{}\": {problem}", location.escape_ascii()))
    };
    let text = std::str::from_utf8(location).map_err(|error| bad(error.to_string()))?;
    let there = here(exchange).and_then(|here| here.join(text)).map_err(|error| bad(error.to_string()))?;
    let name = OriginName::of_url(&there).map_err(|error| bad(error.to_string()))?;
    let origin = origins.of_name(name)?;

    let drops_body = match status {
        301 | 302 => exchange.method == Method::POST,
        303 => exchange.method != Method::GET && exchange.method != Method::HEAD,
        _ => false,
    };
    let request = &mut exchange.request;
    if drops_body {
        exchange.method = Method::GET;
        "GET".clone_into(&mut request.method);
        request.body.clear();
        request.fields.retain(|(name, _)| !is_one_of(name, &OF_THE_BODY));
    }
    if origin.name != exchange.origin.name {
        request.fields.retain(|(name, _)| !is_one_of(name, &OF_THE_ORIGIN));
    }
    there[url::Position::BeforePath..url::Position::AfterQuery].clone_into(&mut request.path_with_query);
    exchange.under_base = false;
    exchange.origin = origin;
    exchange.facts = request::check(&exchange.request).map_err(bad)?;
    Ok(())
}

/// The URL of the request that was redirected.
fn here(exchange: &Exchange) -> Result<Url, url::ParseError> {
    let origin = &exchange.origin;
    Url::parse(&format!(
        "{}://{}{}{}",
        origin.name.scheme.as_str(),
        origin.host_field,
        exchange.base_path(),
        exchange.request.path_with_query
    ))
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|one| name.eq_ignore_ascii_case(one))
}
