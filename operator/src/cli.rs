//! The command line; every flag has an environment variable, so that a chart can set either.

mod policy;

pub use policy::PolicyArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::net::SocketAddr;

/// Measures the network between pods and nodes, as NetTest objects ask.
#[derive(Debug, Parser)]
#[command(name = "nettest-operator", version, about, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the controller.
    Run(Box<RunArgs>),
    /// Print the CustomResourceDefinitions as YAML.
    Crd,
}

#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// Image that has /nettest-engine in it.
    #[arg(long, env = "NETTEST_ENGINE_IMAGE", value_name = "IMAGE")]
    pub engine_image: String,

    /// When nodes pull the engine image.
    #[arg(
        long,
        env = "NETTEST_PULL_POLICY",
        value_enum,
        default_value = "IfNotPresent"
    )]
    pub pull_policy: PullPolicy,

    /// Names of Secrets for pulling the engine image, in each test's namespace.
    #[arg(
        long,
        env = "NETTEST_IMAGE_PULL_SECRETS",
        value_delimiter = ',',
        value_name = "NAME,..."
    )]
    pub image_pull_secrets: Vec<String>,

    /// The operator's own namespace: its Lease is here, and host network is allowed here by default.
    #[arg(long, env = "POD_NAMESPACE", default_value = "default")]
    pub namespace: String,

    /// Name of this replica.
    #[arg(long, env = "POD_NAME", value_name = "NAME")]
    pub pod_name: Option<String>,

    /// Namespaces to serve; all when unset.
    #[arg(
        long,
        env = "NETTEST_WATCH_NAMESPACES",
        value_delimiter = ',',
        value_name = "NAMESPACE,..."
    )]
    pub watch_namespaces: Vec<String>,

    /// Take part in leader election; needed with more than one replica.
    #[arg(long, env = "NETTEST_LEADER_ELECT", default_value_t = true, action = clap::ArgAction::Set, value_name = "BOOL")]
    pub leader_elect: bool,

    /// Where /metrics, /healthz and /readyz are served.
    #[arg(
        long,
        env = "NETTEST_ADMIN_ADDRESS",
        default_value = "0.0.0.0:8080",
        value_name = "ADDRESS"
    )]
    pub admin_address: SocketAddr,

    /// Show results under the names of the common iperf3 exporter, too (iperf3_sent_bytes and the like).
    #[arg(long, env = "NETTEST_IPERF3_EXPORTER_NAMES", default_value_t = false, action = clap::ArgAction::Set, value_name = "BOOL")]
    pub iperf3_exporter_names: bool,

    /// Form of the log.
    #[arg(long, env = "NETTEST_LOG_FORMAT", value_enum, default_value = "text")]
    pub log_format: LogFormat,

    /// What to log, as tracing's EnvFilter writes it.
    #[arg(
        long,
        env = "NETTEST_LOG",
        default_value = "info,kube_client=warn",
        value_name = "FILTER"
    )]
    pub log: String,

    #[command(flatten)]
    pub policy: PolicyArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PullPolicy {
    #[value(name = "Always")]
    Always,
    #[value(name = "IfNotPresent")]
    IfNotPresent,
    #[value(name = "Never")]
    Never,
}

impl PullPolicy {
    pub const fn as_str(self) -> &'static str {
        match self {
            PullPolicy::Always => "Always",
            PullPolicy::IfNotPresent => "IfNotPresent",
            PullPolicy::Never => "Never",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

impl RunArgs {
    /// The namespaces to serve, each once; empty for all. An environment variable set to nothing means unset.
    pub fn served_namespaces(&self) -> Vec<String> {
        let mut names: Vec<String> = non_empty(&self.watch_namespaces);
        names.sort();
        names.dedup();
        names
    }

    pub fn pull_secrets(&self) -> Vec<String> {
        non_empty(&self.image_pull_secrets)
    }

    /// Who we are among the replicas. A pod's name is enough: the container before it is dead, so its lease can be
    /// taken over at once. A host's name is not: two operators of one host would both think that they lead, so
    /// `distinction` must differ between processes.
    pub fn identity(&self, distinction: &str) -> String {
        let pod = self.pod_name.as_deref().filter(|name| !name.is_empty());
        pod.map_or_else(|| format!("nettest-operator-{distinction}"), str::to_owned)
    }
}

fn non_empty(names: &[String]) -> Vec<String> {
    names
        .iter()
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str]) -> RunArgs {
        let base = [
            "nettest-operator",
            "run",
            "--engine-image",
            "localhost/nettest:dev",
        ];
        match Cli::try_parse_from(base.iter().chain(words))
            .unwrap()
            .command
        {
            Command::Run(args) => *args,
            Command::Crd => panic!("asked for run"),
        }
    }

    #[test]
    fn namespaces_are_counted_once_and_empty_means_all() {
        assert_eq!(
            run(&["--watch-namespaces", "b,a,,b"]).served_namespaces(),
            ["a", "b"]
        );
        assert!(
            run(&["--watch-namespaces", ""])
                .served_namespaces()
                .is_empty()
        );
    }

    #[test]
    fn an_engine_image_is_required() {
        let error = Cli::try_parse_from(["nettest-operator", "run"]).unwrap_err();
        assert!(error.to_string().contains("--engine-image"), "{error}");
    }

    #[test]
    fn two_operators_of_one_host_are_two() {
        let args = run(&["--pod-name", ""]);
        assert_ne!(args.identity("a"), args.identity("b"));
        assert_eq!(run(&["--pod-name", "op-0"]).identity("a"), "op-0");
    }

    #[test]
    fn election_can_be_switched_off() {
        assert!(run(&[]).leader_elect);
        assert!(!run(&["--leader-elect=false"]).leader_elect);
    }
}
