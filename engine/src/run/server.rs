//! A server process, in the foreground or behind (`-D`).

use super::pidfile::PidFile;
use super::{DESCRIPTORS, Failure, digest_file, leave, local_address};
use crate::cli::{OutputConfig, ServerAction};
use crate::host::room;
use crate::output::{Sink, complain, debug, digest, messages, observer};
use crate::session::{self, Observer, ServerConfig, ServerOutcome, StopCause, stop};
use crate::sock::daemon::{self, Side, Starting};
use nettest_report::digest::FailureReason;
use nettest_report::report::Role;
use std::path::Path;

pub fn run(action: &ServerAction, sink: &Sink) -> Result<u8, Failure> {
    let ServerAction {
        config,
        bind_name,
        output,
        daemon,
    } = action;
    let mut config = config.clone();
    if let Some(name) = bind_name {
        config.bind = Some(local_address("-B", name, config.family)?);
    }
    let config = &config;
    if !*daemon {
        return serve(config, output, sink, None);
    }
    let side = daemon::fork_away()
        .map_err(|e| Failure::local("-D: unable to go into the background", e))?;
    match side {
        Side::Caller(waiting) => Ok(u8::from(!waiting.is_ready())),
        Side::Daemon(starting) => serve(&absolute(config), output, sink, Some(starting)),
    }
}

/// A daemon holds no folder, so its files are named from the root.
fn absolute(config: &ServerConfig) -> ServerConfig {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut config = config.clone();
    config.file = config.file.as_deref().map(whole);
    if let Some(guard) = &mut config.guard {
        guard.private_key = whole(&guard.private_key);
        guard.users = whole(&guard.users);
    }
    config
}

/// What is done once the server listens.
struct Ready {
    pidfile: Option<PidFile>,
    starting: Option<Starting>,
}

impl Ready {
    fn now(&mut self) -> Result<(), Failure> {
        if let Some(file) = &mut self.pidfile {
            file.write()?;
        }
        if let Some(starting) = self.starting.take() {
            let left = std::env::set_current_dir("/").and_then(|()| starting.ready());
            left.map_err(|e| Failure::local("-D: unable to leave the terminal", e))?;
        }
        Ok(())
    }
}

fn serve(
    config: &ServerConfig,
    output: &OutputConfig,
    sink: &Sink,
    starting: Option<Starting>,
) -> Result<u8, Failure> {
    let mut ready = Ready {
        pidfile: output.pidfile.as_deref().map(PidFile::claim).transpose()?,
        starting,
    };
    const WORKERS: usize = 2;
    // One watches the signals, and two write stdout and stderr.
    const OTHERS: usize = 3;
    room::descriptors(DESCRIPTORS)
        .map_err(|e| Failure::local("unable to open the descriptors of a server", e))?;
    let no_thread = |e| Failure::local("unable to start the threads of a server", e);
    room::threads(WORKERS + OTHERS).map_err(no_thread)?;
    sink.detach().map_err(no_thread)?;
    messages::detach().map_err(no_thread)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()
        .map_err(|e| Failure::local("unable to start the control loop", e))?;
    let mut unready = None;
    let ran = runtime.block_on(async {
        let (stopper, stop) =
            stop::on_signals().map_err(|e| Failure::local("unable to watch signals", e))?;
        // The first observer is asked for when the port is held.
        let observers = || {
            if let Err(failure) = ready.now() {
                unready = Some(failure);
                stopper.stop(StopCause::OutputLost);
            }
            of_a_test(output, sink)
        };
        let outcome = session::run_server(config, observers, stop.clone()).await;
        Ok::<_, Failure>((outcome, stop.cause()))
    });
    leave(runtime);
    let (outcome, cause) = ran?;
    if cause.is_some() {
        sink.hurry();
    }
    if let Some(failure) = unready {
        return Err(failure);
    }
    let interrupted = cause.map_or(1, StopCause::exit_code);
    let ended = match outcome {
        Ok(ServerOutcome::Stopped { interrupted: 0, .. }) => None,
        // With iperf3 a one-off server ends well, whatever came of its test, and when none came.
        Ok(ServerOutcome::Idle | ServerOutcome::OneOffDone { .. }) if output.iperf3_exit_codes => {
            None
        }
        // What went wrong in its test was told with the test.
        Ok(ServerOutcome::OneOffDone { exit_code, .. }) => return Ok(exit_code),
        Ok(ServerOutcome::Stopped {
            interrupted: tests, ..
        }) => Some((
            interrupted,
            FailureReason::Interrupted,
            format!("the server was stopped while it ran tests ({tests})"),
        )),
        Ok(ServerOutcome::Idle) => Some((
            1,
            FailureReason::PeerUnreachable,
            "no client came within the idle timeout".to_owned(),
        )),
        Err(error) => Some((error.exit_code(), error.reason(), error.to_string())),
    };
    let Some((code, reason, message)) = ended else {
        return Ok(0);
    };
    complain("error", &message);
    observer::failed(output, sink, Role::Server, &message);
    digest_file::write(output, &digest::failed(&output.run, reason, &message));
    Ok(code)
}

fn of_a_test(output: &OutputConfig, sink: &Sink) -> Box<dyn Observer> {
    debug::around(output.debug, observer::of(output, sink))
}
