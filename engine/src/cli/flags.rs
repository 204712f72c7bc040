//! The command line as it is typed: iperf3's flags in long and short forms, and ours. Values stay text here;
//! [`super::client`] and [`super::server`] turn them into types.

use clap::Parser;
use std::path::PathBuf;

/// Measures the network between two ends, with iperf3's flags and wire protocol.
#[derive(Debug, Parser)]
#[command(
    name = "nettest-engine",
    disable_version_flag = true,
    args_override_self = true,
    infer_long_args = true,
    override_usage = "nettest-engine [-s|-c HOST|--probe] [options]\n       nettest-engine [-h|--help] [-v|--version]"
)]
pub struct Flags {
    /// Run as a client of HOST (HOST%DEV binds to the interface DEV)
    #[arg(short = 'c', long, value_name = "HOST", help_heading = "Role")]
    pub client: Option<String>,
    /// Run as a server
    #[arg(short = 's', long, help_heading = "Role")]
    pub server: bool,
    /// Ask whether a server takes tests at HOST; exit 0 if so. One of ours does not count it as a test; iperf3's
    /// takes it for a test that broke off, and ends if it runs with -1
    #[arg(long, value_name = "HOST", num_args = 0..=1, default_missing_value = "127.0.0.1", help_heading = "Role")]
    pub probe: Option<String>,
    /// Show the version and leave
    #[arg(short = 'v', long)]
    pub version: bool,

    /// Port to listen on or to connect to
    #[arg(short = 'p', long, value_name = "PORT", allow_hyphen_values = true)]
    pub port: Option<String>,
    /// Unit of bitrates: k m g t (bits) or K M G T (bytes)
    #[arg(short = 'f', long, value_name = "LETTER", allow_hyphen_values = true)]
    pub format: Option<String>,
    /// Seconds between rows: 0 (none) or 0.1 to 60
    #[arg(short = 'i', long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub interval: Option<String>,
    /// CPU for the data threads: an index into the allowed CPUs; a client may add the server's
    #[arg(short = 'A', long, value_name = "N[,M]", allow_hyphen_values = true)]
    pub affinity: Option<String>,
    /// Local address (ADDR%DEV binds to the interface DEV)
    #[arg(short = 'B', long, value_name = "ADDR")]
    pub bind: Option<String>,
    /// Local interface
    #[arg(long, value_name = "DEV")]
    pub bind_dev: Option<String>,
    /// IPv4 only
    #[arg(short = '4', long = "version4")]
    pub version4: bool,
    /// IPv6 only
    #[arg(short = '6', long = "version6")]
    pub version6: bool,
    /// More detail
    #[arg(short = 'V', long)]
    pub verbose: bool,
    /// iperf3's JSON document
    #[arg(short = 'J', long)]
    pub json: bool,
    /// One JSON line an event
    #[arg(long)]
    pub json_stream: bool,
    /// With --json-stream: the whole document at the end too
    #[arg(long)]
    pub json_stream_full_output: bool,
    /// Write the output to FILE
    #[arg(long, value_name = "FILE")]
    pub logfile: Option<PathBuf>,
    /// Accepted for iperf3's sake: output is always flushed
    #[arg(long)]
    pub forceflush: bool,
    /// Milliseconds that a receiver waits for data
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    pub rcv_timeout: Option<String>,

