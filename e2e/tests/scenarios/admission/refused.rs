//! Bad specs.

/// A spec, and what the refusal must say.
pub const REFUSED: &[(&str, &str)] = &[
    // unknown fields
    (
        "traffic: {paralelStreams: 4}",
        "spec.traffic.paralelStreams",
    ),
    ("image: mine", "spec.image"),
    ("client: {command: [sh]}", "spec.client.command"),
    ("server: {cpu: {cores: 2}}", "spec.server.cpu.cores"),
    // words that are not in the list
    ("topology: {type: Ring}", "spec.topology.type"),
    (
        "topology: {pair: {placement: Near}}",
        "spec.topology.pair.placement",
    ),
    ("path: {type: LoadBalancer}", "spec.path.type"),
    ("traffic: {protocol: tcp}", "spec.traffic.protocol"),
    ("traffic: {direction: Sideways}", "spec.traffic.direction"),
    ("client: {network: host}", "spec.client.network"),
    ("client: {cpu: {mode: Pinned}}", "spec.client.cpu.mode"),
    (
        "thresholds: [{name: a, metric: Speed, min: 1}]",
        "spec.thresholds[0].metric",
    ),
    // numbers out of range
    (
        "traffic: {parallelStreams: 0}",
        "spec.traffic.parallelStreams",
    ),
    (
        "traffic: {parallelStreams: 129}",
        "spec.traffic.parallelStreams",
    ),
    ("client: {cpu: {count: 0}}", "spec.client.cpu.count"),
    ("server: {cpu: {count: 65}}", "spec.server.cpu.count"),
    ("repeats: {count: 0}", "spec.repeats.count"),
    ("repeats: {count: 21}", "spec.repeats.count"),
    ("traffic: {duration: 0s}", "traffic.duration is 1s to 24h"),
    ("traffic: {duration: 25h}", "traffic.duration is 1s to 24h"),
    ("traffic: {omit: 601s}", "traffic.omit is at most 600s"),
    (
        "traffic: {interval: 50ms}",
        "traffic.interval is 100ms to 60s",
    ),
    (
        "traffic: {interval: 61s}",
        "traffic.interval is 100ms to 60s",
    ),
    ("repeats: {pause: 11m}", "repeats.pause is at most 10m"),
    (
        "limits: {scheduleTimeout: 1s}",
        "limits.scheduleTimeout is 5s to 24h",
    ),
    (
        "limits: {scheduleTimeout: 25h}",
        "limits.scheduleTimeout is 5s to 24h",
    ),
    (
        "limits: {runTimeout: 9s}",
        "limits.runTimeout is 10s to 48h",
    ),
    ("traffic: {bitrate: -1}", "spec.traffic.bitrate"),
    (
        "traffic: {messageSize: 1048577}",
        "traffic.messageSize is 1 to 1Mi for TCP",
    ),
    (
        "traffic: {protocol: UDP, messageSize: 15}",
        "traffic.messageSize is 16 to 65507 for UDP",
    ),
    (
        "traffic: {protocol: UDP, messageSize: 65508}",
        "traffic.messageSize is 16 to 65507 for UDP",
    ),
    // sizes as text
    (
        "traffic: {messageSize: 2Mi}",
        "traffic.messageSize is 1 to 1Mi for TCP",
    ),
    (
        "traffic: {protocol: UDP, messageSize: 64Ki}",
        "traffic.messageSize is 16 to 65507 for UDP",
    ),
    (
        "traffic: {protocol: UDP, messageSize: \"8\"}",
        "traffic.messageSize is 16 to 65507 for UDP",
    ),
    (
        "traffic: {windowSize: 1Gi}",
        "traffic.windowSize is 1 to 512Mi",
    ),
    ("traffic: {bitrate: 2T}", "traffic.bitrate is at most 1T"),
    ("traffic: {bytes: 0}", "traffic.bytes is 1 to 16Ti"),
    ("server: {memory: 900Gi}", "memory is 32Mi to 64Gi"),
    ("client: {memory: 1Mi}", "spec.client.memory"),
    (
        "traffic: {duration: 1500ms}",
        "traffic.duration is 1s to 24h in whole seconds",
    ),
    ("server: {nodeName: \"Node 1\"}", "spec.server.nodeName"),
    // text that is no number, no time, no name
    ("traffic: {duration: ten}", "spec.traffic.duration"),
    ("traffic: {duration: 10}", "spec.traffic.duration"),
    ("traffic: {bitrate: fast}", "spec.traffic.bitrate"),
    ("traffic: {bitrate: \"-1\"}", "spec.traffic.bitrate"),
    ("client: {memory: lots}", "spec.client.memory"),
    (
        "traffic: {congestionControl: \"cubic; reboot\"}",
        "spec.traffic.congestionControl",
    ),
    (
        "thresholds: [{name: Bad Name, metric: Throughput, min: 1M}]",
        "spec.thresholds[0].name",
    ),
    // contradictions
    (
        "traffic: {duration: 10s, bytes: 1G}",
        "traffic.duration, traffic.bytes and traffic.blocks exclude each other",
    ),
    (
        "traffic: {protocol: UDP, congestionControl: cubic}",
        "traffic.congestionControl is TCP's",
    ),
    (
        "traffic: {protocol: UDP, zeroCopy: true}",
        "traffic.zeroCopy is TCP's",
    ),
    ("traffic: {udpOffload: true}", "traffic.udpOffload is UDP's"),
    (
        "traffic: {fast: true, zeroCopy: false}",
        "traffic.zeroCopy false contradicts traffic.fast",
    ),
    (
        "traffic: {fast: true, skipReceiveCopy: false}",
        "traffic.skipReceiveCopy false contradicts traffic.fast",
    ),
    (
        "traffic: {protocol: UDP, fast: true, udpOffload: false}",
        "traffic.udpOffload false contradicts traffic.fast",
    ),
    ("traffic: {fast: Everything}", "spec.traffic.fast"),
    (
        "path: {type: Host}",
        "path.type Host needs server.network Host",
    ),
    (
        "server: {network: Host}",
        "server.network Host needs path.type Host",
    ),
    (
        "client: {nodeName: node1, nodeSelector: {a: b}}",
        "set nodeName or nodeSelector, not both",
    ),
    (
        "topology: {pair: {placement: SameNode}}\nclient: {nodeName: node1}\nserver: {nodeName: node2}",
        "placement SameNode contradicts client.nodeName and server.nodeName",
    ),
    (
        "client: {nodeName: node1}\nserver: {nodeName: node1}",
        "placement DifferentNode contradicts client.nodeName and server.nodeName",
    ),
    (
        "thresholds: [{name: loss, metric: LossPPM, max: 1}]",
        "thresholds on LossPPM and JitterMicroseconds need UDP",
    ),
    (
        "thresholds: [{name: rate, metric: Throughput, max: 1M}]",
        "Throughput has min (bits per second",
    ),
    (
        "thresholds: [{name: rate, metric: Throughput}]",
        "Throughput has min (bits per second",
    ),
    (
        "traffic: {protocol: UDP}\nthresholds: [{name: loss, metric: LossPPM, min: 1}]",
        "every other metric has max",
    ),
    (
        "thresholds: [{name: a, metric: Throughput, min: 1M}, {name: a, metric: Throughput, min: 2M}]",
        "Duplicate value",
    ),
    (
        "thresholds: [{name: a, metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 90, nodeLabel: a}}, {name: b, metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 90, nodeLabel: b}}]",
        "name the same label: a link has one speed",
    ),
    // topologies, sweeps, options of one protocol, thresholds
    (
        "{traffic: {duration: 10s, bytes: 1Gi}}",
        "exclude each other: set the one",
    ),
    (
        "{traffic: {blocks: 10, bytes: 1Gi}}",
        "exclude each other: set the one",
    ),
    (
        "{traffic: {bitrateBurst: 10}}",
        "traffic.bitrateBurst needs a traffic.bitrate above 0",
    ),
    (
        "{traffic: {bitrateBurst: 10, bitrate: 0}}",
        "traffic.bitrateBurst needs a traffic.bitrate above 0",
    ),
    (
        "{traffic: {mptcp: true, dscp: 1}}",
        "traffic.mptcp: Linux takes no",
    ),
    (
        "{traffic: {protocol: UDP, mptcp: true}}",
        "traffic.mptcp is TCP's",
    ),
    (
        "{traffic: {protocol: UDP, mss: 1000}}",
        "traffic.mss is TCP's and SCTP's",
    ),
    (
        "{sweep: {protocols: [UDP]}, traffic: {noDelay: true}}",
        "traffic.noDelay is TCP's and SCTP's",
    ),
    (
        "{traffic: {protocol: SCTP, sendTimeout: 1s}}",
        "traffic.sendTimeout is TCP's",
    ),
    (
        "{traffic: {sctpStreams: 5}}",
        "traffic.sctpStreams is SCTP's",
    ),
    (
        "{traffic: {dontFragment: true}}",
        "traffic.dontFragment is UDP's",
    ),
    (
        "{traffic: {protocol: UDP, dontFragment: true}, path: {ipFamily: IPv6}}",
        "traffic.dontFragment is IPv4's",
    ),
    ("{traffic: {flowLabel: 1}}", "traffic.flowLabel is IPv6's"),
    (
        "{sweep: {protocols: [UDP, SCTP]}, traffic: {congestionControl: bbr}}",
        "traffic.congestionControl is TCP's",
    ),
    (
        "{traffic: {protocol: UDP, zeroCopy: true}}",
        "traffic.zeroCopy is TCP's",
    ),
    (
        "{traffic: {udpOffload: true}}",
        "traffic.udpOffload is UDP's",
    ),
    (
        "{traffic: {messageSize: 128Ki}, sweep: {protocols: [TCP, UDP]}}",
        "traffic.messageSize is 16 to 65507 for UDP",
    ),
    (
        "{sweep: {protocols: [TCP, UDP], messageSizes: [64, 128Ki]}}",
        "sweep.messageSizes are 16 to 65507 each for UDP",
    ),
    (
        "{sweep: {messageSizes: [64, 2Mi]}}",
        "sweep.messageSizes are 1 to 1Mi each",
    ),
    (
        "{sweep: {windowSizes: [64, 1Gi]}}",
        "sweep.windowSizes are 1 to 512Mi each",
    ),
    (
        "{traffic: {messageSize: 2Mi}}",
        "traffic.messageSize is 1 to 1Mi",
    ),
    (
        "{sweep: {parallelStreams: [1,2,3,4,5,6,7,8,9,10,11,12,13], messageSizes: [1,2,3,4,5]}}",
        "sweep makes more than 64 variants",
    ),
    (
        "{sweep: {parallelStreams: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}}",
        "Too many",
    ),
    ("{sweep: {paths: []}}", "should have at least 1 items"),
    ("{sweep: {protocols: [TCP, TCP]}}", "Duplicate value"),
    (
        "{sweep: {protocols: [UDP], congestionControls: [bbr]}}",
        "sweep.congestionControls is TCP's: remove it, or add TCP",
    ),
    (
        "{traffic: {protocol: UDP}, sweep: {congestionControls: [bbr]}}",
        "sweep.congestionControls is TCP's: remove it, or set traffic.protocol",
    ),
    (
        "{path: {type: ClusterIP}, sweep: {paths: [PodIP, Host]}}",
        "sweep.paths stands in place of path.type",
    ),
    (
        "{path: {type: Host}, server: {network: Host}, sweep: {paths: [PodIP, Host]}}",
        "sweep.paths stands in place of path.type",
    ),
    (
        "{topology: {type: External, external: {host: a}}, path: {type: ClusterIP}}",
        "topology.type External has one way",
    ),
    (
        "{topology: {type: External, external: {host: a}}, server: {nodeName: b}}",
        "topology.type External has no server pod",
    ),
    (
        "{topology: {type: External}}",
        "topology.external and topology.type External need each other",
    ),
    (
        "{topology: {external: {host: a}}}",
        "topology.external and topology.type External need each other",
    ),
    (
        "{topology: {mesh: {}}}",
        "topology.mesh is for topology.type Mesh",
    ),
    (
        "{topology: {type: Mesh}, client: {nodeName: a}}",
        "topology.type Mesh takes its nodes by",
    ),
    (
        "{topology: {type: Mesh}, traffic: {direction: Reverse}}",
        "traffic.direction Reverse is not for topology.type Mesh",
    ),
    (
        "{topology: {type: Star}, client: {nodeName: a}}",
        "client.nodeName is one node and topology.type Star",
    ),
    (
        "{topology: {type: Star, star: {concurrency: Simultaneous, maxClients: 129}}}",
        "topology.star.maxClients is at most 128",
    ),
    (
        "{client: {nodeName: a}, server: {nodeName: a}}",
        "DifferentNode contradicts",
    ),
    (
        "{client: {nodeName: a}, server: {nodeName: a}, topology: {pair: {placement: DifferentZone}}}",
        "DifferentZone contradicts",
    ),
    (
        "{client: {nodeName: a}, server: {nodeName: b}, topology: {pair: {placement: SameNode}}}",
        "SameNode contradicts",
    ),
    (
        "{thresholds: [{name: a, metric: JitterMicroseconds, max: 5}]}",
        "thresholds on LossPPM and JitterMicroseconds need UDP",
    ),
    (
        "{traffic: {protocol: UDP}, thresholds: [{name: a, metric: Retransmits, max: 5}]}",
        "thresholds on RTTMicroseconds and Retransmits need TCP",
    ),
    (
        "{thresholds: [{name: a, metric: Throughput, min: 5, relativeTo: {kind: LinkSpeed, percent: 90}}]}",
        "a threshold has min, max or relativeTo",
    ),
    (
        "{thresholds: [{name: a, metric: RTTMicroseconds, relativeTo: {kind: LinkSpeed, percent: 90}}]}",
        "relativeTo.kind LinkSpeed is for metric Throughput",
    ),
    (
        "{thresholds: [{name: a, metric: RTTMicroseconds, relativeTo: {kind: Variant, percent: 90}}]}",
        "relativeTo.variant and relativeTo.kind Variant need each other",
    ),
    (
        "{traffic: {bitrate: 10G}, limits: {maxBitrate: 5G}}",
        "traffic.bitrate is above limits.maxBitrate",
    ),
    (
        "{repeats: {maxCount: 5}}",
        "repeats.maxCount is for repeats.maxSpreadPercent",
    ),
    (
        "{repeats: {maxCount: 5, count: 6, maxSpreadPercent: 10}}",
        "repeats.maxCount is less than repeats.count",
    ),
    (
        "{client: {tolerations: [{key: a, operator: Exists, value: b}]}}",
        "a toleration with operator Exists has no value",
    ),
    (
        "{topology: {type: External, external: {host: \"-F /etc/passwd\"}}}",
        "spec.topology.external.host",
    ),
];
