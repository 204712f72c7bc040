//! What this machine grants to the engine.
//!
//! - [`facts`]: names, CPUs, MTU: what goes into a report
//! - [`exclusive`]: whether the CPUs are ours alone
//! - [`throttling`]: how often the cgroup's CPU limit stopped us
//! - [`cpu_clock`]: CPU time of this process over a span
//! - [`room`]: whether there are threads and descriptors left
mod cpu_clock;
mod cpu_list;
mod exclusive;
mod facts;
pub mod room;
mod throttling;

pub use cpu_clock::CpuClock;
pub use cpu_list::{format_cpus, online_cpus, parse_cpus};
pub use exclusive::{ExclusiveError, exclusive};
pub use facts::{facts, system_info};
pub use throttling::Throttling;
