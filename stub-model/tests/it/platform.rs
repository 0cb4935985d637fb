//! The platform over HTTP.

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use stub_model::model::Behaviour;
use stub_model::platform::{DEFAULT_SECRET, PoolSettings, Settings, bind, start};
use stub_model::server::{Handle, StartError};
use tokio::net::TcpSocket;

use crate::client::{Answer, Client, server, stub, until};
use crate::model::{model, quick};

/// A platform with a model of its own that answers at once.
pub(crate) fn settings() -> Settings {
    Settings { server: server(), behaviour: quick(), ..Settings::default() }
}

/// Whoever asks a platform, logged in.
pub(crate) struct User {
    client: Client,
    fields: Vec<(&'static str, String)>,
    pub(crate) organisation: String,
}

impl User {
    pub(crate) async fn of(platform: &Handle) -> Self {
        let mut client = Client::to(platform).await;
        let form = b"username=stub&password=stub-password";
        let login = client.ask("POST", "/api/v1/auth/login", &[], form).await;
        let token = login.json()["access_token"].as_str().unwrap().to_owned();
        let bearer = ("authorization", format!("Bearer {token}"));
        let orgs = client.ask("GET", "/api/v1/orgs", &[("authorization", &bearer.1)], b"").await.json();
        let organisation = orgs["items"][0]["id"].as_str().unwrap().to_owned();
        Self { client, fields: vec![bearer, ("x-organization-id", organisation.clone())], organisation }
    }

    pub(crate) async fn ask(&mut self, method: &str, path: &str, more: &[(&str, &str)], body: &[u8]) -> Answer {
        let fields: Vec<(&str, &str)> = self.fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.client.ask(method, path, &[&fields, more].concat(), body).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"").await
    }

    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &[], body.to_string().as_bytes()).await
    }

    /// The id of the agent at a position.
    pub(crate) async fn agent(&mut self, position: usize) -> String {
        self.get("/api/v1/agents").await.json()["items"][position]["id"].as_str().unwrap().to_owned()
    }

    async fn run(&mut self, body: &Value) -> Answer {
        let agent = self.agent(0).await;
        self.post(&format!("/api/v1/agents/{agent}/run"), body).await
    }

    async fn search(&mut self, collection: &str, query: &str, limit: usize) -> Answer {
        let body = json!({"collection_name": collection, "query": query, "limit": limit});
        self.post("/api/v1/rag/search", &body).await
    }

    async fn ingest(&mut self, collection: &str, body: &str) -> Answer {
        let fields = [("content-type", "multipart/form-data; boundary=XX")];
        self.ask("POST", &format!("/api/v1/rag/collections/{collection}/ingest"), &fields, body.as_bytes()).await
    }
}

pub(crate) async fn metrics(stub: &Handle) -> String {
    String::from_utf8(Client::to(stub).await.get("/metrics").await.body).unwrap()
}

/// Waits until the metrics have a line.
pub(crate) async fn shown(stub: &Handle, line: &str) {
    until(async || metrics(stub).await.lines().any(|found| found == line)).await;
}

