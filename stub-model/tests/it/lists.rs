//! What `api_read` reads.

use stub_model::small::{Handle, Settings, start};

use crate::client::{Client, stub};

const LOGIN: &str = "/api/v1/auth/login";
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

async fn organisation(client: &mut Client) -> String {
    let answer = client.ask("GET", "/api/v1/orgs", &[("authorization", "Bearer stub-token")], b"").await;
    answer.json()["items"][0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_client_logs_in_and_reads_all_lists() {
    let stub = start(&Settings { token: "t0p".to_owned(), ..Settings::default() }).unwrap();
    let mut client = Client::to(&stub).await;
    let answer = client.ask("POST", LOGIN, &[FORM], b"username=stub&password=stub%2Dpassword").await;
    assert_eq!((answer.status, answer.json()["access_token"].as_str()), (200, Some("t0p")));
    let authorization = ("Authorization", "Bearer t0p");
    let orgs = client.ask("GET", "/api/v1/orgs", &[authorization], b"").await.json();
    for item in orgs["items"].as_array().unwrap() {
        let organisation = ("X-Organization-Id", item["id"].as_str().unwrap());
        for list in ["agents", "runs", "conversations"] {
            for (query, count) in [("", 20), ("?limit=1", 1), ("?limit=100", 100)] {
                let path = format!("/api/v1/{list}{query}");
                let answer = client.ask("GET", &path, &[authorization, organisation], b"").await;
                assert_eq!(answer.status, 200, "{path}");
                let page = answer.json();
                assert_eq!(page["items"].as_array().unwrap().len(), count, "{path}");
                assert!(page["total"].as_u64().unwrap() >= 100);
            }
        }
    }
}

#[tokio::test]
async fn agents_are_published_and_have_different_ids_and_names() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    let organisation = organisation(&mut client).await;
    let fields = [("authorization", "bearer stub-token"), ("x-organization-id", organisation.as_str())];
    let page = client.ask("GET", "/api/v1/agents?limit=100", &fields, b"").await.json();
    let agents = page["items"].as_array().unwrap();
    assert!(agents.iter().all(|agent| agent["status"] == "published"));
    for key in ["id", "name"] {
        let values: std::collections::HashSet<&str> = agents.iter().map(|agent| agent[key].as_str().unwrap()).collect();
        assert_eq!(values.len(), 100);
    }
}

#[tokio::test]
async fn runs_name_agents_of_their_organisation() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    let organisation = organisation(&mut client).await;
    let fields = [("authorization", "Bearer stub-token"), ("x-organization-id", organisation.as_str())];
    let agents = client.ask("GET", "/api/v1/agents?limit=100", &fields, b"").await.json();
    let runs = client.ask("GET", "/api/v1/runs?limit=100", &fields, b"").await.json();
    let ids: Vec<&serde_json::Value> = agents["items"].as_array().unwrap().iter().map(|agent| &agent["id"]).collect();
    assert!(runs["items"].as_array().unwrap().iter().all(|run| ids.contains(&&run["agent_id"])));
}

#[tokio::test]
async fn the_seed_decides_the_lists() {
    async fn ids(seed: u64) -> Vec<u8> {
        let stub: Handle = start(&Settings { seed, ..Settings::default() }).unwrap();
        let mut client = Client::to(&stub).await;
        let organisation = organisation(&mut client).await;
        let fields = [("authorization", "Bearer stub-token"), ("x-organization-id", organisation.as_str())];
        client.ask("GET", "/api/v1/agents", &fields, b"").await.body
    }
    assert_eq!(ids(7).await, ids(7).await);
    assert_ne!(ids(7).await, ids(8).await);
}

#[tokio::test]
async fn what_lacks_a_credential_is_refused() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    for (form, status) in [
        ("username=stub&password=wrong", 401),
        ("username=other&password=stub-password", 401),
        ("username=stub", 422),
        ("password=stub-password", 422),
        ("{\"username\":\"stub\"}", 422),
        ("", 422),
    ] {
        assert_eq!(client.ask("POST", LOGIN, &[FORM], form.as_bytes()).await.status, status, "{form}");
    }
    for path in ["/api/v1/orgs", "/api/v1/agents", "/api/v1/runs", "/api/v1/conversations"] {
        for value in ["", "Bearer wrong", "Basic stub-token", "stub-token"] {
            let answer = client.ask("GET", path, &[("authorization", value)], b"").await;
            assert_eq!((answer.status, answer.error_code().as_str()), (401, "unauthorized"), "{path} {value}");
            assert_eq!(answer.field("www-authenticate"), Some("Bearer"));
        }
        assert_eq!(client.get(path).await.status, 401, "{path}");
    }
    let bearer = ("authorization", "Bearer stub-token");
    let answer = client.ask("GET", "/api/v1/agents", &[bearer], b"").await;
    assert_eq!((answer.status, answer.error_code().as_str()), (400, "organization_missing"));
    let answer = client.ask("GET", "/api/v1/agents", &[bearer, ("x-organization-id", "none")], b"").await;
    assert_eq!((answer.status, answer.error_code().as_str()), (403, "organization_unknown"));
}

#[tokio::test]
async fn a_limit_out_of_range_is_400_and_a_list_takes_a_shape() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    let organisation = organisation(&mut client).await;
    let fields = [("authorization", "Bearer stub-token"), ("x-organization-id", organisation.as_str())];
    for limit in ["0", "101", "x", ""] {
        let answer = client.ask("GET", &format!("/api/v1/agents?limit={limit}"), &fields, b"").await;
        assert_eq!((answer.status, answer.json()["error"]["parameter"].as_str()), (400, Some("limit")));
    }
    assert_eq!(client.ask("GET", "/api/v1/agents?status=503", &fields, b"").await.status, 503);
}
