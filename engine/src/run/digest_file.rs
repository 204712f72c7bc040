//! The digest in the file that the kubelet reads.

use crate::cli::{OutputConfig, OutputKind, RunLabel};
use crate::output::{complain, digest};
use nettest_report::digest::{Digest, FailureReason, decode};
use std::ffi::OsString;

/// False: there should be a digest, and there is none.
pub fn write(output: &OutputConfig, digest: &Digest) -> bool {
    let Some(path) = &output.digest_file else {
        return true;
    };
    let text = nettest_report::digest::encode(digest);
    let fits = decode(&text).is_ok_and(|written| written.figures_in_log.is_none());
    if !fits && output.kind != OutputKind::Measurements {
        complain(
            "warning",
            "--digest-file: the figures do not fit; --measurement-stream writes them all",
        );
    }
    let written = std::fs::write(path, text);
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
pub fn refused(args: &[OsString], message: &str) {
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
        },
        ..OutputConfig::default()
    };
    write(
        &output,
        &digest::failed(&output.run, FailureReason::InvalidSpec, message),
    );
}
