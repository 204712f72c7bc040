//! What keeps a command from an answer of the cluster: one sentence each, with what to do.

use super::client::said;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum Problem {
    #[error(
        "this cluster has no {0}: the CRDs of nettest are not installed; install the chart (helm install nettest charts/nettest), or measure this machine with kubectl nettest run --local"
    )]
    NotInstalled(&'static str),
    #[error("there is no {kind} {name} in {}{}", place(.namespace), hint(.nearest, .kind))]
    NoSuch {
        kind: &'static str,
        name: String,
        namespace: String,
        /// Of those that are there.
        nearest: Option<String>,
    },
    #[error(
        "you may not {verb} {resource} in {} ({message}); ask whoever runs the cluster, and check with: kubectl auth can-i {verb} {} {}",
        whole(.namespace), asked_as(.resource), flag(.namespace)
    )]
    NotPermitted {
        verb: &'static str,
        resource: &'static str,
        namespace: String,
        message: String,
    },
    #[error(
        "there are several of the name {name}, in the namespaces {}: choose one with --namespace",
        .namespaces.join(", ")
    )]
    Several {
        name: String,
        namespaces: Vec<String>,
    },
    #[error("the API server does not know you ({0}): log in again, or give another --context")]
    Unknown(String),
    #[error(
        "{what} has what this plugin does not know ({error}): it is of a newer nettest than the plugin, which is {}; install the plugin of the cluster's release",
        env!("CARGO_PKG_VERSION")
    )]
    Newer { what: String, error: String },
    #[error(
        "{what} is gone, or is not what the operator wrote: the pairs of the run are not whole any more; kubectl nettest why has what its status remembers, kubectl nettest run measures again"
    )]
    Lost { what: String },
    #[error("{name} has not run yet: {far}")]
    NeverRan { name: String, far: String },
    #[error(
        "{name} is still going ({far}) and no run of it has ended; follow it with: kubectl nettest watch {name} -n {namespace}"
    )]
    Going {
        name: String,
        namespace: String,
        far: String,
    },
    #[error(
        "the cluster at {server} does not answer: {error}; is it up, and is it the one that you mean (--context, --kubeconfig)?"
    )]
    Unreachable { server: String, error: String },
    #[error("cannot {verb} {what}: {error}")]
    Other {
        verb: &'static str,
        what: String,
        error: String,
    },
}

/// As kube has it, the namespace without a name is all of them.
fn place(namespace: &str) -> String {
    match namespace {
        "" => "any namespace".to_owned(),
        one => format!("namespace {one}"),
    }
}

/// Who may not do it in all namespaces may still do it in one.
fn whole(namespace: &str) -> String {
    match namespace {
        "" => "all namespaces".to_owned(),
        one => place(one),
    }
}

/// kubectl auth can-i takes what stands behind a slash for the name of an object.
fn asked_as(resource: &str) -> String {
    match resource.split_once('/') {
        Some((of, part)) => format!("{of} --subresource={part}"),
        None => resource.to_owned(),
    }
}

fn flag(namespace: &str) -> String {
    match namespace {
        "" => "-A".to_owned(),
        one => format!("-n {one}"),
    }
}

fn hint(nearest: &Option<String>, kind: &str) -> String {
    match nearest {
        Some(nearest) => format!("; did you mean {nearest}?"),
        None => format!(
            "; kubectl get {}s -A lists those that are there",
            kind.to_lowercase()
        ),
    }
}

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub verb: &'static str,
    /// `nettests.nettest.dev`.
    pub resource: &'static str,
    /// `NetTest`.
    pub kind: &'static str,
    pub name: Option<&'a str>,
    /// Empty: all.
    pub namespace: &'a str,
    /// Of whom.
    pub server: &'a str,
}

impl Asked<'_> {
    pub fn problem(&self, error: &kube::Error) -> Problem {
        let Asked {
            verb,
            resource,
            kind,
            name,
            namespace,
            server,
        } = *self;
        let what = match name {
            Some(name) => format!("{kind} {name}"),
            None if namespace.is_empty() => format!("the {kind}s of all namespaces"),
            None => format!("the {kind}s of namespace {namespace}"),
        };
        match error {
            kube::Error::Api(status) => match (status.code, name) {
                // Of a kind that is not there the answer names no object.
                (404, Some(name))
                    if status.details.as_ref().is_some_and(|d| !d.name.is_empty()) =>
                {
                    Problem::NoSuch {
                        kind,
                        name: name.to_owned(),
                        namespace: namespace.to_owned(),
                        nearest: None,
                    }
                }
                (404, _) if resource.ends_with(".nettest.dev") => Problem::NotInstalled(kind),
                (401, _) => Problem::Unknown(said(error)),
                (403, _) => Problem::NotPermitted {
                    verb,
                    resource,
                    namespace: namespace.to_owned(),
                    message: said(error),
                },
                _ => Problem::Other {
                    verb,
                    what,
                    error: said(error),
                },
            },
            kube::Error::SerdeError(error) => Problem::Newer {
                what,
                error: error.to_string(),
            },
            kube::Error::Service(_) | kube::Error::HyperError(_) => Problem::Unreachable {
                server: server.to_owned(),
                error: said(error),
            },
            error => Problem::Other {
                verb,
                what,
                error: said(error),
            },
        }
    }
}

/// The nearest of some names, if one is near: as many letters may differ as a third of it has.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    // Names in a cluster are small letters.
    let name = name.to_lowercase();
    names
        .map(|other| (strsim::damerau_levenshtein(&name, other), other))
        .filter(|(distance, other)| *distance <= name.len().max(other.len()).div_ceil(3))
        .min()
        .map(|(_, other)| other.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_and_an_absence_say_how_to_look() {
        let problem = |resource, namespace: &str| Problem::NotPermitted {
            verb: "get",
            resource,
            namespace: namespace.into(),
            message: "m".into(),
        };
        let logs = problem("pods/log", "lab").to_string();
        assert!(
            logs.contains("in namespace lab ")
                && logs.ends_with("kubectl auth can-i get pods --subresource=log -n lab"),
            "{logs}"
        );
        let all = problem("nettests.nettest.dev", "").to_string();
        assert!(
            all.contains("in all namespaces ")
                && all.ends_with("can-i get nettests.nettest.dev -A"),
            "{all}"
        );
        let gone = Problem::NoSuch {
            kind: "NetTestRun",
            name: "a-1".into(),
            namespace: "lab".into(),
            nearest: None,
        };
        assert!(gone.to_string().contains("kubectl get nettestruns -A"));
    }

    #[test]
    fn a_slip_has_a_near_name_and_a_stranger_none() {
        let names = || ["rack-a-to-b", "mesh", "pair-tcp"].into_iter();
        assert_eq!(
            nearest("rack-a-tob", names()).as_deref(),
            Some("rack-a-to-b")
        );
        assert_eq!(nearest("mseh", names()).as_deref(), Some("mesh"));
        assert_eq!(nearest("MESH", names()).as_deref(), Some("mesh"));
        assert_eq!(nearest("nightly-gate", names()), None);
        assert_eq!(nearest("x", [].into_iter()), None);
    }
}
