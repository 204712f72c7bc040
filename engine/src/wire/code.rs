//! Numbers that follow SERVER_ERROR, as iperf3 has them, and what they say.

pub const DURATION: i32 = 5;
pub const STREAMS: i32 = 6;
pub const BLOCK_SIZE: i32 = 7;
pub const WINDOW: i32 = 8;
pub const MSS: i32 = 10;
pub const OMIT: i32 = 12;
pub const UNIMPLEMENTED: i32 = 13;
pub const BURST: i32 = 15;
pub const END_CONDITIONS: i32 = 16;
pub const NO_SCTP: i32 = 18;
pub const UDP_BLOCK_SIZE: i32 = 20;
pub const TOS: i32 = 21;
pub const TOTAL_RATE: i32 = 27;
pub const MESSAGE: i32 = 110;
pub const RECV_PARAMS: i32 = 114;
pub const RECV_RESULTS: i32 = 117;
pub const SET_NODELAY: i32 = 122;
pub const SET_MSS: i32 = 123;
pub const SET_BUF: i32 = 124;
pub const SET_TOS: i32 = 125;
pub const AFFINITY: i32 = 132;
pub const CONGESTION: i32 = 134;
pub const NO_DATA: i32 = 144;
pub const WATCHDOG: i32 = 160;
pub const CREATE_STREAM: i32 = 200;
pub const STREAM_LISTEN: i32 = 202;
pub const STREAM_ACCEPT: i32 = 204;
pub const STREAM_READ: i32 = 206;

/// What a peer means by `code`.
pub fn meaning(code: i32) -> &'static str {
    match code {
        DURATION => "the test duration is out of its range",
        STREAMS => "the number of parallel streams is out of its range",
        BLOCK_SIZE => "the block size is out of its range",
        WINDOW => "the socket buffer size is out of its range",
        MSS => "the TCP MSS is out of its range",
        OMIT => "the omitted time is out of its range",
        UNIMPLEMENTED => "an option is not implemented there",
        BURST => "the burst is out of its range",
        END_CONDITIONS => "more than one end condition was given",
        NO_SCTP => "SCTP is not available there",
        UDP_BLOCK_SIZE => "the UDP datagram size is out of its range",
        TOS => "the TOS value is out of its range",
        TOTAL_RATE => "the total rate is above the server's limit",
        37 => "the duration is above the server's limit",
        100..=101 => "the test could not be set up",
        107..=109 => "its control connection broke",
        MESSAGE => "an unknown control message arrived",
        111..=113 => "a control message could not be sent",
        RECV_PARAMS => "the parameters could not be understood",
        115..=116 => "the results could not be sent",
        RECV_RESULTS => "the results could not be understood",
        119 => "the client was terminated",
        120 => "the server was terminated",
        SET_NODELAY..=SET_TOS => "a socket option could not be set",
        AFFINITY => "the CPU of the asked affinity is not allowed there",
        CONGESTION => "the TCP congestion control is not available there",
        142 => "the login was refused",
        NO_DATA => "no data arrived for too long",
        WATCHDOG => "the test lasted longer than it should have",
        CREATE_STREAM => "a data stream could not be made",
        STREAM_LISTEN => "the data port could not be opened; it may be in use",
        203 => "a data stream could not be connected",
        STREAM_ACCEPT => "the data streams did not arrive in time",
        205 => "writing to a data stream failed",
        STREAM_READ => "reading from a data stream failed",
        _ => "an error that has no name here",
    }
}
