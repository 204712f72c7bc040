//! A small cluster for tests: an API server that keeps runs and pods and takes its time to answer, and kubelets
//! that start and end the pods. It notes where two runs meet on a node.

use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use kube::{Client, client::Body};
use nettest_api::{NetTestRun, labels};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use tokio::time::Instant;

/// From a request's arrival to its effect, and from a read to its answer: time for others to come between.
const LATENCY: Duration = Duration::from_millis(10);
const START: Duration = Duration::from_secs(1);
const MEASURE: Duration = Duration::from_secs(3);
const TERMINATE: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Cluster(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    runs: BTreeMap<String, Value>,
    pods: BTreeMap<String, Pod>,
    /// Of the last write; makes UIDs, too.
    version: u64,
    /// The first pod takes effect after this, when its maker has long given up.
    late: Option<Duration>,
    /// Pods that came to a node that a pod of their role of another run used.
    met: Vec<String>,
    /// Ends that were written, by run; and those that were taken back.
    ends: Vec<String>,
    undone: Vec<String>,
}

struct Pod {
    object: Value,
    since: Instant,
    deleted: Option<Instant>,
}

impl Cluster {
    /// Two nodes, and runs named r0, r1, … that all want both.
    pub fn with_runs(count: usize) -> Cluster {
        let mut state = State::default();
        for number in 0..count {
            let name = format!("r{number}");
            let run = json!({
                "apiVersion": "nettest.dev/v1alpha1", "kind": "NetTestRun",
                "metadata": {"name": name, "namespace": "default", "uid": format!("run-{number}"), "generation": 1,
                    "resourceVersion": "0", "creationTimestamp": "2026-11-30T16:00:00Z"},
                "spec": {"test": {"repeats": {"count": 1}}},
            });
            state.runs.insert(name, run);
        }
        Cluster(Arc::new(Mutex::new(state)))
    }

    /// The first pod's create takes effect after this.
    pub fn late(self, by: Duration) -> Cluster {
        self.state().late = Some(by);
        self
    }

    pub fn names(&self) -> Vec<String> {
        self.state().runs.keys().cloned().collect()
    }

    pub fn run(&self, name: &str) -> NetTestRun {
        serde_json::from_value(self.state().runs[name].clone()).expect("a run")
    }

    /// Pods that came to a node while one of the same role, of another run, used it.
    pub fn met(&self, role: &str) -> Vec<String> {
        let state = self.state();
        let of_role = |line: &&String| line.contains(&format!("-{role}-"));
        state.met.iter().filter(of_role).cloned().collect()
    }

    /// Runs in the order in which they ended; one that ended twice is here twice.
    pub fn ends(&self) -> Vec<String> {
        self.state().ends.clone()
    }

    /// Runs whose end was overwritten.
    pub fn undone(&self) -> Vec<String> {
        self.state().undone.clone()
    }

    pub fn has_pods(&self, run: &str) -> bool {
        let uid = self.run(run).metadata.uid;
        let mut state = self.state();
        state.remove_terminated();
        let mut pods = state.pods.values();
        pods.any(|pod| label(&pod.object, labels::RUN_UID) == uid.as_deref())
    }

    pub fn client(&self) -> Client {
        let (service, mut handle) = tower_test::mock::pair::<Request<Body>, Response<Body>>();
        let cluster = self.clone();
        tokio::spawn(async move {
            while let Some((request, send)) = handle.next_request().await {
                let cluster = cluster.clone();
                tokio::spawn(async move {
                    let (head, body) = request.into_parts();
                    let bytes = body.collect().await.expect("a body").to_bytes();
                    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
                    let (code, answer) = cluster.answer(&head.method, &head.uri, body).await;
                    tokio::time::sleep(LATENCY).await;
                    let response = Response::builder().status(code);
                    let text = answer.to_string().into_bytes();
                    send.send_response(response.body(Body::from(text)).expect("a response"));
                });
            }
        });
        Client::new(service, "default")
    }

    async fn answer(&self, method: &Method, uri: &http::Uri, body: Value) -> (StatusCode, Value) {
        let path: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
        match (method.as_str(), path.as_slice()) {
            ("GET", [.., "nodes"]) => found(list(["node1", "node2"].map(node).to_vec())),
            ("GET", ["api", "v1", "pods"]) => {
                // With a resourceVersion, the answer may be older than our own writes.
                let query = uri.query().unwrap_or_default();
                assert!(!query.contains("resourceVersion"), "a stale list: {query}");
                found(list(self.state().pods()))
            }
            ("GET", [.., "pods", name]) => self.state().pod(name).map_or_else(missing, found),
            ("GET", [.., "pods", _, "log"]) => found(Value::Null),
            ("POST", [.., "pods"]) => {
                let late = self.state().late.take();
                tokio::time::sleep(late.unwrap_or(LATENCY)).await;
                self.state().create(body)
            }
            ("DELETE", [.., "pods", name]) => {
                tokio::time::sleep(LATENCY).await;
                self.state().delete(name, &body["preconditions"]["uid"])
            }
            ("GET", [.., "nettestruns", name]) => {
                let run = self.state().runs.get(*name).cloned();
                run.map_or_else(missing, found)
            }
            ("PATCH", [.., "nettestruns", name, "status"]) => {
                tokio::time::sleep(LATENCY).await;
                self.state().write_status(name, &body)
            }
            ("POST", [.., "events"]) => (StatusCode::CREATED, body),
            ("PATCH", [.., "events", _]) => found(body),
            _ => panic!("nobody should ask {method} {uri}"),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test failed in here")
    }
}

impl State {
    fn remove_terminated(&mut self) {
        self.pods
            .retain(|_, pod| pod.deleted.is_none_or(|at| at.elapsed() < TERMINATE));
    }

