//! The program as a whole: command line in, exit code out.
//!
//! - [`client`], [`server`]: what the two roles do
//! - [`pidfile`], [`digest_file`]: the files beside the output

mod client;
mod digest_file;
mod pidfile;
mod server;

use crate::cli::{self, Action, Environment, OutputConfig, OutputKind};
use crate::host;
use crate::output::{Sink, complain, digest, hint, messages, observer};
use crate::session::{self, Family};
use crate::sock;
use nettest_report::digest::FailureReason;
use nettest_report::report::Role;
use socket2::{Domain, Protocol, Socket, Type};
use std::ffi::OsString;
use std::net::{IpAddr, ToSocketAddrs};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

/// Runs the program. It writes to stdout and stderr (or the log file), and the digest file if there is one.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    sock::allow_many_descriptors();
    sock::note_cpus();
    let environment = Environment {
        token: std::env::var("NETTEST_RUN_TOKEN").ok(),
        password: std::env::var("IPERF3_PASSWORD").ok(),
    };
    let code = match cli::parse(args.iter().cloned(), environment) {
        Ok(Action::Show(text)) => show(&text),
        Ok(Action::Version) => show(&version()),
        Ok(Action::Probe {
            host,
            port,
            timeout,
        }) => probe(&host, port, timeout),
        Ok(Action::Client(action)) => guarded(&action.output, Role::Client, |sink| {
            client::run(&action, sink)
        }),
        Ok(Action::Server(action)) => guarded(&action.output, Role::Server, |sink| {
            server::run(&action, sink)
        }),
        Err(error) => {
            complain("parameter error", &error.to_string());
            hint(cli::USAGE_HINT);
            digest_file::refused(&args, &error.to_string());
            1
        }
    };
    ExitCode::from(code)
}

fn show(text: &str) -> u8 {
    let sink = Sink::new(Box::new(std::io::stdout()));
    sink.write(text);
    finish(&sink, 0)
}

/// The version, and what not every kernel has, in the words of iperf3's `-v`.
fn version() -> String {
    let has = |protocol: libc::c_int| {
        Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::from(protocol))).is_ok()
    };
    let optional = [
        ("SCTP", has(libc::IPPROTO_SCTP)),
        ("MPTCP", has(libc::IPPROTO_MPTCP)),
    ];
    let features: Vec<&str> = optional
        .iter()
        .filter(|(_, there)| *there)
        .map(|(name, _)| *name)
        .chain([
            "CPU affinity",
            "IPv6 flow label",
            "TCP congestion algorithm setting",
            "zerocopy",
            "socket pacing",
            "authentication",
            "bind to device",
            "IPv4 don't fragment",
            "UDP GSO/GRO",
        ])
        .collect();
    format!(
        "nettest-engine {}\n{}\nOptional features available: {}\n",
        env!("CARGO_PKG_VERSION"),
        host::system_info(),
        features.join(", ")
    )
}

/// A panic is a failure with a digest, not a pod that died without a word.
fn guarded(
    output: &OutputConfig,
    role: Role,
    body: impl FnOnce(&Sink) -> Result<u8, Failure>,
) -> u8 {
    for note in &output.notes {
        complain("note", note);
    }
    let failed = |sink: Option<&Sink>, Failure { reason, message }: Failure| {
        complain("error", &message);
        if let Some(sink) = sink {
            observer::failed(output, sink, role, &message);
        }
        digest_file::write(output, &digest::failed(&output.run, reason, &message));
        1
    };
    let code = match open(output) {
        Err(failure) => failed(None, failure),
        Ok(sink) => {
            if output.logfile.is_some() && output.kind == OutputKind::Text {
                messages::log_to(&sink);
            }
            let code = match catch_unwind(AssertUnwindSafe(|| body(&sink))) {
                Ok(Ok(code)) => code,
                Ok(Err(failure)) => failed(Some(&sink), failure),
                Err(_) => failed(
                    Some(&sink),
                    Failure {
                        reason: FailureReason::EngineCrashed,
                        message: "the engine crashed; see its stderr".to_owned(),
                    },
                ),
            };
            finish(&sink, code)
        }
    };
    messages::drain();
    if output.iperf3_exit_codes {
        as_iperf3(code)
    } else {
        code
    }
}

/// iperf3 knows 0 and 1; since 3.19 a signal is a normal end.
fn as_iperf3(code: u8) -> u8 {
    match code {
        129.. => 0,
        code => code.min(1),
    }
}

/// What the control loop, the signals and a first connection need.
const DESCRIPTORS: usize = 14;

/// Why the program could not even begin.
#[derive(Debug)]
struct Failure {
    reason: FailureReason,
    message: String,
}

impl Failure {
    fn local(what: &str, error: std::io::Error) -> Self {
        Failure {
            reason: FailureReason::EngineCrashed,
            message: format!("{what}: {error}"),
        }
    }
}

impl From<pidfile::PidFileError> for Failure {
    fn from(error: pidfile::PidFileError) -> Self {
        Failure {
            reason: FailureReason::InvalidSpec,
            message: error.to_string(),
        }
    }
}

/// The address that a name of this machine means, of the family that was asked for.
fn local_address(flag: &str, name: &str, family: Option<Family>) -> Result<IpAddr, Failure> {
    let refuse = |why: String| Failure {
        reason: FailureReason::NameNotResolved,
        message: format!(
            "{flag}: the name '{name}' could not be resolved: {why}; give an address of this machine"
        ),
    };
    let found = (name, 0)
        .to_socket_addrs()
        .map_err(|error| refuse(error.to_string()))?;
    found
        .map(|addr| addr.ip())
        .find(|addr| family.is_none_or(|family| family.admits(addr)))
        .ok_or_else(|| refuse("it has no address of the family asked for".to_owned()))
}

fn open(output: &OutputConfig) -> Result<Sink, Failure> {
    Sink::open(output.logfile.as_deref()).map_err(|error| Failure {
        reason: FailureReason::InvalidSpec,
        message: format!(
            "unable to open the log file '{}': {error}",
            output.logfile.as_deref().unwrap_or("-".as_ref()).display()
        ),
    })
}

fn probe(host: &str, port: u16, timeout: Duration) -> u8 {
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(
                "error",
                &format!("unable to start the control loop: {error}"),
            );
            return 1;
        }
    };
    let outcome = runtime.block_on(session::probe(host, port, timeout));
    leave(runtime);
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            complain("error", &error.to_string());
            1
        }
    }
}

/// A name server that does not answer holds a thread of the runtime for as long as the resolver tries: nobody waits
/// for it.
fn leave(runtime: tokio::runtime::Runtime) {
    runtime.shutdown_background();
}

/// A reader that went away, or a full disk, fails what would have been a success.
fn finish(sink: &Sink, code: u8) -> u8 {
    match sink.failure() {
        Some(error) => {
            complain("error", &format!("unable to write the output: {error}"));
            code.max(1)
        }
        None => code,
    }
}

#[cfg(test)]
mod tests {
    use super::as_iperf3;

    #[test]
    fn iperf3s_codes_are_two() {
        for (ours, theirs) in [
            (0, 0),
            (1, 1),
            (3, 1),
            (4, 1),
            (5, 1),
            (129, 0),
            (130, 0),
            (143, 0),
        ] {
            assert_eq!(as_iperf3(ours), theirs, "{ours}");
        }
    }
}
