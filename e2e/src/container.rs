//! A pod's container as this machine sees it: the cgroup that the kubelet made, and what runs in it.
//!
//! The cluster's machines are namespaces of this one, with cgroup v1 and the kubelet's cgroupfs driver:
//! `HIERARCHY/nettest-NODE/kubepods[/besteffort|/burstable]/podUID/CONTAINER`.

use crate::process::Process;
use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use std::{
    fs,
    path::{Path, PathBuf},
};

const HIERARCHIES: &str = "/sys/fs/cgroup";
/// The kubelet's folders by quality of service; a Guaranteed pod is at the top.
const QOS: [&str; 3] = ["", "burstable", "besteffort"];

/// One running container.
#[derive(Debug, Clone)]
pub struct Container {
    node: String,
    pod_uid: String,
    name: String,
    id: String,
}

impl Container {
    /// The container of that name; an error before the kubelet has started it.
    pub fn of(pod: &Pod, name: &str) -> Result<Container> {
        let status = pod.status.as_ref();
        let statuses = status.and_then(|s| s.container_statuses.as_ref());
        let id = statuses
            .into_iter()
            .flatten()
            .find(|s| s.name == name)
            .and_then(|s| s.container_id.as_deref())
            .and_then(|id| id.rsplit_once("//"))
            .with_context(|| format!("{} has no container {name} yet", pod.name_any()))?
            .1;
        let node = pod.spec.as_ref().and_then(|s| s.node_name.clone());
        Ok(Container {
            node: node.with_context(|| format!("{} has no node", pod.name_any()))?,
            pod_uid: pod.uid().unwrap_or_default(),
            name: name.to_owned(),
            id: id.to_owned(),
        })
    }

    /// Its folder in a hierarchy of cgroup v1.
    fn cgroup(&self, hierarchy: &str) -> Result<PathBuf> {
        let pods = Path::new(HIERARCHIES)
            .join(hierarchy)
            .join(format!("nettest-{}", self.node))
            .join("kubepods");
        QOS.iter()
            .map(|qos| {
                pods.join(qos)
                    .join(format!("pod{}", self.pod_uid))
                    .join(&self.id)
            })
            .find(|folder| folder.is_dir())
            .with_context(|| format!("no cgroup of pod {} below {}", self.pod_uid, pods.display()))
    }

    /// The CPUs that its cgroup lets it use, e.g. `0`.
    pub fn cpuset(&self) -> Result<String> {
        let file = self.cgroup("cpuset")?.join("cpuset.cpus");
        Ok(fs::read_to_string(file)?.trim().to_owned())
    }

    /// CPU limit in microseconds a period; `None` for no limit.
    pub fn cpu_quota(&self) -> Result<Option<u64>> {
        let quota = fs::read_to_string(self.cgroup("cpu")?.join("cpu.cfs_quota_us"))?;
        Ok(quota.trim().parse().ok())
    }

    /// The processes that run in it.
    pub fn processes(&self) -> Result<Vec<Process>> {
        let pids = fs::read_to_string(self.cgroup("cpuset")?.join("cgroup.procs"))?;
        pids.lines().map(|pid| Process::of(pid.parse()?)).collect()
    }

    /// Its only process, and it runs that program.
    pub fn process(&self, program: &str) -> Result<Process> {
        let mut processes = self.processes()?;
        ensure!(
            processes.len() == 1 && processes[0].program.ends_with(program),
            "container {} of pod {} should run {program} alone: {processes:?}",
            self.name,
            self.pod_uid
        );
        Ok(processes.remove(0))
    }

    /// The exclusive CPUs that the kubelet's static policy wrote down for it; `None` for the shared pool.
    pub fn exclusive_cpus(&self, cluster: &crate::cluster::Cluster) -> Result<Option<String>> {
        let file = cluster
            .state
            .join(&self.node)
            .join("kubelet/cpu_manager_state");
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let state: serde_json::Value = serde_json::from_str(&text)?;
        let granted = &state["entries"][&self.pod_uid][&self.name];
        Ok(granted.as_str().map(str::to_owned))
    }
}
