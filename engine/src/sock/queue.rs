//! What waits in a socket, and what a full socket threw away.

use socket2::Socket;
use std::os::fd::AsRawFd;

/// Bytes of a TCP connection that the peer has not acknowledged, sent or not (`SIOCOUTQ`). `None`: not known.
pub fn unacked(socket: &Socket) -> Option<u32> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: TIOCOUTQ (the same number as SIOCOUTQ) writes one int to the given address.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &mut bytes) };
    if result == 0 {
        u32::try_from(bytes).ok()
    } else {
        None
    }
}

/// Words of SO_MEMINFO (include/uapi/linux/sock_diag.h, Linux 4.12); SK_MEMINFO_DROPS is the last.
const MEMINFO_WORDS: usize = 9;
const MEMINFO_DROPS: usize = 8;

/// Datagrams that this socket dropped because its receive buffer was full, since it was made. `None`: not known.
pub fn socket_drops(socket: &Socket) -> Option<u64> {
    let mut words = [0u32; MEMINFO_WORDS];
    let mut length = size_of_val(&words) as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `words`, which lives through the call.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            words.as_mut_ptr().cast(),
            &mut length,
        )
    };
    let whole = result == 0 && length as usize >= size_of_val(&words);
    whole.then(|| u64::from(words[MEMINFO_DROPS]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::time::{Duration, Instant};

    #[test]
    fn unacked_goes_to_zero_when_the_peer_has_everything() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut peer, _) = listener.accept().unwrap();
        // More than any default buffer takes without a reader, so that something must wait.
        stream.set_nonblocking(true).unwrap();
        let chunk = vec![0; 1 << 20];
        let mut queued = 0;
        while let Ok(sent) = stream.write(&chunk) {
            queued += sent;
        }
        let socket = Socket::from(stream);
        assert!(unacked(&socket).unwrap() > 0);
        let mut sink = vec![0; 1 << 20];
        while queued > 0 {
            queued -= peer.read(&mut sink).unwrap();
        }
        let deadline = Instant::now() + Duration::from_secs(2);
        while unacked(&socket) != Some(0) {
            assert!(Instant::now() < deadline, "{:?}", unacked(&socket));
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn drops_of_a_full_udp_socket_are_counted() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        let socket = Socket::from(receiver.try_clone().unwrap());
        socket.set_recv_buffer_size(4096).unwrap();
        assert_eq!(socket_drops(&socket), Some(0));
        for _ in 0..100 {
            sender
                .send_to(&[0; 1000], receiver.local_addr().unwrap())
                .unwrap();
        }
        let mut kept = 0;
        receiver.set_nonblocking(true).unwrap();
        while receiver.recv(&mut [0; 2000]).is_ok() {
            kept += 1;
        }
        assert!(kept < 100);
        assert_eq!(socket_drops(&socket), Some(100 - kept));
    }
}