    /// Leave after one test
    #[arg(short = '1', long, help_heading = "Server")]
    pub one_off: bool,
    /// Tests at a time (default 1)
    #[arg(
        long,
        value_name = "N",
        help_heading = "Server",
        allow_hyphen_values = true
    )]
    pub max_tests: Option<String>,
    /// Seconds that an idle server waits for a test, and then ends with an error; only with -1 or --run-token, any
    /// other server waits on
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Server",
        allow_hyphen_values = true
    )]
    pub idle_timeout: Option<String>,

    /// UDP in place of TCP
    #[arg(short = 'u', long, help_heading = "Client")]
    pub udp: bool,
    /// Milliseconds to wait for the control connection and the first answer on it
    #[arg(
        long,
        value_name = "MS",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub connect_timeout: Option<String>,
    /// Bits per second a stream (0: unlimited), blocks in a burst
    #[arg(
        short = 'b',
        long,
        alias = "bandwidth",
        value_name = "RATE[KMGT][/BURST]",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub bitrate: Option<String>,
    /// Seconds to measure (default 10; 0: until told to stop)
    #[arg(
        short = 't',
        long,
        value_name = "SECONDS",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub time: Option<String>,
    /// Bytes to send in place of -t
    #[arg(
        short = 'n',
        long,
        value_name = "BYTES[KMGT]",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub bytes: Option<String>,
    /// Blocks or datagrams to send in place of -t
    #[arg(
        short = 'k',
        long,
        value_name = "BLOCKS[KMGT]",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub blockcount: Option<String>,
    /// Bytes of a block or a datagram
    #[arg(
        short = 'l',
        long,
        value_name = "BYTES[KMG]",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub length: Option<String>,
    /// Streams at a time
    #[arg(
        short = 'P',
        long,
        value_name = "N",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub parallel: Option<String>,
    /// The server sends
    #[arg(short = 'R', long, help_heading = "Client")]
    pub reverse: bool,
    /// Both ends send
    #[arg(long, help_heading = "Client")]
    pub bidir: bool,
    /// Socket buffers
    #[arg(
        short = 'w',
        long,
        value_name = "BYTES[KMG]",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub window: Option<String>,
    /// TCP congestion control
    #[arg(
        short = 'C',
        long,
        alias = "linux-congestion",
        value_name = "ALGORITHM",
        help_heading = "Client"
    )]
    pub congestion: Option<String>,
    /// TCP maximum segment size
    #[arg(
        short = 'M',
        long,
        value_name = "BYTES",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub set_mss: Option<String>,
    /// TCP without Nagle's delay
    #[arg(short = 'N', long, help_heading = "Client")]
    pub no_delay: bool,
    /// TOS byte: decimal, 0 octal, 0x hexadecimal
    #[arg(
        short = 'S',
        long,
        value_name = "TOS",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub tos: Option<String>,
    /// DSCP: 0 to 63 or a name (ef, af11, cs1, va …)
    #[arg(
        long,
        value_name = "DSCP",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub dscp: Option<String>,
    /// Seconds at the start that do not count
    #[arg(
        short = 'O',
        long,
        value_name = "SECONDS",
        help_heading = "Client",
        allow_hyphen_values = true
    )]
    pub omit: Option<String>,
    /// Put before every line
    #[arg(short = 'T', long, value_name = "TEXT", help_heading = "Client")]
    pub title: Option<String>,
    /// Put into the JSON document
    #[arg(long, value_name = "TEXT", help_heading = "Client")]
    pub extra_data: Option<String>,
    /// Show the server's own report too
    #[arg(long, help_heading = "Client")]
    pub get_server_output: bool,
    /// UDP sequence numbers of 64 bits
    #[arg(long = "udp-counters-64bit", help_heading = "Client")]
    pub udp_counters_64bit: bool,

    /// Secret that client and server share (also NETTEST_RUN_TOKEN)
    #[arg(long, value_name = "TOKEN", help_heading = "In a cluster")]
    pub run_token: Option<String>,
    /// So many CPUs must be this process's own
    #[arg(
        long,
        value_name = "N",
        help_heading = "In a cluster",
        allow_hyphen_values = true
    )]
    pub require_exclusive_cpus: Option<String>,
    /// Write event lines: intervals, measurements, the digest
    #[arg(long, help_heading = "In a cluster")]
    pub measurement_stream: bool,
    /// UID of the run
    #[arg(long, value_name = "UID", help_heading = "In a cluster")]
    pub run_uid: Option<String>,
    /// Number of the attempt
    #[arg(
        long,
        value_name = "N",
        help_heading = "In a cluster",
        allow_hyphen_values = true
    )]
    pub attempt: Option<String>,
    /// Name of the variant
    #[arg(long, value_name = "NAME", help_heading = "In a cluster")]
    pub variant: Option<String>,
    /// How often to measure
    #[arg(
        long,
        value_name = "N",
        help_heading = "In a cluster",
        allow_hyphen_values = true
    )]
    pub repeats: Option<String>,
    /// Seconds between repeats
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "In a cluster",
        allow_hyphen_values = true
    )]
    pub repeat_pause: Option<String>,
    /// Write the digest to FILE at the end
    #[arg(long, value_name = "FILE", help_heading = "In a cluster")]
    pub digest_file: Option<PathBuf>,
    /// Exit 1 for every failure, as iperf3
    #[arg(long, help_heading = "In a cluster")]
    pub iperf3_exit_codes: bool,
}

impl Flags {
    /// The first flag that only a client takes.
    pub fn client_only(&self) -> Option<&'static str> {
        first(&[
            ("-u", self.udp),
            ("--connect-timeout", self.connect_timeout.is_some()),
            ("-b", self.bitrate.is_some()),
            ("-t", self.time.is_some()),
            ("-n", self.bytes.is_some()),
            ("-k", self.blockcount.is_some()),
            ("-l", self.length.is_some()),
            ("-P", self.parallel.is_some()),
            ("-R", self.reverse),
            ("--bidir", self.bidir),
            ("-w", self.window.is_some()),
            ("-C", self.congestion.is_some()),
            ("-M", self.set_mss.is_some()),
            ("-N", self.no_delay),
            ("-S", self.tos.is_some()),
            ("--dscp", self.dscp.is_some()),
            ("-O", self.omit.is_some()),
            ("-T", self.title.is_some()),
            ("--extra-data", self.extra_data.is_some()),
            ("--get-server-output", self.get_server_output),
            ("--udp-counters-64bit", self.udp_counters_64bit),
            ("--bind-dev", self.bind_dev.is_some()),
            ("--rcv-timeout", self.rcv_timeout.is_some()),
            ("--measurement-stream", self.measurement_stream),
            ("--variant", self.variant.is_some()),
            ("--repeats", self.repeats.is_some()),
            ("--repeat-pause", self.repeat_pause.is_some()),
        ])
    }

    /// The first flag that only a server takes.
    pub fn server_only(&self) -> Option<&'static str> {
        first(&[
            ("-1", self.one_off),
            ("--max-tests", self.max_tests.is_some()),
            ("--idle-timeout", self.idle_timeout.is_some()),
        ])
    }
}

fn first(flags: &[(&'static str, bool)]) -> Option<&'static str> {
    flags
        .iter()
        .find(|(_, given)| *given)
        .map(|(flag, _)| *flag)
}
