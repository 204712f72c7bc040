//! What only a client takes.

use clap::{ArgAction, Args};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(next_help_heading = super::CLIENT)]
pub struct Client {
    /// UDP in place of TCP
    #[arg(short = 'u', long)]
    pub udp: bool,
    /// SCTP in place of TCP
    #[arg(long)]
    pub sctp: bool,
    /// SCTP: local address or name to bind; give it once for each
    #[arg(short = 'X', long, value_name = "HOST", action = ArgAction::Append)]
    pub xbind: Vec<String>,
    /// SCTP: streams of each association
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub nstreams: Option<String>,
    /// Milliseconds to wait for the control connection and the first answer on it
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    pub connect_timeout: Option<String>,
    /// Seconds to stand in line at a busy server of ours (default 60; 0: not at all)
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub queue_timeout: Option<String>,
    /// Bits per second a stream (0: unlimited), blocks in a burst
    #[arg(
        short = 'b',
        long,
        alias = "bandwidth",
        value_name = "RATE[KMGT][/BURST]",
        allow_hyphen_values = true
    )]
    pub bitrate: Option<String>,
    /// Bits per second a stream, kept by the kernel of the sending end (0: unlimited)
    #[arg(long, value_name = "RATE[KMGT]", allow_hyphen_values = true)]
    pub fq_rate: Option<String>,
    /// Accepted for iperf3's sake, without effect: pacing has no timer
    #[arg(long, value_name = "US[KMGT]", allow_hyphen_values = true)]
    pub pacing_timer: Option<String>,
    /// Accepted for iperf3's sake: --fq-rate 0
    #[arg(long, hide = true)]
    pub no_fq_socket_pacing: bool,
    /// Seconds to measure (default 10; 0: until told to stop)
    #[arg(short = 't', long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub time: Option<String>,
    /// Bytes to send in place of -t (0: as if it were not there)
    #[arg(
        short = 'n',
        long,
        value_name = "BYTES[KMGT]",
        allow_hyphen_values = true
    )]
    pub bytes: Option<String>,
    /// Blocks or datagrams to send in place of -t
    #[arg(
        short = 'k',
        long,
        value_name = "BLOCKS[KMGT]",
        allow_hyphen_values = true
    )]
    pub blockcount: Option<String>,
    /// Bytes of a block or a datagram
    #[arg(
        short = 'l',
        long,
        value_name = "BYTES[KMG]",
        allow_hyphen_values = true
    )]
    pub length: Option<String>,
    /// Local port of the first data stream; the next streams take the next ports
    #[arg(long, value_name = "PORT", allow_hyphen_values = true)]
    pub cport: Option<String>,
    /// Streams at a time
    #[arg(short = 'P', long, value_name = "N", allow_hyphen_values = true)]
    pub parallel: Option<String>,
    /// The server sends
    #[arg(short = 'R', long)]
    pub reverse: bool,
    /// Both ends send
    #[arg(long)]
    pub bidir: bool,
    /// Socket buffers
    #[arg(
        short = 'w',
        long,
        value_name = "BYTES[KMG]",
        allow_hyphen_values = true
    )]
    pub window: Option<String>,
    /// TCP congestion control, of both ends
    #[arg(
        short = 'C',
        long,
        alias = "linux-congestion",
        value_name = "ALGORITHM"
    )]
    pub congestion: Option<String>,
    /// TCP or SCTP maximum segment size
    #[arg(short = 'M', long, value_name = "BYTES", allow_hyphen_values = true)]
    pub set_mss: Option<String>,
    /// TCP or SCTP without Nagle's delay
    #[arg(short = 'N', long)]
    pub no_delay: bool,
    /// TOS byte: decimal, 0 octal, 0x hexadecimal
    #[arg(short = 'S', long, value_name = "TOS", allow_hyphen_values = true)]
    pub tos: Option<String>,
    /// DSCP: 0 to 63 or a name (ef, af11, cs1, va …)
    #[arg(long, value_name = "DSCP", allow_hyphen_values = true)]
    pub dscp: Option<String>,
    /// IPv6 flow label: decimal, 0 octal, 0x hexadecimal
    #[arg(short = 'L', long, value_name = "LABEL", allow_hyphen_values = true)]
    pub flowlabel: Option<String>,
    /// TCP senders send from the page cache, without a copy
    #[arg(short = 'Z', long)]
    pub zerocopy: bool,
    /// Receivers throw the data away in the kernel: the figure is the path's, not an application's
    #[arg(long)]
    pub skip_rx_copy: bool,
    /// Seconds at the start that do not count
    #[arg(short = 'O', long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub omit: Option<String>,
    /// Put before every line
    #[arg(short = 'T', long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Put into the JSON document
    #[arg(long, value_name = "TEXT")]
    pub extra_data: Option<String>,
    /// Show the server's own report too
    #[arg(long)]
    pub get_server_output: bool,
    /// UDP sequence numbers of 64 bits
    #[arg(long = "udp-counters-64bit")]
    pub udp_counters_64bit: bool,
    /// UDP segmentation and receive offload
    #[arg(long)]
    pub gsro: bool,
    /// Every fast path that the protocol has, at both ends: TCP: -Z and --skip-rx-copy, UDP: --gsro and
    /// --skip-rx-copy; what a kernel or -F does not allow is left out, and said
    #[arg(long)]
    pub fast: bool,
    /// The payload repeats a pattern, as iperf2's
    #[arg(long)]
    pub repeating_payload: bool,
    /// UDP over IPv4: datagrams must not be fragmented
    #[arg(long)]
    pub dont_fragment: bool,
    /// User to log in as; the password is taken from IPERF3_PASSWORD or asked for
    #[arg(long, value_name = "NAME")]
    pub username: Option<String>,
    /// RSA public key (PEM) of the server, for the login
    #[arg(long, value_name = "FILE")]
    pub rsa_public_key_path: Option<PathBuf>,
}
