//! `cleanup NAME`, `cleanup --all`: delete finished runs. Their pods and ConfigMaps go with them, by their owner references.

use crate::cli::CleanupArgs;
use crate::cluster::{self, Target};
use crate::show::out;
use kube::{
    Api, ResourceExt,
    api::{DeleteParams, ListParams, Preconditions, PropagationPolicy},
};
use nettest_api::NetTestRun;
use std::io::{BufRead, IsTerminal, Write};

pub async fn cleanup(args: &CleanupArgs) -> anyhow::Result<()> {
    let target = args.name.as_deref().map(str::parse::<Target>).transpose()?;
    let connection = super::connect(&args.access).await?;
    let all = match &target {
        Some(target) => cluster::find(&connection, target).await?.runs,
        None => {
            let api: Api<NetTestRun> = match args.all_namespaces {
                true => Api::all(connection.client.clone()),
                false => Api::namespaced(connection.client.clone(), &connection.namespace),
            };
            let list = api.list(&ListParams::default()).await;
            let namespace = match args.all_namespaces {
                true => "(all)",
                false => connection.namespace.as_str(),
            };
            list.map_err(|error| cluster::list_of_runs(namespace).problem(&error))?
                .items
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
    if finished.is_empty() {
        return Ok(out::print("no finished run is there\n")?);
    }
    for run in &finished {
        out::print(&format!("{}\n", named(run)))?;
    }
    let count = finished.len();
    let what = if count == 1 { "run" } else { "runs" };
    if args.dry_run {
        return Ok(out::print(&format!("{count} {what} would be deleted\n"))?);
    }
    if !args.yes
        && !asked(&format!(
            "delete {count} {what}, with pods, pairs and documents? [y/N] "
        ))?
    {
        return Ok(out::print("nothing was deleted\n")?);
    }
    for run in &finished {
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
                return Err(cluster::deletion_of(run).problem(&error).into());
            }
        }
    }
    Ok(out::print(&format!("{count} {what} deleted\n"))?)
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
