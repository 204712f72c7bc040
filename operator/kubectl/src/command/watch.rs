//! `watch NAME`: the rows of the newest run as they are measured, then its result.

use crate::cli::{AccessArgs, Output, WatchArgs};
use crate::cluster;
use crate::interrupt::Interrupt;
use crate::run::Ending;
use crate::show::{object, out, progress::Progress, test};
use jiff::Timestamp;
use kube::{Api, ResourceExt};
use nettest_api::{NetTest, NetTestRun, labels};
use nettest_core::status::test_status;

pub async fn watch(access: &AccessArgs, args: &WatchArgs) -> anyhow::Result<Ending> {
    let mut interrupt = Interrupt::listen()
        .map_err(|error| anyhow::anyhow!("cannot listen for Ctrl-C and other signals: {error}"))?;
    let (connection, found) = super::find(access, &args.name).await?;
    let Some(run) = found.newest() else {
        // Says why there is none.
        let (run, _) = found.finished()?;
        return show(args.output, found.test, run);
    };
    if cluster::has_ended(&run) {
        return show(args.output, found.test, run);
    }
    let namespace = run.namespace().unwrap_or_default();
    let runs: Api<NetTestRun> = Api::namespaced(connection.client.clone(), &namespace);
    let progress = Progress::new(args.progress.quiet);
    let name = run.name_any();
    progress.note(&format!("{name}: {}", cluster::far(&run)));
    let on_news = |news: &str| progress.note(&format!("{name}: {news}"));
    let of_run = format!("{}={}", labels::RUN_UID, run.uid().unwrap_or_default());
    let print = |line: &str| {
        progress.above(|| match object::Format::of_output(args.output) {
            Some(_) => out::warn(line.trim_end()),
            None => drop(out::print(line)),
        });
    };
    let ended = tokio::select! {
        ended = cluster::wait(&runs, &run, args.timeout, &on_news) => ended?,
        error = cluster::follow(&connection, &namespace, &of_run, &print) => {
            // The figures are nothing without the right to read logs; the end is still to be seen.
            progress.note(&format!("{name}: no rows: {error}"));
            tokio::select! {
                ended = cluster::wait(&runs, &run, args.timeout, &on_news) => ended?,
                () = interrupt.came() => return left(&name, &namespace),
            }
        }
        () = interrupt.came() => return left(&name, &namespace),
    };
    drop(progress);
    show(args.output, found.test, ended)
}

fn left(name: &str, namespace: &str) -> anyhow::Result<Ending> {
    out::warn(&format!(
        "{name} goes on in the cluster: kubectl nettest watch run/{name} -n {namespace}"
    ));
    Ok(Ending::NotMeasured)
}

/// As `run` shows the end of a test.
fn show(output: Output, test: Option<NetTest>, run: NetTestRun) -> anyhow::Result<Ending> {
    let metadata = test.map(|test| test.metadata);
    let mut test = NetTest::new(&run.name_any(), run.spec.test.clone());
    test.metadata = metadata.unwrap_or(test.metadata);
    // Of this run alone.
    test.metadata.generation = run.spec.test_generation;
    test.status = Some(test_status(&test, Some(&run), Timestamp::now()));
    let ending = Ending::of(&test);
    let several = cluster::has_several(&run);
    let ended = test::Ended {
        test,
        measurements: Vec::new(),
        run: several.then_some(run),
    };
    let text = match object::Format::of_output(output) {
        Some(format) => object::render(&[ended.test], format)?,
        None => test::text(&ended, output == Output::Wide),
    };
    out::print(&text)?;
    Ok(ending)
}
