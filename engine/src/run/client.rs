//! A client process: one test, or its repeats.

use super::{DESCRIPTORS, Failure, digest_file, leave, local_address, pidfile::PidFile};
use crate::cli::{ClientAction, OutputKind, VariantAction};
use crate::host::room;
use crate::output::digest::Tally;
use crate::output::{Measurements, Sink, complain, debug, observer};
use crate::session::{self, ClientConfig, Observer, SessionError, StopCause, Variant, stop};
use nettest_report::digest::FailureReason;
use nettest_report::params::Limit;
use std::net::IpAddr;

pub fn run(action: &ClientAction, sink: &Sink) -> Result<u8, Failure> {
    let ClientAction {
        variants,
        output,
        repeats,
    } = action;
    let mut tally = Tally::of(variants.iter().map(|variant| variant.name.as_str()));
    let ready = |(at, variant)| {
        ready(variant).map_err(|failure| Failure {
            message: tally.about(at, &failure.message),
            ..failure
        })
    };
    let variants = variants.iter().enumerate().map(ready);
    let variants: Vec<Variant> = variants.collect::<Result<_, _>>()?;
    let mut pidfile = output.pidfile.as_deref().map(PidFile::claim).transpose()?;
    if let Some(file) = &mut pidfile {
        file.write()?;
    }
    room::descriptors(DESCRIPTORS)
        .map_err(|e| Failure::local("unable to open the descriptors of a client", e))?;
    // One looks up the server's name, while another watches the signals: that one says itself when it cannot start.
    let is_name = |variant: &Variant| variant.config.host.parse::<IpAddr>().is_err();
    if variants.iter().any(is_name) {
        room::threads(2)
            .map_err(|e| Failure::local("unable to start the threads of a client", e))?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::local("unable to start the control loop", e))?;
    let mut measurements = (output.kind == OutputKind::Measurements).then(|| {
        let most = variants.len() * repeats.most() as usize;
        Measurements::new(sink, output.run.clone(), most)
    });
    let ran = runtime.block_on(async {
        let (stopper, stop) =
            stop::on_signals().map_err(|e| Failure::local("unable to watch signals", e))?;
        sink.on_failure(move || stopper.stop(StopCause::OutputLost));
        let mut others;
        let observer: &mut dyn Observer = match &mut measurements {
            Some(measurements) => measurements,
            None => {
                others = debug::around(output.debug, observer::of(output, sink));
                others.as_mut()
            }
        };
        let note = |variant: usize, report| tally.note(variant, &report);
        let result = session::run_series(&variants, *repeats, observer, stop.clone(), note).await;
        Ok::<_, Failure>((result, stop.cause()))
    });
    leave(runtime);
    let (result, cause) = ran?;
    let failure = result.as_ref().err().map(|failed| {
        let message = tally.about(failed.variant, &failed.error.to_string());
        (failed.error.reason(), message)
    });
    if let Some((_, message)) = &failure {
        complain("error", message);
    }
    let mut code = match (result.map_err(|failed| failed.error), cause) {
        (Ok(()), _) => 0,
        (Err(SessionError::Interrupted(_)), Some(cause)) => cause.exit_code(),
        (Err(error), _) => error.exit_code(),
    };
    if measurements.is_some() || output.digest_file.is_some() {
        let document = measurements.as_ref().map(Measurements::document);
        let mut digest = tally.digest(&output.run, repeats.count, failure, document);
        if let Some(measurements) = &measurements {
            digest.thinned = measurements.thinned();
            measurements.digest(digest.clone());
        }
        if !digest_file::write(output, &digest) {
            code = code.max(1);
        }
    }
    Ok(code)
}

/// The variant with what only this machine knows.
fn ready(action: &VariantAction) -> Result<Variant, Failure> {
    let VariantAction {
        name,
        config,
        bind_name,
        xbind_names,
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
    Ok(Variant {
        name: name.clone(),
        config,
    })
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
