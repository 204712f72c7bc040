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

#[test]
fn a_rate_above_32_bits_is_kept_by_the_kernel() {
    for socket in [tcp(), Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap()] {
        assert_eq!(granted(&socket).fq_rate, None);
        let options = SocketOptions {
            fq_rate: Some(80_000_000_000),
            ..SocketOptions::default()
        };
        let granted = apply_options(&socket, &options).unwrap();
        assert_eq!(granted.fq_rate, Some(80_000_000_000));
    }
}

#[test]
fn a_datagram_above_the_mtu_is_refused_and_not_cut() {
    // Loopback takes 65536 bytes with all heads: such a datagram would be cut.
    for (local, most) in [("127.0.0.1:0", 65_507), ("[::1]:0", 65_487)] {
        let one = std::net::UdpSocket::bind(local).unwrap();
        one.connect(one.local_addr().unwrap()).unwrap();
        assert_eq!(one.send(&vec![0; 65_507]).unwrap(), 65_507);
        let options = SocketOptions {
            dont_fragment: true,
            ..SocketOptions::default()
        };
        let one = Socket::from(one);
        apply_options(&one, &options).unwrap();
        assert_eq!(one.send(&vec![0; most]).unwrap(), most);
        if most < 65_507 {
            let error = one.send(&vec![0; 65_507]).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(libc::EMSGSIZE));
        }
    }
}

#[test]
fn unacknowledged_data_is_given_up_after_the_asked_time() {
    let socket = tcp();
    let options = SocketOptions {
        send_timeout: Some(Duration::from_millis(1500)),
        ..SocketOptions::default()
    };
    apply_options(&socket, &options).unwrap();
    assert_eq!(
        socket.tcp_user_timeout().unwrap(),
        Some(Duration::from_millis(1500))
    );
}

/// What waits in sockets is the kernel's memory: many streams get less each, and none less than it needs.
#[test]
fn udp_receivers_share_what_they_may_have() {
    let received = |streams| {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
        let options = SocketOptions {
            streams,
            ..SocketOptions::default()
        };
        apply_options(&socket, &options).unwrap().rcvbuf.unwrap()
    };
    let (one, eight, many) = (received(1), received(8), received(1000));
    assert!(one >= eight && eight >= many, "{one} {eight} {many}");
    let plain = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
    let _ = plain.set_recv_buffer_size(4 << 20);
    let least = plain.recv_buffer_size().unwrap();
    assert!(many as usize >= least, "{many} below {least}");
    // As root, whatever rmem_max is.
    if one > 8 << 20 {
        assert_eq!((one, eight, many), (32 << 20, 16 << 20, 8 << 20));
    }
}
