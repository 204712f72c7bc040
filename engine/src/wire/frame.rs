//! What arrives, cut into state bytes, JSON blocks and error numbers.

/// Largest parameters, bytes (as iperf3 has it since 3.18).
pub const PARAMS_CAP: u32 = 8 * 1024;
/// Largest results of a server, bytes. They hold up to 256 streams and the server's own output, hence not the cap of
/// the parameters (field report 046).
pub const SERVER_RESULTS_CAP: u32 = 16 * 1024 * 1024;
/// Largest results of a client, bytes: 256 streams take a tenth of it. A list of small values takes over ten times
/// its text in memory, and a server has many clients.
pub const CLIENT_RESULTS_CAP: u32 = 1024 * 1024;

/// Bytes that came and are not consumed yet. Grows only with what really arrived, never by an announced length.
#[derive(Debug, Default)]
pub struct Inbox {
    bytes: Vec<u8>,
    read: usize,
}

/// A length above the cap was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    pub announced: u32,
    pub cap: u32,
}

impl Inbox {
    pub fn push(&mut self, bytes: &[u8]) {
        if self.read == self.bytes.len() {
            self.bytes.clear();
            self.read = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    fn unread(&self) -> &[u8] {
        &self.bytes[self.read..]
    }

    pub fn is_empty(&self) -> bool {
        self.unread().is_empty()
    }

    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.unread().first()?;
        self.read += 1;
        Some(byte)
    }

    /// Two big-endian numbers: what follows SERVER_ERROR.
    pub fn error_numbers(&mut self) -> Option<(i32, i32)> {
        let eight: [u8; 8] = self.unread().get(..8)?.try_into().ok()?;
        self.read += 8;
        let [a, b, c, d, e, f, g, h] = eight;
        Some((
            i32::from_be_bytes([a, b, c, d]),
            i32::from_be_bytes([e, f, g, h]),
        ))
    }

    /// One big-endian number: a place in line, or an error's number alone.
    pub fn number(&mut self) -> Option<u32> {
        let four: [u8; 4] = self.unread().get(..4)?.try_into().ok()?;
        self.read += 4;
        Some(u32::from_be_bytes(four))
    }

    /// A whole JSON block, without its length.
    pub fn json(&mut self, cap: u32) -> Result<Option<&[u8]>, TooLong> {
        let Some(length) = self
            .unread()
            .get(..4)
            .and_then(|l| <[u8; 4]>::try_from(l).ok())
        else {
            return Ok(None);
        };
        let announced = u32::from_be_bytes(length);
        if announced > cap {
            return Err(TooLong { announced, cap });
        }
        let end = 4 + announced as usize;
        if self.unread().len() < end {
            return Ok(None);
        }
        let start = self.read + 4;
        self.read += end;
        Ok(Some(&self.bytes[start..self.read]))
    }
}

/// A JSON block with its length.
pub fn framed(json: &[u8]) -> Vec<u8> {
    let length = u32::try_from(json.len()).unwrap_or(u32::MAX);
    let mut framed = Vec::with_capacity(json.len() + 4);
    framed.extend_from_slice(&length.to_be_bytes());
    framed.extend_from_slice(json);
    framed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field report 077, E4: lengths that lie, with no, half and the whole body.
    #[test]
    fn a_length_above_the_cap_is_refused_before_its_body() {
        for announced in [8193, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, u32::MAX] {
            let mut inbox = Inbox::default();
            inbox.push(&announced.to_be_bytes());
            assert_eq!(
                inbox.json(PARAMS_CAP),
                Err(TooLong {
                    announced,
                    cap: PARAMS_CAP
                })
            );
        }
    }

    #[test]
    fn a_length_up_to_the_cap_waits_for_its_body() {
        for announced in [0u32, 1, 8191, 8192] {
            let body = vec![b' '; announced as usize];
            let half = body.len() / 2;
            let mut inbox = Inbox::default();
            inbox.push(&announced.to_be_bytes());
            inbox.push(&body[..half]);
            if half < body.len() {
                assert_eq!(inbox.json(PARAMS_CAP), Ok(None));
            }
            inbox.push(&body[half..]);
            inbox.push(&[16]);
            assert_eq!(inbox.json(PARAMS_CAP), Ok(Some(&body[..])));
            assert_eq!(inbox.byte(), Some(16));
            assert!(inbox.is_empty());
        }
    }

    #[test]
    fn split_anywhere_the_pieces_come_out_the_same() {
        let mut wire = framed(b"{\"tcp\":true}");
        wire.extend_from_slice(&[4, 0, 0, 0, 6, 0xff, 0xff, 0xff, 0xff]);
        for cut in 0..wire.len() {
            let mut inbox = Inbox::default();
            inbox.push(&wire[..cut]);
            let early = inbox.json(PARAMS_CAP).unwrap().map(<[u8]>::to_vec);
            inbox.push(&wire[cut..]);
            let json = match early {
                Some(json) => json,
                None => inbox.json(PARAMS_CAP).unwrap().unwrap().to_vec(),
            };
            assert_eq!(json, b"{\"tcp\":true}");
            assert_eq!(inbox.byte(), Some(4));
            assert_eq!(inbox.error_numbers(), Some((6, -1)));
        }
    }
}
