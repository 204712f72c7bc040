//! Numbers that follow SERVER_ERROR, as iperf3 has them, and what they say.

pub const DURATION: i32 = 5;
pub const STREAMS: i32 = 6;
pub const BLOCK_SIZE: i32 = 7;
pub const WINDOW: i32 = 8;
pub const MSS: i32 = 10;
pub const OMIT: i32 = 12;
pub const UNIMPLEMENTED: i32 = 13;
pub const BURST: i32 = 15;
pub const FILE: i32 = 14;
pub const END_CONDITIONS: i32 = 16;
pub const NO_SCTP: i32 = 18;
pub const UDP_BLOCK_SIZE: i32 = 20;
pub const TOS: i32 = 21;
pub const UDP_FILE: i32 = 34;
pub const TOTAL_RATE: i32 = 27;
pub const MAX_DURATION: i32 = 37;
pub const MESSAGE: i32 = 110;
pub const RECV_PARAMS: i32 = 114;
pub const RECV_RESULTS: i32 = 117;
pub const SET_NODELAY: i32 = 122;
pub const SET_MSS: i32 = 123;
pub const SET_BUF: i32 = 124;
pub const SET_TOS: i32 = 125;
pub const SET_FLOW_LABEL: i32 = 127;
pub const AFFINITY: i32 = 132;
pub const CONGESTION: i32 = 134;
pub const SCTP_STREAMS: i32 = 138;
pub const SCTP_BINDX: i32 = 139;
pub const SET_PACING: i32 = 140;
pub const LOGIN: i32 = 142;
pub const NO_DATA: i32 = 144;
pub const SET_DONT_FRAGMENT: i32 = 145;
pub const SET_USER_TIMEOUT: i32 = 148;
pub const WATCHDOG: i32 = 160;
pub const CREATE_STREAM: i32 = 200;
pub const STREAM_LISTEN: i32 = 202;
pub const STREAM_ACCEPT: i32 = 204;
pub const STREAM_READ: i32 = 206;

/// What a peer means by `code`, iperf3's own (`iperf_api.h`).
pub fn meaning(code: i32) -> &'static str {
    match code {
        1..=4 | 24 | 26 | 28..=33 | 38 => "a flag of its own command line is wrong",
        DURATION => "the test duration is out of its range",
        STREAMS => "the number of parallel streams is out of its range",
        BLOCK_SIZE => "the block size is out of its range",
        WINDOW => "the socket buffer size is out of its range",
        9 => "the report interval is out of its range",
        MSS => "the TCP MSS is out of its range",
        11 => "zero-copy sending is not available there",
        OMIT => "the omitted time is out of its range",
        UNIMPLEMENTED => "an option is not implemented there",
        FILE => "its file could not be opened",
        BURST => "the burst is out of its range",
        END_CONDITIONS => "more than one end condition was given",
        17 => "its log file could not be opened",
        NO_SCTP => "SCTP is not available there",
        19 => "a local port was given without a local address",
        UDP_BLOCK_SIZE => "the UDP datagram size is out of its range",
        TOS => "the TOS value is out of its range",
        22 => "the client's login is not set up right",
        23 => "the server's logins are not set up right",
        25 => "a test is reverse or bidirectional, not both",
        TOTAL_RATE => "the total rate is above the server's limit",
        UDP_FILE => "a file cannot be sent as datagrams",
        35 => "its list of users cannot be read",
        36 => "the keepalive's idle time is not longer than its probes take",
        MAX_DURATION => "the duration is above the server's limit",
        39 => "skipping the receiver's copy is not available there",
        40 => "the DSCP value is out of its range",
        100..=101 => "the test could not be set up",
        102 => "its port could not be opened; it may be in use",
        103 => "it could not connect",
        104 => "it could not take the connection",
        105 => "the cookie could not be sent",
        106 => "no cookie arrived",
        107..=109 => "its control connection broke",
        MESSAGE => "an unknown control message arrived",
        111..=112 => "a control message could not be exchanged",
        113 => "the parameters could not be sent",
        RECV_PARAMS => "the parameters could not be understood",
        115..=116 => "the results could not be sent",
        RECV_RESULTS => "the results could not be understood",
        118 => "it could not wait for its connections",
        119 => "the client was terminated",
        120 => "the server was terminated",
        121 => "it is busy with another test",
        SET_NODELAY => "TCP_NODELAY could not be set",
        SET_MSS => "the MSS could not be set",
        SET_BUF | 130 | 141 => "the socket buffers could not be set as asked",
        SET_TOS => "the TOS value could not be set",
        126 => "the IPv6 traffic class could not be set",
        SET_FLOW_LABEL => "the IPv6 flow label could not be set",
        128 | 129 | 136 | 137 => "a socket could not be set up",
        131 => "the protocol is not available there",
        AFFINITY => "the CPU of the asked affinity is not allowed there",
        133 => "it could not go into the background",
        CONGESTION => "the TCP congestion control is not available there",
        135 => "its PID file could not be written",
        SCTP_STREAMS => "the number of SCTP streams could not be set",
        SCTP_BINDX => "the SCTP addresses could not be bound",
        SET_PACING => "the kernel's pacing rate could not be set",
        LOGIN => "the login was refused",
        143 | 146 | 147 => "it could not bind to the interface",
        NO_DATA => "no data arrived for too long",
        SET_DONT_FRAGMENT => "fragments could not be forbidden",
        SET_USER_TIMEOUT => "the time for unacknowledged data could not be set",
        150..=154 | 159 => "a thread could not be managed",
        155..=158 => "the keepalive could not be set",
        WATCHDOG => "the test lasted longer than it should have",
        CREATE_STREAM | 201 => "a data stream could not be made",
        STREAM_LISTEN => "the data port could not be opened; it may be in use",
        203 => "a data stream could not be connected",
        STREAM_ACCEPT => "the data streams did not arrive in time",
        205 => "writing to a data stream failed",
        STREAM_READ => "reading from a data stream failed",
        207 => "a data stream was closed",
        208 => "a data stream has no valid number",
        _ => UNKNOWN,
    }
}

const UNKNOWN: &str = "an error that has no name here";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_iperf3_has_a_meaning() {
        // 149 does not exist.
        let all = (1..=40).chain(100..=148).chain(150..=160).chain(200..=208);
        for code in all {
            assert_ne!(meaning(code), UNKNOWN, "{code}");
        }
        for code in [i32::MIN, -1, 0, 41, 99, 149, 161, 209, i32::MAX] {
            assert_eq!(meaning(code), UNKNOWN, "{code}");
        }
    }
}
