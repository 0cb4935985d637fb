//! Targets that cannot be loaded.

use super::super::{BASE, assert_text};
use super::{refused, with};

#[test]
fn a_target_without_an_address_is_refused() {
    let seen = refused(&BASE.replace(
        r#"url = "http://127.0.0.1:8080"
"#,
        "",
    ));
    assert_text(
        &seen,
        r#"
error[scenario.conflict]: a target needs either a `url` or a `stub`
 --> mix.toml:1:1
  |
1 | [target]
  | ^^^^^^^^ has neither
  |
  = help: for example: url = "https://api.example.com", or stub = "small""#,
    );
}

#[test]
fn a_target_with_two_addresses_is_refused() {
    let seen = refused(&BASE.replace(
        "\n\n[[workload]]",
        r#"
stub = "small"

[[workload]]"#,
    ));
    assert_text(
        &seen,
        r#"
error[scenario.conflict]: a target has either a `url` or a `stub`, not both
 --> mix.toml:3:1
  |
2 | url = "http://127.0.0.1:8080"
  | --- and a URL
3 | stub = "small"
  | ^^^^ a stub"#,
    );
}

#[test]
fn a_url_without_a_scheme_is_refused() {
    let seen = refused(&BASE.replace("http://127.0.0.1:8080", "127.0.0.1:8080"));
    assert_text(
        &seen,
        r#"
error[target.bad_url]: this is not a URL: relative URL without a base
 --> mix.toml:2:7
  |
2 | url = "127.0.0.1:8080"
  |       ^^^^^^^^^^^^^^^^ this URL
  |
  = help: for example: "https://api.example.com" or "http://127.0.0.1:8080/base""#,
    );
}

#[test]
fn a_url_of_another_scheme_is_refused() {
    let seen = refused(&BASE.replace("http://127.0.0.1:8080", "ftp://127.0.0.1"));
    assert_text(
        &seen,
        r#"
error[target.bad_url]: the URL must begin with `http://` or `https://`
 --> mix.toml:2:7
  |
2 | url = "ftp://127.0.0.1"
  |       ^^^^^^^^^^^^^^^^^ this URL
  |
  = help: for example: "https://api.example.com" or "http://127.0.0.1:8080/base""#,
    );
}

#[test]
fn a_url_with_credentials_is_refused() {
    let seen = refused(&BASE.replace("http://127", "http://user:pw@127"));
    assert_text(
        &seen,
        r#"
error[target.bad_url]: the URL must not hold credentials
 --> mix.toml:2:7
  |
2 | url = "http://user:pw@127.0.0.1:8080"
  |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this URL
  |
  = help: credentials go into a plugin's `config`, as "${NAME}", where they are masked"#,
    );
}

#[test]
fn a_url_with_a_query_is_refused() {
    let seen = refused(&BASE.replace(":8080", ":8080/?a=b"));
    assert_text(
        &seen,
        r#"
error[target.bad_url]: the URL must not have a query or fragment
 --> mix.toml:2:7
  |
2 | url = "http://127.0.0.1:8080/?a=b"
  |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this URL
  |
  = help: what follows `?` or `#` belongs in each request"#,
    );
}

