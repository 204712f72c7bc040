//! A scripted API server for tests: the exact sequence of requests, each with its answer. Events are answered
//! and noted on the side.

use crate::{
    barrier::Barrier,
    controller::{
        backoff::Backoff,
        context::{Context, LOGS},
    },
    events::Events,
    ledgers::Ledgers,
    metrics::Metrics,
    scope::Scope,
};
use http::{Request, Response};
use http_body_util::BodyExt;
use kube::{Client, client::Body};
use nettest_core::{pod::EngineConfig, policy::Policy};
use serde_json::{Value, json};
use std::{
    future::Future,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::sync::Semaphore;

/// One request and its answer.
pub struct Expect {
    method: &'static str,
    /// The path ends so, before its query.
    path: &'static str,
    status: u16,
    answer: Answer,
}

enum Answer {
    Json(Value),
    Text(String),
    /// What was sent.
    Echo,
}

impl Expect {
    fn new(method: &'static str, path: &'static str, status: u16, answer: Answer) -> Expect {
        Expect {
            method,
            path,
            status,
            answer,
        }
    }

    pub fn get(path: &'static str, yaml: &str) -> Expect {
        let object = serde_yaml::from_str(yaml).expect("a manifest");
        Expect::new("GET", path, 200, Answer::Json(object))
    }

    pub fn list(path: &'static str, items: &[&str]) -> Expect {
        let items: Vec<Value> = items
            .iter()
            .map(|item| serde_yaml::from_str(item).expect("a manifest"))
            .collect();
        let list = json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items});
        Expect::new("GET", path, 200, Answer::Json(list))
    }

    pub fn text(path: &'static str, text: &str) -> Expect {
        Expect::new("GET", path, 200, Answer::Text(text.to_owned()))
    }

    pub fn post(path: &'static str) -> Expect {
        Expect::new("POST", path, 201, Answer::Echo)
    }

    pub fn patch(path: &'static str, yaml: &str) -> Expect {
        let object = serde_yaml::from_str(yaml).expect("a manifest");
        Expect::new("PATCH", path, 200, Answer::Json(object))
    }

    pub fn delete(path: &'static str) -> Expect {
        let done = json!({"kind": "Status", "apiVersion": "v1", "status": "Success"});
        Expect::new("DELETE", path, 200, Answer::Json(done))
    }

    pub fn refusal(
        method: &'static str,
        path: &'static str,
        code: u16,
        reason: &str,
        message: &str,
    ) -> Expect {
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure",
            "code": code, "reason": reason, "message": message,
        });
        Expect::new(method, path, code, Answer::Json(status))
    }
}

/// What was asked.
#[derive(Debug, Default)]
pub struct Asked {
    /// Method and path with query.
    pub lines: Vec<String>,
    /// Bodies; null where there was none.
    pub bodies: Vec<Value>,
    /// Reasons of the events.
    pub events: Vec<String>,
}

impl Asked {
    /// The body of the only request whose line starts so.
    pub fn body(&self, start: &str) -> &Value {
        let mut found = self
            .lines
            .iter()
            .zip(&self.bodies)
            .filter(|(line, _)| line.starts_with(start));
        let (_, body) = found
            .next()
            .unwrap_or_else(|| panic!("no {start} in {:#?}", self.lines));
        assert!(found.next().is_none(), "{start} twice in {:#?}", self.lines);
        body
    }
}

/// Run a pass against the script: every request must come, in this order, and no other.
pub async fn play<Pass, T>(
    script: Vec<Expect>,
    pass: impl FnOnce(Arc<Context>) -> Pass,
) -> (T, Asked)
where
    Pass: Future<Output = T>,
{
    let (service, mut handle) = tower_test::mock::pair::<Request<Body>, Response<Body>>();
    let client = Client::new(service, "default");
    let server = async move {
        let mut asked = Asked::default();
        let mut script = script.into_iter();
        while let Some((request, send)) = handle.next_request().await {
            let (head, body) = request.into_parts();
            let bytes = body.collect().await.expect("a body").to_bytes();
            let body: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
            if head.uri.path().starts_with("/apis/events.k8s.io/") {
                asked
                    .events
                    .push(body["reason"].as_str().unwrap_or_default().to_owned());
                send.send_response(answer(201, body.to_string()));
                continue;
            }
            let line = format!("{} {}", head.method, head.uri);
            let Some(expected) = script.next() else {
                panic!("asked past the script's end: {line}\n{body:#}");
            };
            assert!(
                head.method == expected.method && head.uri.path().ends_with(expected.path),
                "asked {line}, expected {} …{} after {:#?}",
                expected.method,
                expected.path,
                asked.lines
            );
            let text = match expected.answer {
                Answer::Json(value) => value.to_string(),
                Answer::Text(text) => text,
                Answer::Echo => body.to_string(),
            };
            asked.lines.push(line);
            asked.bodies.push(body);
            send.send_response(answer(expected.status, text));
        }
        let left: Vec<_> = script
            .map(|e| format!("{} …{}", e.method, e.path))
            .collect();
        assert!(
            left.is_empty(),
            "never asked: {left:?} after {:#?}",
            asked.lines
        );
        asked
    };
    let pass = async {
        let context = context(client);
        let outcome = pass(context.clone()).await;
        // The last client goes with it, which ends the server's loop.
        drop(context);
        outcome
    };
    let both = async { tokio::join!(pass, server) };
    tokio::time::timeout(Duration::from_secs(60), both)
        .await
        .expect("the scenario ends")
}

fn answer(status: u16, body: String) -> Response<Body> {
    Response::builder()
        .status(status)
        .body(Body::from(body.into_bytes()))
        .expect("a response")
}

pub fn context(client: Client) -> Arc<Context> {
    Arc::new(Context {
        scope: Scope::new(client.clone(), Vec::new()),
        policy: Policy::with_host_network("default"),
        engine: EngineConfig {
            image: "localhost/nettest:dev".into(),
            image_pull_policy: Some("IfNotPresent".into()),
            ..EngineConfig::default()
        },
        metrics: Arc::new(Metrics::new(false).expect("metrics")),
        events: Events::new(client, "test".into()),
        barrier: Barrier::default(),
        ledgers: Ledgers::default(),
        backoff: Backoff::default(),
        logs: Semaphore::new(LOGS),
        runs: OnceLock::new(),
    })
}
