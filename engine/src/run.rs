//! The program as a whole: command line in, exit code out.

use crate::cli::{self, Action, ClientAction, OutputConfig, OutputKind, RunLabel, ServerAction};
use crate::output::{Measurements, Sink, complain, digest, hint, observer};
use crate::session::{self, ServerOutcome, SessionError, StopCause, stop};
use nettest_report::digest::{Digest, FailureReason};
use nettest_report::report::Report;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

/// Runs the program. It writes to stdout and stderr (or the log file), and the digest file if there is one.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let token = std::env::var("NETTEST_RUN_TOKEN").ok();
    let code = match cli::parse(args.iter().cloned(), token) {
        Ok(Action::Show(text)) => {
            let sink = Sink::new(Box::new(std::io::stdout()));
            sink.write(&text);
            finish(&sink, 0)
        }
        Ok(Action::Probe {
            host,
            port,
            timeout,
        }) => probe(&host, port, timeout),
        Ok(Action::Client(action)) => guarded(&action.output, || client(&action)),
        Ok(Action::Server(action)) => guarded(&action.output, || server(&action)),
        Err(error) => {
            complain("parameter error", &error.to_string());
            hint(cli::USAGE_HINT);
            refused_digest(&args, &error.to_string());
            1
        }
    };
    ExitCode::from(code)
}

/// A panic is a failure with a digest, not a pod that died without a word.
fn guarded(output: &OutputConfig, body: impl FnOnce() -> Result<u8, Failure>) -> u8 {
    let code = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(code)) => code,
        Ok(Err(Failure { reason, message })) => {
            complain("error", &message);
            write_digest(output, digest::failed(&output.run, reason, &message));
            1
        }
        Err(_) => {
            let message = "the engine crashed; see its stderr";
            complain("error", message);
            write_digest(
                output,
                digest::failed(&output.run, FailureReason::EngineCrashed, message),
            );
            1
        }
    };
    if output.iperf3_exit_codes {
        code.min(1)
    } else {
        code
    }
}

/// Why the program could not even begin.
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

fn open(output: &OutputConfig) -> Result<Sink, Failure> {
    Sink::open(output.logfile.as_deref()).map_err(|error| Failure {
        reason: FailureReason::InvalidSpec,
        message: format!(
            "unable to open the log file '{}': {error}",
            output.logfile.as_deref().unwrap_or("-".as_ref()).display()
        ),
    })
}

fn client(action: &ClientAction) -> Result<u8, Failure> {
    let ClientAction {
        config,
        output,
        repeats,
    } = action;
    let sink = open(output)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::local("unable to start the control loop", e))?;
    let mut measurements = (output.kind == OutputKind::Measurements)
        .then(|| Measurements::new(&sink, output.run.clone(), repeats.count));
    let ran = runtime.block_on(async {
        let (stopper, stop) =
            stop::on_signals().map_err(|e| Failure::local("unable to watch signals", e))?;
        sink.on_failure(move || stopper.stop(StopCause::OutputLost));
        Ok(match &mut measurements {
            Some(measurements) => session::run_repeats(config, *repeats, measurements, stop).await,
            None => {
                let mut observer = observer::of(output, &sink);
                session::run_repeats(config, *repeats, observer.as_mut(), stop).await
            }
        })
    });
    leave(runtime);
    let (reports, result) = ran?;
    let failure = result
        .as_ref()
        .err()
        .map(|error| (error.reason(), error.to_string()));
    if let Some((_, message)) = &failure {
        complain("error", message);
    }
    let mut code = result.as_ref().err().map_or(0, SessionError::exit_code);
    if measurements.is_some() || output.digest_file.is_some() {
        let document = measurements.as_ref().map(Measurements::document);
        let digest = client_digest(output, &reports, repeats.count, failure, document);
        if let Some(measurements) = &measurements {
            measurements.digest(digest.clone());
        }
        if !write_digest(output, digest) {
            code = code.max(1);
        }
    }
    Ok(finish(&sink, code))
}

fn client_digest(
    output: &OutputConfig,
    reports: &[Report],
    wanted: u32,
    failure: Option<(FailureReason, String)>,
    document: Option<nettest_report::digest::DocumentSum>,
) -> Digest {
    let whole = digest::of_client(&output.run, reports, wanted, failure, document);
    digest::fit(whole).0
}

fn server(action: &ServerAction) -> Result<u8, Failure> {
    let ServerAction { config, output } = action;
    let sink = open(output)?;
    // A reader of stdout that stalls holds up one thread only.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| Failure::local("unable to start the control loop", e))?;
    let outcome = runtime.block_on(async {
        let (_, stop) =
            stop::on_signals().map_err(|e| Failure::local("unable to watch signals", e))?;
        Ok(session::run_server(config, || observer::of(output, &sink), stop).await)
    });
    leave(runtime);
    let ended = match outcome? {
        Ok(ServerOutcome::OneOffDone { .. } | ServerOutcome::Stopped { interrupted: 0, .. }) => {
            None
        }
        Ok(ServerOutcome::Stopped { interrupted, .. }) => Some((
            1,
            FailureReason::Interrupted,
            format!("the server was stopped while it ran tests ({interrupted})"),
        )),
        Ok(ServerOutcome::Idle) => Some((
            1,
            FailureReason::PeerUnreachable,
            "no client came within the idle timeout".to_owned(),
        )),
        Err(error) => Some((error.exit_code(), error.reason(), error.to_string())),
    };
    let Some((code, reason, message)) = ended else {
        return Ok(finish(&sink, 0));
    };
    complain("error", &message);
    write_digest(output, digest::failed(&output.run, reason, &message));
    Ok(finish(&sink, code))
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

/// False: there should be a digest, and there is none.
fn write_digest(output: &OutputConfig, digest: Digest) -> bool {
    let Some(path) = &output.digest_file else {
        return true;
    };
    let (_, json) = digest::fit(digest);
    let written = std::fs::write(path, json);
    if let Err(error) = &written {
        complain(
            "error",
            &format!(
                "unable to write the digest file '{}': {error}",
                path.display()
            ),
        );
    }
    written.is_ok()
}

/// A refused command line names no checked label; what stands after its flags is good enough to be told.
fn refused_digest(args: &[OsString], message: &str) {
    let text = |flag: &str| {
        args.iter().enumerate().find_map(|(at, arg)| {
            let arg = arg.to_str()?;
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (arg, args.get(at + 1).and_then(|next| next.to_str())),
            };
            value.filter(|_| name == flag).map(str::to_owned)
        })
    };
    let Some(path) = text("--digest-file") else {
        return;
    };
    let defaults = RunLabel::default();
    let output = OutputConfig {
        digest_file: Some(path.into()),
        run: RunLabel {
            uid: text("--run-uid")
                .unwrap_or_default()
                .chars()
                .take(64)
                .collect(),
            attempt: text("--attempt")
                .and_then(|n| n.parse().ok())
                .unwrap_or(defaults.attempt),
            variant: defaults.variant,
        },
        ..OutputConfig::default()
    };
    write_digest(
        &output,
        digest::failed(&output.run, FailureReason::InvalidSpec, message),
    );
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