    fn pods(&mut self) -> Vec<Value> {
        self.remove_terminated();
        self.pods.values().map(Pod::shown).collect()
    }

    fn pod(&mut self, name: &str) -> Option<Value> {
        self.remove_terminated();
        self.pods.get(name).map(Pod::shown)
    }

    fn create(&mut self, mut object: Value) -> (StatusCode, Value) {
        self.remove_terminated();
        let name = object["metadata"]["name"]
            .as_str()
            .expect("a name")
            .to_owned();
        if self.pods.contains_key(&name) {
            return refused(StatusCode::CONFLICT, "AlreadyExists");
        }
        self.version += 1;
        object["metadata"]["uid"] = json!(format!("pod-{}", self.version));
        object["metadata"]["creationTimestamp"] = json!(jiff::Timestamp::now());
        let on_one_node = |pod: &&Pod| {
            let same = |key| label(&pod.object, key) == label(&object, key);
            !pod.ended() && same(labels::ROLE) && !same(labels::RUN_UID)
        };
        for other in self.pods.values().filter(on_one_node) {
            self.met.push(format!(
                "{name} beside {}",
                other.object["metadata"]["name"]
            ));
        }
        let pod = Pod {
            object: object.clone(),
            since: Instant::now(),
            deleted: None,
        };
        self.pods.insert(name, pod);
        (StatusCode::CREATED, object)
    }

    fn delete(&mut self, name: &str, uid: &Value) -> (StatusCode, Value) {
        match self.pods.get_mut(name) {
            None => missing(),
            Some(pod) if pod.object["metadata"]["uid"] != *uid => {
                refused(StatusCode::CONFLICT, "Conflict")
            }
            Some(pod) => {
                pod.deleted.get_or_insert_with(Instant::now);
                found(pod.shown())
            }
        }
    }

    fn write_status(&mut self, name: &str, patch: &Value) -> (StatusCode, Value) {
        self.version += 1;
        let run = self.runs.get_mut(name).expect("runs are not deleted");
        let written = &patch["metadata"]["resourceVersion"];
        if !written.is_null() && *written != run["metadata"]["resourceVersion"] {
            return refused(StatusCode::CONFLICT, "Conflict");
        }
        if !run["status"]["verdict"].is_null() {
            self.undone.push(name.to_owned());
        }
        if !patch["status"]["verdict"].is_null() {
            self.ends.push(name.to_owned());
        }
        run["status"] = patch["status"].clone();
        run["metadata"]["resourceVersion"] = json!(self.version.to_string());
        found(run.clone())
    }
}

impl Pod {
    fn is_client(&self) -> bool {
        label(&self.object, labels::ROLE) == Some("client")
    }

    fn ended(&self) -> bool {
        self.is_client() && self.since.elapsed() >= START + MEASURE
    }

    /// As the API server shows it by now.
    fn shown(&self) -> Value {
        let state = if self.since.elapsed() < START {
            json!({"waiting": {}})
        } else if self.ended() {
            json!({"terminated": {"exitCode": 0, "message": self.digest().to_string()}})
        } else {
            json!({"running": {}})
        };
        let mut object = self.object.clone();
        object["status"] = json!({
            "phase": if self.ended() { "Succeeded" } else { "Running" },
            "podIP": "10.244.2.5", "hostIP": "172.31.0.12",
            "conditions": [{"type": "PodScheduled", "status": "True"}],
            "containerStatuses": [{"name": "engine", "image": "i", "imageID": "i", "restartCount": 0,
                "ready": true, "started": state.get("running").is_some(), "state": state}],
        });
        if self.deleted.is_some() {
            object["metadata"]["deletionTimestamp"] = json!(jiff::Timestamp::now());
        }
        object
    }

    fn digest(&self) -> Value {
        let attempt = label(&self.object, labels::ATTEMPT).expect("an attempt");
        json!({
            "version": 1, "run": label(&self.object, labels::RUN_UID), "outcome": "Complete",
            "attempt": attempt.parse::<u32>().expect("a number"),
            "figures": [{
                "variant": "tcp-p1", "flow": "ClientToServer",
                "sentBitsPerSecond": [8], "receivedBitsPerSecond": [8], "sentBytes": [1], "receivedBytes": [1],
            }],
        })
    }
}

fn label<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object["metadata"]["labels"][key].as_str()
}

fn node(name: &str) -> Value {
    json!({"metadata": {"name": name}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
}

fn list(items: Vec<Value>) -> Value {
    json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items})
}

fn found(object: Value) -> (StatusCode, Value) {
    (StatusCode::OK, object)
}

fn missing() -> (StatusCode, Value) {
    refused(StatusCode::NOT_FOUND, "NotFound")
}

fn refused(code: StatusCode, reason: &str) -> (StatusCode, Value) {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "code": code.as_u16(), "reason": reason, "message": reason,
    });
    (code, status)
}
