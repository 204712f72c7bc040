//! A test or a run by its name, and the runs that it means.

use crate::subject::run_of;

use super::{
    client::Connection,
    problem::{Asked, Problem, nearest},
    state::{State, state},
    target::Target,
};
use kube::{Api, ResourceExt, api::ListParams};
use nettest_api::{NetTest, NetTestRun, labels};
use nettest_core::names;

/// What a name means.
#[derive(Debug)]
pub struct Found {
    pub name: String,
    /// `None`: a run was named.
    pub test: Option<NetTest>,
    /// Newest first. Of a named run only that one.
    pub runs: Vec<NetTestRun>,
}

const TESTS: (&str, &str) = ("nettests.nettest.dev", "NetTest");
const RUNS: (&str, &str) = ("nettestruns.nettest.dev", "NetTestRun");

/// In a namespace of it; in all where that has no name.
fn asked<'a>(
    connection: &'a Connection,
    verb: &'static str,
    (resource, kind): (&'static str, &'static str),
    name: Option<&'a str>,
    namespace: &'a str,
) -> Asked<'a> {
    Asked {
        verb,
        resource,
        kind,
        name,
        namespace,
        server: &connection.server,
    }
}

/// Looks it up. A name that is not there comes with the nearest one that is.
pub async fn find(connection: &Connection, target: &Target) -> Result<Found, Problem> {
    let Connection {
        client, namespace, ..
    } = connection;
    let runs: Api<NetTestRun> = Api::namespaced(client.clone(), namespace);
    match target {
        Target::Run(name) => match runs.get(name).await {
            Ok(run) => Ok(Found {
                name: name.clone(),
                test: None,
                runs: vec![run],
            }),
            Err(error) => {
                let problem = asked(connection, "get", RUNS, Some(name), namespace).problem(&error);
                Err(with_nearest(problem, &runs).await)
            }
        },
        Target::Test(name) => {
            let tests: Api<NetTest> = Api::namespaced(client.clone(), namespace);
            let test = match tests.get(name).await {
                Ok(test) => test,
                Err(error) => {
                    let problem =
                        asked(connection, "get", TESTS, Some(name), namespace).problem(&error);
                    return Err(with_nearest(problem, &tests).await);
                }
            };
            let of_test = format!("{}={}", labels::TEST, names::label_value(name));
            let list = runs.list(&ListParams::default().labels(&of_test)).await;
            let list = list.map_err(|error| {
                asked(connection, "list", RUNS, None, namespace).problem(&error)
            })?;
            Ok(Found {
                name: name.clone(),
                runs: newest_first(list.items, &test),
                test: Some(test),
            })
        }
    }
}

/// The one namespace that has such a test or run.
pub async fn namespace_of(connection: &Connection, target: &Target) -> Result<String, Problem> {
    match target {
        Target::Run(name) => only::<NetTestRun>(connection, RUNS, name).await,
        Target::Test(name) => only::<NetTest>(connection, TESTS, name).await,
    }
}

async fn only<K>(
    connection: &Connection,
    kind: (&'static str, &'static str),
    name: &str,
) -> Result<String, Problem>
where
    K: kube::Resource<DynamicType = ()> + Clone + serde::de::DeserializeOwned + std::fmt::Debug,
{
    let api: Api<K> = Api::all(connection.client.clone());
    let there = api.list_metadata(&ListParams::default()).await;
    let there = there.map_err(|error| asked(connection, "list", kind, None, "").problem(&error))?;
    let named = there.items.iter().filter(|one| one.name_any() == name);
    let mut namespaces: Vec<String> = named.filter_map(ResourceExt::namespace).collect();
    namespaces.sort();
    match namespaces.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Problem::NoSuch {
            nearest: nearest_of(name, &there.items),
            kind: kind.1,
            name: name.to_owned(),
            namespace: String::new(),
        }),
        _ => Err(Problem::Several {
            name: name.to_owned(),
            namespaces,
        }),
    }
}

fn nearest_of(name: &str, there: &[impl kube::Resource]) -> Option<String> {
    let names: Vec<String> = there.iter().map(ResourceExt::name_any).collect();
    nearest(name, names.iter().map(String::as_str))
}

/// Those that this very test owns: one of its name that was deleted may have left some.
fn newest_first(runs: Vec<NetTestRun>, test: &NetTest) -> Vec<NetTestRun> {
    let uid = test.uid();
    let is_its = |run: &NetTestRun| {
        let owners = run.owner_references();
        owners.iter().any(|owner| Some(&owner.uid) == uid.as_ref())
    };
    let mut runs: Vec<NetTestRun> = runs.into_iter().filter(is_its).collect();
    runs.sort_by_key(|run| std::cmp::Reverse((run.creation_timestamp(), run.name_any())));
    runs
}

