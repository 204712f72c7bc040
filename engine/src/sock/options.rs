//! Socket options: what the test asks for and what the kernel granted.

use socket2::{Domain, Socket, Type};
use std::io;

/// Options of one data socket (or of the listener that will give birth to it: window, MSS and congestion control
/// are inherited and must be there before the handshake).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SocketOptions {
    /// Asked send and receive buffer, bytes (`-w`).
    pub window: Option<u32>,
    /// Asked TCP maximum segment size (`-M`).
    pub mss: Option<u32>,
    pub no_delay: bool,
    /// Asked TCP congestion control (`-C`).
    pub congestion: Option<String>,
    /// IPv4 TOS or IPv6 traffic class byte; 0 leaves the default.
    pub tos: u8,
}

/// What the kernel says now. `None`: not known, or not a thing of this socket's kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Granted {
    /// Bytes, as getsockopt reports them: Linux doubles the request for its own bookkeeping.
    pub sndbuf: Option<u32>,
    pub rcvbuf: Option<u32>,
    pub mss: Option<u32>,
    pub congestion: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum SockError {
    #[error("cannot set the socket buffer to {bytes} bytes: {source}; ask for less with -w")]
    Window { bytes: u32, source: io::Error },
    #[error(
        "cannot set the TCP maximum segment size to {mss}: {source}; Linux accepts 88 to 32767"
    )]
    Mss { mss: u32, source: io::Error },
    #[error("cannot turn off Nagle's algorithm: {source}")]
    NoDelay { source: io::Error },
    #[error(
        "cannot use TCP congestion control {name:?}: {source}; the kernel lists its own in net.ipv4.tcp_available_congestion_control"
    )]
    Congestion { name: String, source: io::Error },
    #[error("cannot mark packets with TOS {tos:#04x}: {source}")]
    Tos { tos: u8, source: io::Error },
}

/// A UDP receive buffer when no window was asked. The default (208 KiB) overflows when a receiver is not scheduled
/// for 2 ms at 1 Gbit/s, and that would be shown as loss of the network. `rmem_max` clamps it silently.
const UDP_RECEIVE_BUFFER: usize = 4 << 20;

/// Sets the options; call it before connect or listen. A buffer that the kernel clamps is no error: compare
/// [`Granted`] with what was asked.
pub fn apply_options(socket: &Socket, options: &SocketOptions) -> Result<Granted, SockError> {
    let SocketOptions {
        window,
        mss,
        no_delay,
        congestion,
        tos,
    } = options;
    let udp = socket.r#type().is_ok_and(|kind| kind == Type::DGRAM);
    if let Some(bytes) = *window {
        let failed = |source| SockError::Window { bytes, source };
        socket
            .set_send_buffer_size(bytes as usize)
            .map_err(failed)?;
        socket
            .set_recv_buffer_size(bytes as usize)
            .map_err(failed)?;
    } else if udp {
        // Only a wish: the test runs with whatever is granted.
        let _ = socket.set_recv_buffer_size(UDP_RECEIVE_BUFFER);
    }
    if !udp {
        if let Some(mss) = *mss {
            socket
                .set_tcp_mss(mss)
                .map_err(|source| SockError::Mss { mss, source })?;
        }
        if *no_delay {
            socket
                .set_tcp_nodelay(true)
                .map_err(|source| SockError::NoDelay { source })?;
        }
        if let Some(name) = congestion {
            socket
                .set_tcp_congestion(name.as_bytes())
                .map_err(|source| SockError::Congestion {
                    name: name.clone(),
                    source,
                })?;
        }
    }
    if *tos != 0 {
        mark(socket, *tos).map_err(|source| SockError::Tos { tos: *tos, source })?;
    }
    Ok(granted(socket))
}

/// A dual-stack socket may carry IPv4, so it gets both marks (esnet/iperf#638); there the IPv4 one is best effort,
/// an IPv6-only socket may refuse it.
fn mark(socket: &Socket, tos: u8) -> io::Result<()> {
    if socket.domain()? == Domain::IPV6 {
        socket.set_tclass_v6(u32::from(tos))?;
        let _ = socket.set_tos_v4(u32::from(tos));
        return Ok(());
    }
    socket.set_tos_v4(u32::from(tos))
}

/// What is in force now; read it again once connected (the MSS is settled by the handshake).
pub fn granted(socket: &Socket) -> Granted {
    let size = |read: io::Result<usize>| read.ok().and_then(|bytes| u32::try_from(bytes).ok());
    Granted {
        sndbuf: size(socket.send_buffer_size()),
        rcvbuf: size(socket.recv_buffer_size()),
        mss: socket.tcp_mss().ok().filter(|mss| *mss > 0),
        congestion: socket.tcp_congestion().ok().and_then(|name| {
            let text: Vec<u8> = name.into_iter().take_while(|byte| *byte != 0).collect();
            String::from_utf8(text).ok().filter(|text| !text.is_empty())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp() -> Socket {
        Socket::new(Domain::IPV4, Type::STREAM, None).unwrap()
    }

    #[test]
    fn window_no_delay_and_tos_are_really_in_force() {
        let socket = tcp();
        let options = SocketOptions {
            window: Some(65536),
            no_delay: true,
            tos: 0xb8,
            ..SocketOptions::default()
        };
        let granted = apply_options(&socket, &options).unwrap();
        assert_eq!(granted.sndbuf, Some(131_072), "Linux doubles the request");
        assert_eq!(granted.rcvbuf, Some(131_072));
        assert!(socket.tcp_nodelay().unwrap());
        assert_eq!(socket.tos_v4().unwrap(), 0xb8);
        assert!(granted.congestion.is_some());
    }

    #[test]
    fn a_dual_stack_socket_marks_both_families() {
        let Ok(socket) = Socket::new(Domain::IPV6, Type::DGRAM, None) else {
            panic!("this machine has no IPv6 sockets");
        };
        apply_options(
            &socket,
            &SocketOptions {
                tos: 72,
                ..SocketOptions::default()
            },
        )
        .unwrap();
        assert_eq!(
            (socket.tclass_v6().unwrap(), socket.tos_v4().unwrap()),
            (72, 72)
        );
    }

    #[test]
    fn an_unknown_congestion_control_is_named() {
        let options = SocketOptions {
            congestion: Some("nonsense".into()),
            ..SocketOptions::default()
        };
        let error = apply_options(&tcp(), &options).unwrap_err().to_string();
        assert!(error.contains("\"nonsense\""), "{error}");
    }

    #[test]
    fn an_mss_that_linux_refuses_says_the_range() {
        let options = SocketOptions {
            mss: Some(64),
            ..SocketOptions::default()
        };
        let error = apply_options(&tcp(), &options).unwrap_err().to_string();
        assert!(error.contains("64") && error.contains("32767"), "{error}");
    }

    #[test]
    fn udp_has_buffers_and_no_mss() {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
        let granted = apply_options(
            &socket,
            &SocketOptions {
                mss: Some(1200),
                ..Default::default()
            },
        )
        .unwrap();
        assert!(granted.rcvbuf.is_some());
        assert_eq!((granted.mss, granted.congestion), (None, None));
    }
}
