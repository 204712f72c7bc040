//! What the parameters say of merged datagrams (`--gsro`).

/// iperf3's receive buffer of merged datagrams, bytes.
pub const GRO_BUFFER: u32 = 65_507;

/// What a sender of merged datagrams says of its buffer. iperf3 limits a buffer to 128 datagrams (3.22) and the
/// largest payload of IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offload {
    pub datagram: u32,
    pub buffer: u32,
}

pub fn offload(asked: bool, block_size: u32) -> Offload {
    if !asked || block_size == 0 {
        return Offload {
            datagram: 0,
            buffer: 0,
        };
    }
    let datagrams = (GRO_BUFFER / block_size).clamp(1, 128);
    Offload {
        datagram: block_size,
        buffer: datagrams * block_size,
    }
}
