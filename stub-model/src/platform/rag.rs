//! Searching collections and adding to them.

use std::rc::Rc;

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderMap};
use serde_json::json;

use crate::draw::id;
use crate::web::Reply;

use super::collections::{Collection, Document, described};
use super::handler::Platform;
use super::{access, refusal};

/// Results of a search unless the body says otherwise.
const DEFAULT_LIMIT: u64 = 5;

/// Most results of a search.
const MAX_LIMIT: u64 = 50;

/// Most files of one upload.
const MAX_FILES: usize = 32;

/// Most jobs at a time.
const MAX_JOBS: usize = 1_024;

/// Keeps the ids of jobs and of documents apart from all others.
const JOBS: u64 = 5_000;
const DOCUMENTS: u64 = 5_001;

/// `POST /api/v1/rag/search`.
pub(super) async fn search(platform: &Platform, fields: &HeaderMap, body: &[u8]) -> Result<Reply, Reply> {
    access::organisation(&platform.directory, fields)?;
    let object = refusal::object(body)?;
    let name = refusal::text(&object, "collection_name")?;
    let name = name.ok_or_else(|| refusal::missing(&["body", "collection_name"]))?;
    let query = refusal::text(&object, "query")?.ok_or_else(|| refusal::missing(&["body", "query"]))?;
    let limit = match object.get("limit").filter(|limit| !limit.is_null()) {
        None => DEFAULT_LIMIT,
        Some(limit) => limit.as_u64().filter(|limit| (1..=MAX_LIMIT).contains(limit)).ok_or_else(|| {
            let text = format!("Input should be a whole number from 1 to {MAX_LIMIT}");
            refusal::unprocessable("int_range", &["body", "limit"], &text)
        })?,
    };
    let collection = find(platform, name)?;
    let query_vector = platform.model.embed(&[query.to_owned()]).await?.pop().unwrap_or_default();
    ready(platform, &collection).await?;
    platform.pool.briefly(platform.holds.read).await?;
    let results = collection.nearest(&query_vector, usize::try_from(limit).unwrap_or(usize::MAX));
    let body = json!({"collection_name": name, "query": query, "results": results, "total": results.len()});
    Ok(Reply::json(StatusCode::OK, body.to_string()))
}

/// `GET /api/v1/rag/collections`.
pub(super) async fn list(platform: &Platform, fields: &HeaderMap) -> Result<Reply, Reply> {
    access::organisation(&platform.directory, fields)?;
    platform.pool.briefly(platform.holds.read).await?;
    Ok(Reply::json(StatusCode::OK, platform.collections.list().to_string()))
}

/// `GET /api/v1/rag/collections/{name}`.
pub(super) async fn one(platform: &Platform, fields: &HeaderMap, name: &str) -> Result<Reply, Reply> {
    access::organisation(&platform.directory, fields)?;
    let collection = find(platform, name)?;
    platform.pool.briefly(platform.holds.read).await?;
    Ok(Reply::json(StatusCode::OK, described(name, &collection).to_string()))
}

/// `POST /api/v1/rag/collections/{name}/ingest`: takes the files and embeds them after the answer.
pub(super) async fn ingest(
    platform: &Rc<Platform>,
    fields: &HeaderMap,
    name: &str,
    body: Bytes,
) -> Result<Reply, Reply> {
    access::organisation(&platform.directory, fields)?;
    let collection = find(platform, name)?;
    let files = files(fields, body).await?;
    if platform.jobs.get() >= MAX_JOBS {
        return Err(refusal::detail(StatusCode::SERVICE_UNAVAILABLE, "Too many ingest jobs are running"));
    }
    platform.pool.briefly(platform.holds.write).await?;
    let job_id = id(platform.seed, JOBS, platform.next_number());
    let answer = json!({"job_id": job_id, "status": "queued", "collection_name": name, "documents": files.len()});
    platform.jobs.set(platform.jobs.get() + 1);
    let platform = Rc::clone(platform);
    // Ends with the server at the latest: its runtime ends with it.
    tokio::task::spawn_local(async move {
        let added = add(&platform, &collection, files).await;
        platform.metrics.job_ended(if added.is_ok() { "ok" } else { "failed" });
        platform.jobs.set(platform.jobs.get() - 1);
    });
    Ok(Reply::json(StatusCode::ACCEPTED, answer.to_string()))
}

/// Embeds texts at the model and adds them.
async fn add(platform: &Platform, collection: &Collection, files: Vec<File>) -> Result<(), Reply> {
    let texts: Vec<String> = files.iter().map(|file| file.text.clone()).collect();
    let vectors = platform.model.embed(&texts).await?;
    platform.pool.briefly(platform.holds.write).await?;
    let documents = files.into_iter().zip(vectors).map(|(file, vector)| {
        let id = id(platform.seed, DOCUMENTS, platform.next_number());
        Document::new(id, file.name, &file.text, vector)
    });
    collection.add(documents.collect());
    Ok(())
}

/// Has the texts that a collection began with embedded, once.
async fn ready(platform: &Platform, collection: &Collection) -> Result<(), Reply> {
    let texts = collection.first_texts();
    if texts.is_empty() {
        return Ok(());
    }
    let embed = async || Ok::<_, Reply>(platform.model.embed(&texts).await?.into_iter().map(Rc::from).collect());
    collection.first_vectors.get_or_try_init(embed).await.map(|_| ())
}

fn find(platform: &Platform, name: &str) -> Result<Rc<Collection>, Reply> {
    platform.collections.get(name).ok_or_else(|| refusal::not_found("Collection not found"))
}

/// A file that was uploaded.
#[derive(Debug, PartialEq, Eq)]
struct File {
    name: String,
    text: String,
}

/// The files of a multipart body; other parts are ignored. 422 where there are none, or it is not such a body.
async fn files(fields: &HeaderMap, body: Bytes) -> Result<Vec<File>, Reply> {
    let wrong = |text: &str| refusal::unprocessable("multipart", &["body"], text);
    let content_type = fields.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary = multer::parse_boundary(content_type).map_err(|error| wrong(&error.to_string()))?;
    let whole = futures_util::stream::iter([Ok::<_, std::convert::Infallible>(body)]);
    let mut parts = multer::Multipart::new(whole, boundary);
    let mut files = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(|error| wrong(&error.to_string()))? {
        let Some(name) = part.file_name().map(str::to_owned) else { continue };
        let bytes = part.bytes().await.map_err(|error| wrong(&error.to_string()))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if text.trim().is_empty() {
            return Err(wrong("A file is empty"));
        }
        files.push(File { name, text });
        if files.len() > MAX_FILES {
            return Err(wrong(&format!("There may be {MAX_FILES} files at most")));
        }
    }
    if files.is_empty() { Err(refusal::missing(&["body", "files"])) } else { Ok(files) }
}
