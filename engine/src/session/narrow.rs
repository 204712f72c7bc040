//! A server's listener while the streams of a small window come in.
//!
//! A window is offered with the handshake, so a buffer that is set after it comes too late: the sender then waits for
//! half of the 64 KiB that it was once offered, which a small buffer never has (RFC 9293, 3.8.6.2.1), and sends a
//! segment each time its timer rings. iperf3 opens its listener anew with the buffer; ours has other tests to serve, so
//! it is narrowed for a moment, in which no other test's streams come in.

use crate::sock;
use socket2::Socket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, oneshot};
use tokio::time::timeout;

/// What Linux offers with a handshake at most, bytes. Larger buffers come in time when they are set afterwards.
const OFFERED: u32 = 64 * 1024;
/// Streams come within milliseconds. A client that takes longer does without; nobody else waits longer for it.
const TURN: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct Narrow {
    /// The server's own listener. `None`: it could not be duplicated, and stays as it is.
    listener: Option<Socket>,
    turns: Arc<RwLock<()>>,
    /// Connections may have inherited its buffers since.
    used: AtomicBool,
}

/// A test's right to have its streams come in. Ends when dropped, and in any case after [`TURN`].
#[derive(Debug)]
pub struct Turn {
    _over: oneshot::Sender<()>,
}

impl Narrow {
    pub fn new(listener: &TcpListener) -> Arc<Self> {
        let listener = socket2::SockRef::from(listener).try_clone().ok();
        Arc::new(Narrow {
            listener,
            turns: Arc::default(),
            used: AtomicBool::new(false),
        })
    }

    /// For the streams of a test with `window`. `None`: somebody else's turn lasts, and the test goes on without.
    pub async fn turn(self: &Arc<Self>, window: Option<u32>) -> Option<Turn> {
        let turns = self.turns.clone();
        let held = match window.filter(|bytes| *bytes < OFFERED) {
            None => Held::Shared(timeout(TURN, turns.read_owned()).await.ok()?),
            Some(bytes) => {
                let alone = timeout(TURN, turns.write_owned()).await.ok()?;
                Held::Alone(Narrowed::new(self.clone(), bytes)?, alone)
            }
        };
        let (over, ended) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let _ = timeout(TURN, ended).await;
            drop(held);
        });
        Some(Turn { _over: over })
    }

    /// A connection that asked for no window of its own, but may have inherited another test's.
    pub fn free(&self, socket: &Socket) {
        if self.used.load(Ordering::Relaxed) {
            // MPTCP and kernels before 5.14 do not know it: there the buffers stay as the listener's first ones.
            let _ = sock::free_buffers(socket);
        }
    }
}

/// What a turn keeps from others. The listener is itself again before they come (fields are dropped in their order).
#[expect(dead_code, reason = "held, and dropped")]
enum Held {
    Shared(OwnedRwLockReadGuard<()>),
    Alone(Narrowed, OwnedRwLockWriteGuard<()>),
}

/// The listener's buffers as they were, to be put back.
struct Narrowed {
    narrow: Arc<Narrow>,
    receive: usize,
    send: usize,
}

impl Narrowed {
    fn new(narrow: Arc<Narrow>, bytes: u32) -> Option<Self> {
        let listener = narrow.listener.as_ref()?;
        let receive = listener.recv_buffer_size().ok()?;
        let send = listener.send_buffer_size().ok()?;
        narrow.used.store(true, Ordering::Relaxed);
        let bytes = bytes as usize;
        // A refusal is the stream's own to tell: it asks for the same.
        let _ = listener.set_recv_buffer_size(bytes);
        let _ = listener.set_send_buffer_size(bytes);
        Some(Narrowed {
            narrow,
            receive,
            send,
        })
    }
}

impl Drop for Narrowed {
    fn drop(&mut self) {
        if let Some(listener) = &self.narrow.listener {
            // The kernel doubles what it is told.
            let _ = listener.set_recv_buffer_size(self.receive / 2);
            let _ = listener.set_send_buffer_size(self.send / 2);
            self.narrow.free(listener);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{SocketAddr, TcpStream};

    struct Server {
        listener: TcpListener,
        at: SocketAddr,
        narrow: Arc<Narrow>,
    }

    fn server() -> Server {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let at = listener.local_addr().unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let narrow = Narrow::new(&listener);
        Server {
            listener,
            at,
            narrow,
        }
    }

    impl Server {
        async fn inherited(&self) -> usize {
            let _client = TcpStream::connect(self.at).unwrap();
            let (stream, _) = self.listener.accept().await.unwrap();
            let socket = socket2::SockRef::from(&stream);
            socket.recv_buffer_size().unwrap()
        }
    }

    #[tokio::test]
    async fn report_067_a_small_window_is_there_at_the_handshake_and_gone_after_its_test() {
        let server = server();
        let usual = server.inherited().await;
        let turn = server.narrow.turn(Some(4096)).await.unwrap();
        assert_eq!(server.inherited().await, 8192, "doubled by the kernel");
        drop(turn);
        // The next test waits until the listener is itself again.
        let _turn = server.narrow.turn(None).await.unwrap();
        assert_eq!(server.inherited().await, usual);
    }

    #[tokio::test]
    async fn large_windows_leave_the_listener_alone_and_hold_nobody_up() {
        let server = server();
        let usual = server.inherited().await;
        let _one = server.narrow.turn(Some(1 << 20)).await.unwrap();
        let _two = server.narrow.turn(None).await.unwrap();
        assert_eq!(server.inherited().await, usual);
    }

    #[tokio::test]
    async fn a_client_that_opens_no_streams_holds_the_others_up_for_its_turn_only() {
        let server = server();
        let begun = std::time::Instant::now();
        let _silent = server.narrow.turn(Some(4096)).await.unwrap();
        let _next = server.narrow.turn(None).await;
        assert!(begun.elapsed() < TURN * 3, "{:?}", begun.elapsed());
    }
}