async fn with_nearest<K>(problem: Problem, api: &Api<K>) -> Problem
where
    K: kube::Resource + Clone + serde::de::DeserializeOwned + std::fmt::Debug,
{
    let Problem::NoSuch {
        kind,
        name,
        namespace,
        ..
    } = problem
    else {
        return problem;
    };
    // Without the right to list there is no hint, and that is no news.
    let there = api.list_metadata(&ListParams::default()).await;
    let there = there.map_or(vec![], |list| list.items);
    Problem::NoSuch {
        nearest: nearest_of(&name, &there),
        kind,
        name,
        namespace,
    }
}

impl Found {
    /// The newest run, whether it has ended or not.
    pub fn newest(&self) -> Option<NetTestRun> {
        match self.runs.first() {
            Some(run) if !has_ended(run) => Some(run.clone()),
            run => self.later(run.cloned()),
        }
    }

    /// Of a run that is gone the test's status has what it knows; an older one may be kept.
    fn later(&self, kept: Option<NetTestRun>) -> Option<NetTestRun> {
        let ended = |run: &NetTestRun| {
            let time = run.status.as_ref()?.finish_time.as_ref()?;
            Some(time.0)
        };
        let is_gone = |run: &NetTestRun| {
            let name = run.name_any();
            self.runs.iter().all(|kept| kept.name_any() != name)
        };
        let remembered = self.test.as_ref().and_then(remembered).filter(is_gone);
        match (kept, remembered) {
            (Some(kept), Some(gone)) if ended(&kept) < ended(&gone) => Some(gone),
            (kept, gone) => kept.or(gone),
        }
    }

    /// The latest run that has ended, and the sentence that a later one is going.
    pub fn finished(&self) -> Result<(NetTestRun, Option<String>), Problem> {
        let ended = |run: &&NetTestRun| state(*run) == State::Ended;
        let latest = self.runs.first();
        let kept = self.runs.iter().find(ended).cloned();
        match self.later(kept) {
            Some(run) => {
                let later = latest.filter(|latest| latest.uid() != run.uid());
                let note = later.filter(|later| !ended(later)).map(|later| {
                    format!(
                        "{} is still going; this is {}, which ended before",
                        later.name_any(),
                        run.name_any()
                    )
                });
                Ok((run, note))
            }
            None => Err(match latest {
                Some(run) => Problem::Going {
                    name: self.name.clone(),
                    namespace: run.namespace().unwrap_or_default(),
                    far: far(run),
                },
                None => Problem::NeverRan {
                    name: self.name.clone(),
                    far: self.test.as_ref().map_or_else(String::new, waits),
                },
            }),
        }
    }
}

pub fn has_ended(run: &NetTestRun) -> bool {
    state(run) == State::Ended
}

/// For the problems of a list of runs.
pub fn list_of_runs<'a>(connection: &'a Connection, namespace: &'a str) -> Asked<'a> {
    asked(connection, "list", RUNS, None, namespace)
}

/// For the problems of a deletion.
pub fn deletion_of<'a>(connection: &'a Connection, run: &'a NetTestRun) -> Asked<'a> {
    let meta = &run.metadata;
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    asked(connection, "delete", RUNS, meta.name.as_deref(), namespace)
}

/// How far a run is, in words.
pub fn far(run: &NetTestRun) -> String {
    match state(run) {
        State::Unseen => "no operator has looked at it yet".to_owned(),
        State::Going(said) | State::Measuring(said) => said,
        State::Ended => "ended".to_owned(),
    }
}

/// Why a test has no run.
fn waits(test: &NetTest) -> String {
    let status = test.status.as_ref();
    if let Some(time) = status.and_then(|status| status.next_run_time.as_ref()) {
        return format!("its schedule starts it at {}", time.0);
    }
    if test
        .spec
        .schedule
        .as_ref()
        .is_some_and(|schedule| schedule.suspend)
    {
        return "its schedule is suspended (spec.schedule.suspend)".to_owned();
    }
    match state(test) {
        State::Unseen => {
            "no operator has looked at it yet; is one installed, and does it watch this namespace?"
                .to_owned()
        }
        State::Going(said) | State::Measuring(said) => said,
        State::Ended => "its runs are gone".to_owned(),
    }
}

/// What a test's status says of its latest run.
fn remembered(test: &NetTest) -> Option<NetTestRun> {
    let status = test.status.as_ref()?;
    status.verdict?;
    status.latest_run.as_ref()?;
    Some(run_of(test))
}