#[test]
fn a_stub_that_cannot_be_split_is_refused() {
    let seen = refused(&BASE.replace(r#"url = "http://127.0.0.1:8080""#, r#"stub = "small --token 'x""#));
    assert_text(
        &seen,
        r#"
error[target.bad_stub]: the stub's command line has an open quote or ends in `\`
 --> mix.toml:2:8
  |
2 | stub = "small --token 'x"
  |        ^^^^^^^^^^^^^^^^^^ cannot be split into words
  |
  = help: for example: stub = "small""#,
    );
}

#[test]
fn a_certificate_that_is_not_there_is_refused() {
    let seen = refused(&BASE.replace(
        "\n\n[[workload]]",
        r#"
ca = "nowhere.pem"

[[workload]]"#,
    ));
    assert_text(
        &seen,
        r#"
warning[target.without_effect]: `ca` has no effect on an `http` target
 --> mix.toml:3:1
  |
3 | ca = "nowhere.pem"
  | ^^ not used

error[scenario.file_missing]: there is no file `nowhere.pem`
 --> mix.toml:3:6
  |
3 | ca = "nowhere.pem"
  |      ^^^^^^^^^^^^^ not found
  |
  = help: paths count from the folder of the scenario"#,
    );
}

#[test]
fn a_client_key_alone_is_refused() {
    let seen = refused(&BASE.replace(
        "\n\n[[workload]]",
        r#"
client_key = "nowhere.key"

[[workload]]"#,
    ));
    assert_text(
        &seen,
        r#"
error[target.incomplete_certificate]: `client_key` needs `client_certificate` beside it
 --> mix.toml:3:1
  |
3 | client_key = "nowhere.key"
  | ^^^^^^^^^^ alone

warning[target.without_effect]: `client_key` has no effect on an `http` target
 --> mix.toml:3:1
  |
3 | client_key = "nowhere.key"
  | ^^^^^^^^^^ not used

error[scenario.file_missing]: there is no file `nowhere.key`
 --> mix.toml:3:14
  |
3 | client_key = "nowhere.key"
  |              ^^^^^^^^^^^^^ not found
  |
  = help: paths count from the folder of the scenario"#,
    );
}

#[test]
fn an_address_without_a_port_is_refused() {
    let seen = refused(&BASE.replace(
        "\n\n[[workload]]",
        r#"
resolve = "127.0.0.1"

[[workload]]"#,
    ));
    assert_text(
        &seen,
        r#"
error[target.bad_address]: `resolve` must be an IP address with a port
 --> mix.toml:3:11
  |
3 | resolve = "127.0.0.1"
  |           ^^^^^^^^^^^ not one
  |
  = help: for example: "127.0.0.1:8443" or "[::1]:8443""#,
    );
}

#[test]
fn an_allowed_host_that_is_a_url_or_a_pattern_is_refused() {
    let seen = refused(&with(
        r#"
[limits]
allowed_hosts = ["https://x.test", "*.x.test", "x.test:70000"]
"#,
    ));
    assert_text(
        &seen,
        r#"
error[limits.bad_host]: an allowed host is written as `host` or `host:port`
  --> mix.toml:14:18
   |
14 | allowed_hosts = ["https://x.test", "*.x.test", "x.test:70000"]
   |                  ^^^^^^^^^^^^^^^^ not one
   |
   = help: for example: "login.example.com" or "[::1]:8443"

error[limits.bad_host]: an allowed host is written as `host` or `host:port`
  --> mix.toml:14:36
   |
14 | allowed_hosts = ["https://x.test", "*.x.test", "x.test:70000"]
   |                                    ^^^^^^^^^^ not one
   |
   = help: for example: "login.example.com" or "[::1]:8443"

error[limits.bad_host]: an allowed host is written as `host` or `host:port`
  --> mix.toml:14:48
   |
14 | allowed_hosts = ["https://x.test", "*.x.test", "x.test:70000"]
   |                                                ^^^^^^^^^^^^^^ not one
   |
   = help: for example: "login.example.com" or "[::1]:8443""#,
    );
}

#[test]
fn a_url_of_the_environment_goes_before_a_stub_and_an_empty_one_is_none() {
    use crate::scenario::Endpoint;
    let endpoint = |url: &str| {
        let text = BASE.replace("url = \"http://127.0.0.1:8080\"", &format!("url = \"{url}\"\nstub = \"small\""));
        super::super::plan(&text).target.endpoint
    };
    assert!(matches!(endpoint("${EMPTY:-}"), Endpoint::Stub(_)));
    assert!(matches!(endpoint("http://${HOST}"), Endpoint::Url(_)));
}
