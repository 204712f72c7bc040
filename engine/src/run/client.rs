//! A client process: one test, or its repeats.

use super::{DESCRIPTORS, Failure, digest_file, leave, local_address, pidfile::PidFile};
use crate::cli::{ClientAction, OutputConfig, OutputKind};
use crate::host::room;
use crate::output::{Measurements, Sink, complain, debug, digest, observer};
use crate::session::{self, ClientConfig, SessionError, StopCause, stop};
use nettest_report::digest::{Digest, DocumentSum, FailureReason};
use nettest_report::params::Limit;
use nettest_report::report::Report;
use std::net::IpAddr;

pub fn run(action: &ClientAction, sink: &Sink) -> Result<u8, Failure> {
    let ClientAction {
        config,
        bind_name,
        xbind_names,
        output,
        repeats,
        limit_is_the_file,
    } = action;
    let mut config = with_limit(config, *limit_is_the_file)?;
    if let Some(name) = bind_name {
        config.bind = Some(local_address("-B", name, config.family)?);
    }
    for name in xbind_names {
        let addr = local_address("-X", name, config.family)?;
        config.sctp_bind.push(addr);
    }
    let config = &config;
    let mut pidfile = output.pidfile.as_deref().map(PidFile::claim).transpose()?;
    if let Some(file) = &mut pidfile {
        file.write()?;
    }
    room::descriptors(DESCRIPTORS)
        .map_err(|e| Failure::local("unable to open the descriptors of a client", e))?;
    // One looks up the server's name, while another watches the signals: that one says itself when it cannot start.
    if config.host.parse::<IpAddr>().is_err() {
        room::threads(2)
            .map_err(|e| Failure::local("unable to start the threads of a client", e))?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::local("unable to start the control loop", e))?;
    let mut measurements = (output.kind == OutputKind::Measurements)
        .then(|| Measurements::new(sink, output.run.clone(), repeats.count));
    let ran = runtime.block_on(async {
        let (stopper, stop) =
            stop::on_signals().map_err(|e| Failure::local("unable to watch signals", e))?;
        sink.on_failure(move || stopper.stop(StopCause::OutputLost));
        let (reports, result) = match &mut measurements {
            Some(measurements) => {
                session::run_repeats(config, *repeats, measurements, stop.clone()).await
            }
            None => {
                let observer = observer::of(output, sink);
                let mut observer = debug::around(output.debug, observer);
                session::run_repeats(config, *repeats, observer.as_mut(), stop.clone()).await
            }
        };
        Ok::<_, Failure>((reports, result, stop.cause()))
    });
    leave(runtime);
    let (reports, result, cause) = ran?;
    let failure = result
        .as_ref()
        .err()
        .map(|error| (error.reason(), error.to_string()));
    if let Some((_, message)) = &failure {
        complain("error", message);
    }
    let mut code = match (&result, cause) {
        (Ok(()), _) => 0,
        (Err(SessionError::Interrupted(_)), Some(cause)) => cause.exit_code(),
        (Err(error), _) => error.exit_code(),
    };
    if measurements.is_some() || output.digest_file.is_some() {
        let document = measurements.as_ref().map(Measurements::document);
        let digest = client_digest(output, &reports, repeats.count, failure, document);
        if let Some(measurements) = &measurements {
            measurements.digest(digest.clone());
        }
        if !digest_file::write(output, digest) {
            code = code.max(1);
        }
    }
    Ok(code)
}

/// A file that is sent once ends the test. A device or a pipe has no size: then time ends it, as iperf3.
fn with_limit(config: &ClientConfig, limit_is_the_file: bool) -> Result<ClientConfig, Failure> {
    let mut config = config.clone();
    let Some(path) = config.file.as_ref().filter(|_| limit_is_the_file) else {
        return Ok(config);
    };
    let refuse = |why: String| Failure {
        reason: FailureReason::InvalidSpec,
        message: format!("-F: unable to send the file '{}': {why}", path.display()),
    };
    let about = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
    if about.is_file() {
        // Each stream sends all of it.
        let streams = u64::from(config.params.streams);
        config.params.limit = Limit::Bytes(about.len().saturating_mul(streams));
    }
    Ok(config)
}

fn client_digest(
    output: &OutputConfig,
    reports: &[Report],
    wanted: u32,
    failure: Option<(FailureReason, String)>,
    document: Option<DocumentSum>,
) -> Digest {
    let whole = digest::of_client(&output.run, reports, wanted, failure, document);
    digest::fit(whole).0
}
