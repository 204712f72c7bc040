//! Writes the engine's man page and completions from the definitions of its flags, below the folder that is named.

use clap_complete::Shell;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

/// What the flags do not say.
const MORE: &str = r#".SH NUMBERS
Suffixes K, M, G and T (either case, fractions allowed) are powers of 1024 for \-n, \-k, \-l, \-w and \-\-nstreams,
and powers of 1000 for \-b, \-\-fq\-rate and \-\-server\-bitrate\-limit. Any other suffix is refused.
Of a flag that is given twice the last counts; \-X adds up.
.SH "EXIT STATUS"
.TP
0
done
.TP
1
wrong flags, or a test that failed
.TP
3
the server cannot be reached, or its name has no address
.TP
4
\-\-require\-exclusive\-cpus, and no CPUs of its own
.TP
5
the server has another test
.TP
129, 130, 143
ended by SIGHUP, SIGINT or SIGTERM, with the partial report; a server only if it had a test
.PP
\-\-iperf3\-exit\-codes makes every failure 1, and an end by a signal 0, as iperf3 since 3.19.
.SH ENVIRONMENT
.TP
IPERF3_PASSWORD
password of \-\-username
.TP
NETTEST_RUN_TOKEN
as \-\-run\-token
.SH "SEE ALSO"
docs/iperf3\-compatibility.md has every flag and JSON key beside iperf3's; docs/engine\-report.schema.json describes
the JSON.
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let into = std::env::args_os().nth(1).map(PathBuf::from);
    let into = into.ok_or("usage: generate FOLDER")?.join("docs");
    let (man, completions) = (into.join("man"), into.join("completions"));
    fs::create_dir_all(&man)?;
    fs::create_dir_all(&completions)?;

    let mut page = Vec::new();
    clap_mangen::Man::new(nettest_engine::cli::command()).render(&mut page)?;
    page.extend_from_slice(MORE.as_bytes());
    fs::write(man.join("nettest-engine.1"), page)?;

    let mut command = nettest_engine::cli::command();
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command, "nettest-engine", &completions)?;
    }
    Ok(())
}
