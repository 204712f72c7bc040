//! `cleanup NAME`, `cleanup --all`: delete finished runs. Their pods and ConfigMaps go with them, by their owner references.

use crate::cli::{AccessArgs, CleanupArgs, Form};
use crate::cluster;
use crate::show::{figures::counted, out, slow::Slow};
use kube::{
    Api, ResourceExt,
    api::{DeleteParams, ListParams, Preconditions, PropagationPolicy},
};
use nettest_api::NetTestRun;
use serde::Serialize;
use std::io::{BufRead, IsTerminal, Write};

pub async fn cleanup(access: &AccessArgs, args: &CleanupArgs) -> anyhow::Result<()> {
    let (connection, all) = match &args.name {
        Some(name) => {
            let (connection, found) = super::find(access, name).await?;
            (connection, found.runs)
        }
        None => {
            let connection = super::connect(access).await?;
            let api: Api<NetTestRun> = match access.all_namespaces {
                true => Api::all(connection.client.clone()),
                false => Api::namespaced(connection.client.clone(), &connection.namespace),
            };
            let list = api.list(&ListParams::default()).await;
            let namespace = match access.all_namespaces {
                true => "",
                false => connection.namespace.as_str(),
            };
            let list = list
                .map_err(|error| cluster::list_of_runs(&connection, namespace).problem(&error))?;
            (connection, list.items)
        }
    };
    let (finished, going): (Vec<_>, Vec<_>) = all.into_iter().partition(cluster::has_ended);
    for run in &going {
        out::warn(&format!(
            "note: {} is still going and stays; kubectl delete nettestrun/{0} -n {} ends it",
            run.name_any(),
            run.namespace().unwrap_or_default()
        ));
    }
    // What became of it: for programs the list, for people a sentence below it.
    let say = |done: &Cleaned, sentence: &str| -> anyhow::Result<()> {
        if !super::for_programs(args.form.output, done)? {
            out::print(&format!("{sentence}\n"))?;
        }
        Ok(())
    };
    let mut done = Cleaned {
        runs: finished.iter().map(named).collect(),
        deleted: 0,
    };
    if finished.is_empty() {
        return say(&done, "no finished run is there");
    }
    if args.form.output == Form::Table {
        out::print(&(done.runs.join("\n") + "\n"))?;
    }
    let count = counted(i64::try_from(finished.len()).unwrap_or(i64::MAX), "run");
    if args.dry_run {
        return say(&done, &format!("{count} would be deleted"));
    }
    if !args.yes
        && !asked(&format!(
            "delete {count}, with pods, pairs and documents? [y/N] "
        ))?
    {
        return say(&done, "nothing was deleted");
    }
    let slow = Slow::new(args.progress.quiet);
    for (index, run) in finished.iter().enumerate() {
        slow.note(|| format!("deleted {index} of {count}"));
        let runs: Api<NetTestRun> = Api::namespaced(
            connection.client.clone(),
            &run.namespace().unwrap_or_default(),
        );
        // Of this very run: one that was made meanwhile under its name stays.
        let params = DeleteParams {
            propagation_policy: Some(PropagationPolicy::Background),
            preconditions: Some(Preconditions {
                uid: run.uid(),
                resource_version: None,
            }),
            ..DeleteParams::default()
        };
        match runs.delete(&run.name_any(), &params).await {
            Ok(_) => {}
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {}
            Err(error) => {
                done.deleted = index;
                say(&done, &format!("{index} of {count} deleted"))?;
                return Err(cluster::deletion_of(&connection, run)
                    .problem(&error)
                    .into());
            }
        }
    }
    drop(slow);
    done.deleted = finished.len();
    say(&done, &format!("{count} deleted"))
}

/// For programs.
#[derive(Debug, Serialize)]
struct Cleaned {
    runs: Vec<String>,
    /// The first so many of them.
    deleted: usize,
}

fn named(run: &NetTestRun) -> String {
    format!("{}/{}", run.namespace().unwrap_or_default(), run.name_any())
}

/// Nobody is asked where nobody can answer.
fn asked(question: &str) -> anyhow::Result<bool> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        anyhow::bail!("nothing was deleted: say --yes, since there is no terminal to ask on");
    }
    let mut screen = std::io::stderr();
    write!(screen, "{question}")?;
    screen.flush()?;
    let mut answer = String::new();
    input.lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
