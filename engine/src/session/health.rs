//! `GET /healthz` and `/readyz` on a port of their own: a probe there disturbs no test, and none a probe.

use super::background::Background;
use super::hub::Hub;
use super::{ServerConfig, SessionError, Stop, listen};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// Kubelets and a few curious people. With more the oldest is closed: whoever holds connections open in silence keeps
/// no probe out.
const CONNECTIONS: usize = 32;
/// From the connection to the last byte of the answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// hyper's smallest: no probe says more.
const LARGEST_HEADERS: usize = 8 * 1024;
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, Clone)]
struct Seen {
    hub: Arc<Hub>,
    stop: Stop,
}

/// Says whether the server lives and is free, until it is dropped. `None` where no port was asked for.
pub fn listen(
    cfg: &ServerConfig,
    hub: &Arc<Hub>,
    stop: &Stop,
) -> Result<Option<Background>, SessionError> {
    let Some(port) = cfg.health_port else {
        return Ok(None);
    };
    // Probes come from the node, whatever interface the tests use.
    let cfg = ServerConfig {
        port,
        bind_dev: None,
        ..cfg.clone()
    };
    let listener = listen::listen(&cfg)?;
    let seen = Seen {
        hub: hub.clone(),
        stop: stop.clone(),
    };
    Ok(Some(Background::start(serve(listener, seen))))
}

async fn serve(listener: TcpListener, seen: Seen) {
    let mut open: VecDeque<Background> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        open.retain(Background::is_running);
        if open.len() >= CONNECTIONS {
            open.pop_front();
        }
        let answered = tokio::time::timeout(PATIENCE, answer(stream, seen.clone()));
        open.push_back(Background::start(async { drop(answered.await) }));
    }
}

async fn answer(stream: TcpStream, seen: Seen) {
    let service = service_fn(|request: Request<Incoming>| {
        let (status, text) = decide(request.method(), request.uri().path(), &seen);
        let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
        *response.status_mut() = status;
        std::future::ready(Ok::<_, Infallible>(response))
    });
    // A peer that speaks no HTTP, or goes away, is nobody's error.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(LARGEST_HEADERS)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

fn decide(method: &Method, path: &str, seen: &Seen) -> (StatusCode, &'static str) {
    let stopping = seen.stop.cause().is_some();
    match path {
        "/healthz" | "/readyz" if !matches!(*method, Method::GET | Method::HEAD) => {
            (StatusCode::METHOD_NOT_ALLOWED, "ask with GET\n")
        }
        "/healthz" | "/readyz" if stopping => (StatusCode::SERVICE_UNAVAILABLE, "stopping\n"),
        "/healthz" => (StatusCode::OK, "ok\n"),
        "/readyz" if seen.hub.is_full() => (StatusCode::SERVICE_UNAVAILABLE, "busy\n"),
        "/readyz" => (StatusCode::OK, "ok\n"),
        _ => (StatusCode::NOT_FOUND, "there is /healthz and /readyz\n"),
    }
}
