//! An election against an API server that answers, is silent, or has another's lease.

use super::*;
use http::{Request, Response};
use http_body_util::BodyExt;
use kube::client::Body;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// The Lease, as the API server keeps it.
#[derive(Clone, Default)]
struct Leases(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    lease: Option<Value>,
    version: u64,
    silent: bool,
}

impl Leases {
    fn election(&self, identity: &str) -> Election {
        let (service, mut handle) = tower_test::mock::pair::<Request<Body>, Response<Body>>();
        let leases = self.clone();
        tokio::spawn(async move {
            while let Some((request, send)) = handle.next_request().await {
                let (head, body) = request.into_parts();
                let bytes = body.collect().await.unwrap().to_bytes();
                let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
                match leases.answer(head.method.as_str(), body) {
                    Some((code, answer)) => {
                        let body = Body::from(answer.to_string().into_bytes());
                        send.send_response(Response::builder().status(code).body(body).unwrap());
                    }
                    // Kept open, as by a machine that is gone.
                    None => drop(tokio::spawn(async move {
                        let _open = send;
                        std::future::pending::<()>().await;
                    })),
                }
            }
        });
        Election::new(Client::new(service, "default"), "default", identity.into())
    }

    fn answer(&self, method: &str, body: Value) -> Option<(u16, Value)> {
        let mut kept = self.0.lock().unwrap();
        if kept.silent {
            return None;
        }
        let version = |lease: &Value| lease["metadata"]["resourceVersion"].clone();
        let answer = match (method, &kept.lease) {
            ("GET", None) => status(404, "NotFound"),
            ("GET", Some(lease)) => (200, lease.clone()),
            ("PUT", Some(lease)) if version(lease) != version(&body) => status(409, "Conflict"),
            ("POST", Some(_)) => status(409, "AlreadyExists"),
            _ => {
                kept.version += 1;
                let mut lease = body;
                lease["metadata"]["resourceVersion"] = json!(kept.version.to_string());
                kept.lease = Some(lease.clone());
                (200, lease)
            }
        };
        Some(answer)
    }

    fn holder(&self) -> Value {
        self.0.lock().unwrap().lease.as_ref().unwrap()["spec"]["holderIdentity"].clone()
    }

    fn silence(&self, silent: bool) {
        self.0.lock().unwrap().silent = silent;
    }
}

fn status(code: u16, reason: &str) -> (u16, Value) {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": reason,
    });
    (code, status)
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_cannot_renew_stops_before_another_may_start() {
    let leases = Leases::default();
    let (old, new) = (leases.election("old"), leases.election("new"));
    old.won().await;
    let (_never, stop) = watch::channel(false);
    let started = Instant::now();
    // Cut off in the middle: the old one has 10 s from its last renewal, the new one waits for 15 s.
    let cut_off = async {
        tokio::time::sleep(Duration::from_secs(7)).await;
        leases.silence(true);
    };
    tokio::join!(old.keep(stop), cut_off);
    let stopped = started.elapsed();
    assert!(
        stopped >= Duration::from_secs(15) && stopped <= Duration::from_secs(17),
        "{stopped:?}"
    );
    leases.silence(false);
    new.won().await;
    assert_eq!(leases.holder(), "new");
}

#[tokio::test(start_paused = true)]
async fn the_lease_of_a_live_leader_is_not_taken() {
    let leases = Leases::default();
    let (leader, other) = (leases.election("leader"), leases.election("other"));
    leader.won().await;
    let (_never, stop) = watch::channel(false);
    tokio::select! {
        () = leader.keep(stop) => panic!("the leader has lost it"),
        () = other.won() => panic!("the other has taken it"),
        () = tokio::time::sleep(Duration::from_secs(120)) => {}
    }
    assert_eq!(leases.holder(), "leader");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_given_back_is_taken_at_once() {
    let leases = Leases::default();
    let (leader, other) = (leases.election("leader"), leases.election("other"));
    leader.won().await;
    let (stop, stopping) = watch::channel(false);
    stop.send_replace(true);
    leader.keep(stopping).await;
    let released = Instant::now();
    other.won().await;
    assert!(released.elapsed() < Duration::from_secs(1));
    assert_eq!(leases.holder(), "other");
}

#[tokio::test(start_paused = true)]
async fn a_leader_whose_lease_was_taken_stops_at_its_next_renewal() {
    let leases = Leases::default();
    let leader = leases.election("leader");
    leader.won().await;
    let taken = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mut kept = leases.0.lock().unwrap();
        kept.lease.as_mut().unwrap()["spec"]["holderIdentity"] = json!("thief");
    };
    let (_never, stop) = watch::channel(false);
    let started = Instant::now();
    tokio::join!(leader.keep(stop), taken);
    assert!(started.elapsed() <= RENEW_EVERY + Duration::from_secs(1));
    assert_eq!(leases.holder(), "thief");
}
