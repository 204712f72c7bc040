//! What a client and a server take.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Both {
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
    /// Show the version and what this machine can do, and leave
    #[arg(short = 'v', long)]
    pub version: bool,

    /// Port to listen on or to connect to
    #[arg(short = 'p', long, value_name = "PORT", allow_hyphen_values = true)]
    pub port: Option<String>,
    /// Unit of bitrates in text: k m g t (bits) or K M G T (bytes)
    #[arg(short = 'f', long, value_name = "LETTER", allow_hyphen_values = true)]
    pub format: Option<String>,
    /// Seconds between rows: 0 (none) or 0.1 to 60
    #[arg(short = 'i', long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub interval: Option<String>,
    /// Write the process's number to FILE while it runs (a server: once it listens)
    #[arg(short = 'I', long, value_name = "FILE")]
    pub pidfile: Option<PathBuf>,
    /// A sending end reads FILE in place of random bytes (a client without -t, -n or -k sends it once); a receiving
    /// end writes what comes to FILE
    #[arg(short = 'F', long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// CPU for the data threads, an index into the allowed CPUs; a list N:N:… is taken in turn by the streams; a
    /// client may add the server's CPU
    #[arg(
        short = 'A',
        long,
        value_name = "N[:N…][,M]",
        allow_hyphen_values = true
    )]
    pub affinity: Option<String>,
    /// Local address or name (HOST%DEV binds to the interface DEV)
    #[arg(short = 'B', long, value_name = "HOST")]
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
    /// As --json-stream, and the whole document at the end
    #[arg(long)]
    pub json_stream_full_output: bool,
    /// Append the output to FILE
    #[arg(long, value_name = "FILE")]
    pub logfile: Option<PathBuf>,
    /// Accepted for iperf3's sake: output is always flushed
    #[arg(long)]
    pub forceflush: bool,
    /// Put the local time before every line of text, in strftime's format
    #[arg(
        long,
        value_name = "FORMAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "%c "
    )]
    pub timestamps: Option<String>,
    /// Milliseconds that a receiver waits for data
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    pub rcv_timeout: Option<String>,
    /// Milliseconds that sent data may stay unacknowledged (TCP; 0: the kernel's own limit)
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    pub snd_timeout: Option<String>,
    /// TCP keepalive of the control connection: idle seconds, seconds between probes, number of probes
    #[arg(
        long,
        value_name = "IDLE/INTERVAL/COUNT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    pub cntl_ka: Option<String>,
    /// MPTCP in place of TCP; where a kernel has none, plain TCP, which is then said (a server always takes both)
    #[arg(short = 'm', long)]
    pub mptcp: bool,
    /// PKCS#1 padding for the login, as iperf3 up to 3.16
    #[arg(long)]
    pub use_pkcs1_padding: bool,
    /// Say on stderr what goes on, from 1 (little) to 4 (all)
    #[arg(
        short = 'd',
        long,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "4"
    )]
    pub debug: Option<String>,
    /// Exit 1 for every failure, as iperf3
    #[arg(long)]
    pub iperf3_exit_codes: bool,
}
