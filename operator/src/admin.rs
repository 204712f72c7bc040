//! The admin server: /metrics, /healthz and /readyz. Three routes need no framework.

use crate::metrics::Metrics;
use http_body_util::Full;
use hyper::{
    Method, Request, Response, StatusCode, body::Bytes, header, server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{net::TcpListener, sync::Semaphore};

/// Scrapers and kubelets keep a few connections; more is somebody else's mistake.
const MAX_CONNECTIONS: usize = 64;
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// A connection ends after this, whatever it does.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(300);

/// Whether this replica can do its work.
#[derive(Debug, Clone, Default)]
pub struct Ready(Arc<AtomicBool>);

impl Ready {
    pub fn set(&self, ready: bool) {
        self.0.store(ready, Ordering::Release);
    }

    pub fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The listening admin server.
#[derive(Debug)]
pub struct Admin {
    listener: TcpListener,
    scrape: Scrape,
    ready: Ready,
}

/// What /metrics answers: made by one thread at a time, beside those that serve, since the text of thousands of pairs
/// takes a while and megabytes.
#[derive(Debug, Clone)]
struct Scrape {
    metrics: Arc<Metrics>,
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Scrape {
    fn of(metrics: Arc<Metrics>) -> Scrape {
        Scrape {
            metrics,
            turn: Arc::default(),
        }
    }

    async fn text(&self) -> anyhow::Result<String> {
        let turn = self.turn.clone().lock_owned().await;
        let metrics = self.metrics.clone();
        let text = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            metrics.render()
        });
        Ok(text.await??)
    }
}

impl Admin {
    pub async fn bind(
        address: SocketAddr,
        metrics: Arc<Metrics>,
        ready: Ready,
    ) -> Result<Admin, AdminError> {
        let listener = TcpListener::bind(address)
            .await
            .map_err(|error| AdminError::Bind { address, error })?;
        Ok(Admin {
            listener,
            scrape: Scrape::of(metrics),
            ready,
        })
    }

    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serve until dropped.
    pub async fn serve(self) {
        let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        loop {
            let Ok(slot) = slots.clone().acquire_owned().await else {
                return;
            };
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of descriptors, or the peer left before we came: neither ends the server.
                    tracing::warn!(%error, "admin server: cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let scrape = self.scrape.clone();
            let ready = self.ready.clone();
            tokio::spawn(async move {
                let _slot = slot;
                let service = service_fn(|request| {
                    let (scrape, ready) = (scrape.clone(), ready.clone());
                    async move { Ok::<_, Infallible>(answer(&request, &scrape, &ready).await) }
                });
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEADER_TIMEOUT)
                    .serve_connection(TokioIo::new(stream), service);
                let _ = tokio::time::timeout(CONNECTION_TIMEOUT, connection).await;
            });
        }
    }
}

async fn answer<B>(request: &Request<B>, scrape: &Scrape, ready: &Ready) -> Response<Full<Bytes>> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return text(StatusCode::METHOD_NOT_ALLOWED, "only GET\n");
    }
    match request.uri().path() {
        "/metrics" => match scrape.text().await {
            Ok(body) => reply(
                StatusCode::OK,
                "text/plain; version=0.0.4; charset=utf-8",
                body.into(),
            ),
            Err(error) => {
                tracing::error!(%error, "metrics cannot be rendered");
                text(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "metrics cannot be rendered\n",
                )
            }
        },
        // Alive is who answers: a stuck API server must not make the kubelet restart us.
        "/healthz" => text(StatusCode::OK, "ok\n"),
        "/readyz" if ready.get() => text(StatusCode::OK, "ok\n"),
        "/readyz" => text(
            StatusCode::SERVICE_UNAVAILABLE,
            "the API server has not answered yet, or the kinds are not installed\n",
        ),
        _ => text(
            StatusCode::NOT_FOUND,
            "there are /metrics, /healthz and /readyz\n",
        ),
    }
}

fn text(status: StatusCode, body: &'static str) -> Response<Full<Bytes>> {
    reply(
        status,
        "text/plain; charset=utf-8",
        Bytes::from_static(body.as_bytes()),
    )
}

fn reply(status: StatusCode, kind: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    response
}

#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    #[error("cannot listen on {address} for metrics and health (set --admin-address): {error}")]
    Bind {
        address: SocketAddr,
        #[source]
        error: std::io::Error,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    async fn get(path: &str, ready: bool) -> (u16, String) {
        let flag = Ready::default();
        flag.set(ready);
        let scrape = Scrape::of(Arc::new(Metrics::new(false).unwrap()));
        let request = Request::get(path).body(()).unwrap();
        let response = answer(&request, &scrape, &flag).await;
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn readiness_follows_the_flag_and_liveness_does_not() {
        assert_eq!(get("/healthz", false).await.0, 200);
        assert_eq!(get("/readyz", false).await.0, 503);
        assert_eq!(get("/readyz", true).await.0, 200);
        assert_eq!(get("/debug", true).await.0, 404);
        let (status, body) = get("/metrics", true).await;
        assert_eq!(status, 200);
        assert!(body.contains("nettest_build_info"), "{body}");
    }

    #[tokio::test]
    async fn a_silent_connection_does_not_hold_up_another() {
        let admin = Admin::bind(
            "127.0.0.1:0".parse().unwrap(),
            Arc::new(Metrics::new(false).unwrap()),
            Ready::default(),
        )
        .await
        .unwrap();
        let address = admin.address().unwrap();
        let server = tokio::spawn(admin.serve());
        let _silent = tokio::net::TcpStream::connect(address).await.unwrap();
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut answer = String::new();
        tokio::time::timeout(Duration::from_secs(5), stream.read_to_string(&mut answer))
            .await
            .expect("answered in time")
            .unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        server.abort();
    }
}
