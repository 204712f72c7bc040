//! Whether the engines had CPUs of their own, by what they themselves saw.

use crate::valid::{ValidEndpoint, ValidTest};
use nettest_api::endpoint::{CpuEnforcement, CpuMode};
use nettest_report::{digest::Digest, report::HostFacts};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pinning {
    /// Both ends are Exclusive and both engines confirmed it.
    Exclusive { message: String },
    /// At least one end ran in the shared pool, as asked.
    Shared { message: String },
    /// A Preferred end did not get CPUs of its own, and ran all the same.
    FellBack { message: String },
    /// An Exclusive end did not get, or did not confirm, CPUs of its own.
    Refused { message: String },
}

/// Judge a digest. An engine confirms by a set of exactly the asked CPUs, smaller than the machine's.
pub fn pinning(test: &ValidTest, digest: &Digest) -> Pinning {
    let ends = [
        ("client", &test.client, digest.client_host.as_ref()),
        ("server", &test.server, digest.server_host.as_ref()),
    ];
    let mut confirmed = Vec::new();
    let mut shared = Vec::new();
    let mut fallen_back = Vec::new();
    for (role, end, host) in ends {
        match end.cpu {
            CpuMode::Shared => shared.push(role),
            // A pool of the others' leavings may be as small as what was asked for, and is shared all the same.
            CpuMode::Exclusive if fell_back(end, digest.attempt) => fallen_back.push(format!(
                "the {role} ran in the shared pool: CPUs of its own are asked for in the first attempt alone, and this was attempt {}",
                digest.attempt
            )),
            CpuMode::Exclusive => match confirm(role, end, host) {
                Ok(message) => confirmed.push(message),
                Err(message) if end.enforcement == CpuEnforcement::Preferred => {
                    fallen_back.push(message);
                }
                Err(message) => return Pinning::Refused { message },
            },
        }
    }
    if !fallen_back.is_empty() {
        return Pinning::FellBack {
            message: fallen_back.join("; "),
        };
    }
    if shared.is_empty() {
        Pinning::Exclusive {
            message: confirmed.join("; "),
        }
    } else {
        Pinning::Shared {
            message: format!("{} ran in the shared pool", shared.join(" and ")),
        }
    }
}

/// CPUs that are only preferred are asked for once: a later attempt has none, whatever its engine sees.
pub fn fell_back(end: &ValidEndpoint, attempt: u32) -> bool {
    end.cpu == CpuMode::Exclusive && end.enforcement == CpuEnforcement::Preferred && attempt > 1
}

fn confirm(role: &str, end: &ValidEndpoint, host: Option<&HostFacts>) -> Result<String, String> {
    let Some(host) = host else {
        return Err(format!("the {role}'s engine did not say which CPUs it had"));
    };
    let HostFacts {
        allowed_cpus,
        allowed_cpu_count,
        online_cpu_count,
        ..
    } = host;
    if *allowed_cpu_count != end.cpus || allowed_cpu_count >= online_cpu_count {
        return Err(format!(
            "the {role}'s engine was allowed {allowed_cpu_count} of {online_cpu_count} CPUs ({allowed_cpus}), {} of its own asked: the node's kubelet needs --cpu-manager-policy=static",
            end.cpus
        ));
    }
    Ok(format!(
        "{role} on CPU {allowed_cpus} of {online_cpu_count}"
    ))
}

#[cfg(test)]
mod tests;
