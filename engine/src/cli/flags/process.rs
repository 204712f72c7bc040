//! What is the whole process's: it cannot stand among one variant's flags when there are several.

use super::{Flags, name};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};

/// By id.
const PROCESS: &[&str] = &[
    // The role.
    "server",
    "probe",
    "version",
    // The output.
    "format",
    "verbose",
    "json",
    "json_stream",
    "json_stream_full_output",
    "logfile",
    "forceflush",
    "timestamps",
    "pidfile",
    "debug",
    "iperf3_exit_codes",
    // The run.
    "run_token",
    "require_exclusive_cpus",
    "measurement_stream",
    "run_uid",
    "attempt",
    "repeats",
    "repeat_pause",
    "max_spread_percent",
    "max_repeats",
    "digest_file",
];

/// The first of them on a command line.
pub fn given_for_the_process(matches: &ArgMatches) -> Option<String> {
    Flags::command()
        .get_arguments()
        .filter(|arg| PROCESS.contains(&arg.get_id().as_str()))
        .find(|arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine))
        .map(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_a_flag() {
        let known = Flags::command();
        let ids: Vec<&str> = known.get_arguments().map(|a| a.get_id().as_str()).collect();
        for id in PROCESS {
            assert!(ids.contains(id), "{id}");
        }
    }
}
