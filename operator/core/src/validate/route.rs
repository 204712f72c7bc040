//! By which address, and between which networks.

use super::Refusal;
use nettest_api::{endpoint::Network, path::PathKind, sweep::Sweep};

/// One way from a client to its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Route {
    pub path: PathKind,
    pub client: Network,
    pub server: Network,
}

/// As the spec has it, or one for each path of the sweep: Host takes the nodes' network at both ends.
pub(super) fn routes(
    path: PathKind,
    client: Network,
    server: Network,
    sweep: Option<&Sweep>,
) -> Result<Vec<Route>, Refusal> {
    let paths = sweep.map_or(&[][..], |sweep| &sweep.paths);
    if paths.is_empty() {
        return match (path, server) {
            (PathKind::Host, Network::Pod) => Err(Refusal::invalid(
                "path.type",
                "Host needs server.network Host",
            )),
            (PathKind::PodIP | PathKind::ClusterIP | PathKind::NodePort, Network::Host) => Err(
                Refusal::invalid("server.network", "Host needs path.type Host"),
            ),
            _ => Ok(vec![Route {
                path,
                client,
                server,
            }]),
        };
    }
    if path != PathKind::PodIP || server != Network::Pod {
        return Err(Refusal::invalid(
            "sweep.paths",
            "stands in place of path.type and server.network: remove them; Host in sweep.paths takes the nodes' network by itself",
        ));
    }
    Ok(paths
        .iter()
        .map(|&path| match path {
            PathKind::Host => Route {
                path,
                client: Network::Host,
                server: Network::Host,
            },
            PathKind::PodIP | PathKind::ClusterIP | PathKind::NodePort => Route {
                path,
                client,
                server: Network::Pod,
            },
        })
        .collect())
}