fn detail(answer: &Answer) -> String {
    answer.json()["detail"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn log_in_organisations_and_lists_are_those_of_the_small_target() {
    let (small, platform) = (stub(), start(&settings()).unwrap());
    let (mut on_small, mut on_platform) = (User::of(&small).await, User::of(&platform).await);
    assert_eq!(on_small.fields, on_platform.fields);
    for path in ["/api/v1/orgs", "/api/v1/runs?limit=3", "/api/v1/conversations"] {
        assert_eq!(on_small.get(path).await.json(), on_platform.get(path).await.json(), "{path}");
    }
    let (ours, theirs) = (on_small.get("/api/v1/agents").await.json(), on_platform.get("/api/v1/agents").await.json());
    for k in 0..20 {
        let (one, other) = (&ours["items"][k], &theirs["items"][k]);
        assert_eq!((&one["id"], &one["name"]), (&other["id"], &other["name"]));
        assert_eq!(other["status"], if k == 1 { "draft" } else { "published" });
    }
}

#[tokio::test]
async fn health_is_on_both_paths_and_needs_nobody() {
    let platform = start(&settings()).unwrap();
    let mut client = Client::to(&platform).await;
    for path in ["/health", "/api/v1/health"] {
        assert_eq!(client.get(path).await.json(), json!({"status": "ok"}));
    }
}

#[tokio::test]
async fn who_may_not_is_refused() {
    let platform = start(&settings()).unwrap();
    let mut user = User::of(&platform).await;
    let organisation = user.organisation.clone();
    let mut client = Client::to(&platform).await;
    let login = |form: &'static str| (form, "/api/v1/auth/login");
    for ((form, path), status) in [
        (login("username=stub&password=wrong"), 401),
        (login("username=other&password=stub-password"), 401),
        (login("username=stub"), 422),
        (login(""), 422),
    ] {
        assert_eq!(client.ask("POST", path, &[], form.as_bytes()).await.status, status, "{form}");
    }
    let wanted = [
        ("GET", "/api/v1/agents"),
        ("POST", "/api/v1/agents/x/run"),
        ("POST", "/api/v1/rag/search"),
        ("GET", "/api/v1/rag/collections"),
        ("GET", "/api/v1/rag/collections/handbook"),
        ("POST", "/api/v1/rag/collections/handbook/ingest"),
        ("GET", "/api/v1/webhooks/triggers"),
    ];
    let bearer = ("authorization", "Bearer stub-token");
    for (method, path) in wanted {
        let mut with = async |fields: &[(&str, &str)]| client.ask(method, path, fields, b"").await;
        let organisation = ("x-organization-id", organisation.as_str());
        let refused = with(&[organisation]).await;
        assert_eq!((refused.status, refused.field("www-authenticate")), (401, Some("Bearer")), "{path}");
        assert_eq!(detail(&refused), "Not authenticated");
        assert_eq!(with(&[("authorization", "Bearer wrong"), organisation]).await.status, 401, "{path}");
        let missing = with(&[bearer]).await;
        assert_eq!((missing.status, &missing.json()["detail"][0]["loc"][1]), (422, &json!("x-organization-id")));
        assert_eq!(with(&[bearer, ("x-organization-id", "other")]).await.status, 403, "{path}");
    }
    assert_eq!(client.get("/api/v1/nowhere").await.json(), json!({"detail": "Not Found"}));
    let answer = client.ask("PUT", "/api/v1/agents", &[], b"").await;
    assert_eq!((answer.status, answer.field("allow")), (405, Some("GET, HEAD")));
    for limit in ["0", "101", "x", ""] {
        assert_eq!(user.get(&format!("/api/v1/runs?limit={limit}")).await.status, 422, "{limit}");
    }
}

#[tokio::test]
async fn a_run_answers_what_the_model_says() {
    let platform = start(&settings()).unwrap();
    let mut user = User::of(&platform).await;
    for body in [json!({"input": "MARK one"}), json!({"message": "MARK two"})] {
        let answer = user.run(&body).await;
        let run = answer.json();
        assert_eq!(
            (answer.status, &run["status"], &run["agent_id"]),
            (200, &json!("completed"), &user.agent(0).await.into())
        );
        assert_eq!(run["output"].as_str().unwrap().split(' ').count(), 4);
        assert_eq!(run["id"].as_str().unwrap().len(), 36);
    }
    assert_eq!(user.get("/seen?text=MARK").await.json(), json!({"seen": 2}));
    for body in [json!({}), json!({"input": ""}), json!({"input": 3}), json!([])] {
        assert_eq!(user.run(&body).await.status, 422, "{body}");
    }
    let draft = user.agent(1).await;
    let input = json!({"input": "hi"});
    let refused = user.post(&format!("/api/v1/agents/{draft}/run"), &input).await;
    assert_eq!((refused.status, detail(&refused)), (409, "Agent is not published".to_owned()));
    assert_eq!(user.post("/api/v1/agents/other/run", &input).await.status, 404);
    shown(&platform, "stub_requests_total{path=\"/api/v1/agents/{id}/run\",status=\"200\"} 2").await;
    shown(&platform, "stub_platform_model_calls_total{outcome=\"ok\"} 2").await;
}

#[tokio::test]
async fn a_model_that_fails_is_told_apart_from_one_that_says_nothing_and_one_that_is_gone() {
    let run = async |settings: Settings| {
        let platform = start(&settings).unwrap();
        let answer = User::of(&platform).await.run(&json!({"input": "hi"})).await;
        shown(&platform, "stub_platform_pool_in_use 0").await;
        (answer.status, detail(&answer))
    };
    let failing = Settings { behaviour: Behaviour { error_rate: 1.0, ..quick() }, ..settings() };
    assert_eq!(run(failing).await, (502, "the model answered 500".to_owned()));
    let silent = Settings {
        behaviour: Behaviour { timeout_rate: 1.0, ..quick() },
        model_timeout: Duration::from_millis(30),
        ..settings()
    };
    assert_eq!(run(silent).await, (504, "the model did not answer within 0.03 s".to_owned()));
    // A port that is taken, so that nobody else gets it, and that nobody listens on.
    let taken = TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", taken.local_addr().unwrap());
    let (status, detail) = run(Settings { model_url: Some(url), ..settings() }).await;
    assert_eq!((status, detail.starts_with("the model cannot be reached: ")), (502, true), "{detail}");
}

#[tokio::test]
async fn another_model_is_called_and_the_platform_has_none_then() {
    let elsewhere = model(quick());
    let platform = start(&Settings { model_url: Some(format!("{}/v1/", elsewhere.url())), ..settings() }).unwrap();
    let mut user = User::of(&platform).await;
    assert_eq!(user.run(&json!({"input": "MARK"})).await.status, 200);
    assert_eq!(Client::to(&elsewhere).await.get("/seen?text=MARK").await.json(), json!({"seen": 1}));
    for path in ["/seen?text=MARK", "/v1/models"] {
        assert_eq!(user.get(path).await.json(), json!({"detail": "Not Found"}));
    }
    assert!(!metrics(&platform).await.contains("stub_model_tokens"));
}

#[tokio::test]
async fn connections_to_the_model_are_used_again() {
    let elsewhere = model(quick());
    let platform = start(&Settings { model_url: Some(elsewhere.url()), ..settings() }).unwrap();
    let mut user = User::of(&platform).await;
    for _ in 0..5 {
        assert_eq!(user.run(&json!({"input": "hi"})).await.status, 200);
    }
    assert_eq!(elsewhere.counters().await.unwrap().connections_accepted, 1);
}

#[tokio::test]
async fn a_run_keeps_one_connection_and_fails_without_a_second() {
    let pool = PoolSettings { size: 1, overflow: 0, timeout: Duration::from_millis(40) };
    let platform = start(&Settings { pool, ..settings() }).unwrap();
    let answer = User::of(&platform).await.run(&json!({"input": "hi"})).await;
    let text = "QueuePool limit of size 1 overflow 0 reached, connection timed out, timeout 0.04";
    assert_eq!((answer.status, detail(&answer)), (500, text.to_owned()));
    for line in [
        "stub_platform_pool_size 1",
        "stub_platform_pool_overflow 0",
        "stub_platform_pool_in_use 0",
        "stub_platform_pool_waiting 0",
        "stub_platform_pool_waits_total 1",
        "stub_platform_pool_timeouts_total 1",
        "stub_requests_total{path=\"/api/v1/agents/{id}/run\",status=\"500\"} 1",
    ] {
        shown(&platform, line).await;
    }
}

#[tokio::test]
async fn what_keeps_all_connections_blocks_everybody_else_until_it_leaves() {
    let behaviour = Behaviour { timeout_rate: 1.0, ..quick() };
    let pool = PoolSettings { size: 1, overflow: 1, timeout: Duration::from_millis(40) };
    let platform = start(&Settings { behaviour, pool, ..settings() }).unwrap();
    let mut users = [User::of(&platform).await, User::of(&platform).await, User::of(&platform).await];
    let path = format!("/api/v1/agents/{}/run", users[0].agent(0).await);
    for user in &mut users[..2] {
        let fields: Vec<(&str, &str)> = user.fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        user.client.request("POST", &path, &fields, b"{\"input\":\"hi\"}").await;
    }
    shown(&platform, "stub_platform_pool_in_use 2").await;
    assert_eq!(users[2].get("/api/v1/agents").await.status, 500);
    let [one, two, mut third] = users;
    drop((one, two));
    shown(&platform, "stub_platform_pool_in_use 0").await;
    assert_eq!(third.get("/api/v1/agents").await.status, 200);
    shown(&platform, "stub_platform_model_calls_total{outcome=\"dropped\"} 2").await;
}

#[tokio::test]
async fn a_search_gives_the_nearest_texts_first() {
    let platform = start(&settings()).unwrap();
    let mut user = User::of(&platform).await;
    let answer = user.search("handbook", "How can I reset my password?", 3).await.json();
    let results = answer["results"].as_array().unwrap();
    assert_eq!((results.len(), &results[0]["title"]), (3, &json!("Passwords")));
    let scores: Vec<f64> = results.iter().map(|result| result["score"].as_f64().unwrap()).collect();
    assert!(scores[0] > scores[1] && scores[1] >= scores[2], "{scores:?}");
    assert_eq!(user.search("empty", "anything", 3).await.json()["results"], json!([]));
    assert_eq!(user.get("/seen?text=reset+my+password").await.json(), json!({"seen": 1}));
    assert_eq!(user.search("other", "anything", 3).await.status, 404);
    assert_eq!(user.search("handbook", "anything", 51).await.status, 422);
    for body in
        [json!({"query": "q"}), json!({"collection_name": "handbook"}), json!({"collection_name": 3, "query": "q"})]
    {
        assert_eq!(user.post("/api/v1/rag/search", &body).await.status, 422, "{body}");
    }
    assert_eq!(user.ask("POST", "/api/v1/rag/search", &[], b"{").await.status, 422);
}

#[tokio::test]
async fn collections_tell_how_many_texts_they_have() {
    let platform = start(&Settings { collection: "rules & more".to_owned(), ..settings() }).unwrap();
    let mut user = User::of(&platform).await;
    let list = user.get("/api/v1/rag/collections").await.json();
    let expected = json!([{"name": "empty", "document_count": 0}, {"name": "rules & more", "document_count": 16}]);
    assert_eq!((&list["items"], &list["total"]), (&expected, &json!(2)));
    assert_eq!(user.get("/api/v1/rag/collections/rules%20%26%20more").await.json(), expected[1]);
    assert_eq!(user.get("/api/v1/rag/collections/handbook").await.status, 404);
}

#[tokio::test]
async fn what_is_ingested_is_found() {
    let platform = start(&settings()).unwrap();
    let mut user = User::of(&platform).await;
    let body = "--XX\r\ncontent-disposition: form-data; name=\"note\"\r\n\r\nignored\r\n\
                --XX\r\ncontent-disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\nPenguins swim.\r\n\
                --XX\r\ncontent-disposition: form-data; name=\"files\"; filename=\"b.txt\"\r\n\r\nOwls fly.\r\n--XX--\r\n";
    let answer = user.ingest("empty", body).await;
    let job = answer.json();
    assert_eq!((answer.status, &job["status"], &job["documents"]), (202, &json!("queued"), &json!(2)));
    assert_eq!(job["job_id"].as_str().unwrap().len(), 36);
    shown(&platform, "stub_platform_ingest_jobs_total{outcome=\"ok\"} 1").await;
    assert_eq!(user.get("/api/v1/rag/collections/empty").await.json()["document_count"], 2);
    let found = user.search("empty", "do penguins swim", 1).await.json();
    assert_eq!(
        (&found["results"][0]["title"], &found["results"][0]["content"]),
        (&json!("a.txt"), &json!("Penguins swim."))
    );
}

#[tokio::test]
async fn an_upload_that_is_none_is_refused() {
    let platform = start(&settings()).unwrap();
    let mut user = User::of(&platform).await;
    let part = |rest: &str| format!("--XX\r\ncontent-disposition: form-data; name=\"files\"{rest}");
    for body in [
        String::new(),
        "no multipart".to_owned(),
        "--XX--\r\n".to_owned(),
        part("\r\n\r\nno file\r\n--XX--\r\n"),
        part("; filename=\"a\"\r\n\r\n \r\n--XX--\r\n"),
        part("; filename=\"a\"\r\n\r\ncut off"),
        format!("{}--XX--\r\n", part("; filename=\"a\"\r\n\r\ntext\r\n").repeat(33)),
    ] {
        assert_eq!(user.ingest("handbook", &body).await.status, 422, "{body}");
    }
    let path = "/api/v1/rag/collections/handbook/ingest";
    assert_eq!(user.post(path, &json!({})).await.status, 422);
    assert_eq!(user.ingest("other", "").await.status, 404);
    assert_eq!(user.ask("POST", path, &[], &vec![b'x'; 8 * 1024 * 1024 + 1]).await.status, 413);
}

#[tokio::test]
async fn a_webhook_is_signed_and_a_body_that_came_before_is_a_duplicate() {
    let platform = start(&settings()).unwrap();
    let mut user = User::of(&platform).await;
    let triggers = user.get("/api/v1/webhooks/triggers").await.json();
    let (source, id) = (&triggers["items"][0]["source"], &triggers["items"][0]["id"]);
    let path = format!("/api/v1/webhooks/triggers/{}/{}", source.as_str().unwrap(), id.as_str().unwrap());
    let mut client = Client::to(&platform).await;
    let mut fire = async |path: &str, secret: &str, body: &str| {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap().chain_update(body);
        let digest = mac.finalize().into_bytes();
        let hex = digest.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        let answer = client.ask("POST", path, &[("x-signature-256", &format!("sha256={hex}"))], body.as_bytes()).await;
        (answer.status, answer.json()["status"].as_str().unwrap_or_default().to_owned())
    };
    for (body, status, said) in [
        ("{\"n\":1}", 202, "accepted"),
        ("{\"n\":2}", 202, "accepted"),
        ("{\"n\":1}", 200, "duplicate"),
        ("not JSON", 422, ""),
        ("", 422, ""),
    ] {
        assert_eq!(fire(&path, DEFAULT_SECRET, body).await, (status, said.to_owned()), "{body}");
    }
    assert_eq!(fire(&path, "other", "{\"n\":3}").await.0, 401);
    assert_eq!(fire(&path, DEFAULT_SECRET, "{\"n\":3}").await.0, 202);
    assert_eq!(fire("/api/v1/webhooks/triggers/github/other", DEFAULT_SECRET, "{}").await.0, 404);
    assert_eq!(client.ask("POST", &path, &[], b"{\"n\":4}").await.status, 401);
}

#[tokio::test]
async fn settings_that_cannot_be_honoured_are_told() {
    let pool = PoolSettings { size: 0, overflow: 0, ..PoolSettings::default() };
    let long = Duration::from_secs(601);
    for settings in [
        Settings { pool, ..settings() },
        Settings { model_timeout: long, ..settings() },
        Settings { model_url: Some("https://model".to_owned()), ..settings() },
        Settings { behaviour: Behaviour { tokens: 0, ..quick() }, ..settings() },
    ] {
        assert!(matches!(bind(&settings), Err(StartError::Setting(_))));
    }
}
