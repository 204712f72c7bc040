//! The commands about tests and runs that are there, one a file.

mod cleanup;
mod compare;
mod completion;
mod history;
mod matrix;
mod report;
mod watch;
mod why;

pub use cleanup::cleanup;
pub use compare::compare;
pub use completion::completion;
pub use history::history;
pub use matrix::matrix;
pub use report::report;
pub use watch::watch;
pub use why::why;

use crate::cli::{AccessArgs, Form};
use crate::cluster::{self, Connection, Found, Target};
use crate::show::{object, out};
use serde::Serialize;

async fn connect(access: &AccessArgs) -> anyhow::Result<Connection> {
    let AccessArgs {
        namespace,
        all_namespaces: _,
        context,
        kubeconfig,
    } = access;
    Ok(cluster::connect(
        kubeconfig.as_deref(),
        context.as_deref(),
        namespace.as_deref(),
    )
    .await?)
}

/// The cluster, and what a name means there.
async fn find(access: &AccessArgs, name: &str) -> anyhow::Result<(Connection, Found)> {
    // A wrong name needs no cluster to be one.
    let target: Target = name.parse()?;
    let mut connection = connect(access).await?;
    if access.all_namespaces {
        connection.namespace = cluster::namespace_of(&connection, &target).await?;
    }
    let found = cluster::find(&connection, &target).await?;
    Ok((connection, found))
}

/// What a command has found out, for programs; `false`: for people.
fn for_programs(form: Form, value: &impl Serialize) -> anyhow::Result<bool> {
    let Some(format) = object::Format::of_form(form) else {
        return Ok(false);
    };
    out::print(&object::text(value, format)?)?;
    Ok(true)
}

/// Its latest run that has ended; that a later one is going is said beside.
fn finished(found: &Found) -> anyhow::Result<nettest_api::NetTestRun> {
    let (run, note) = found.finished()?;
    if let Some(note) = note {
        out::warn(&format!("note: {note}"));
    }
    Ok(run)
}
