//! The clients that stand in line for a slot, first come, first served.

use super::hub::Hub;
use super::hub::Occupied;
use super::{Stop, StopCause};
use crate::wire::state::State;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// How often a waiting client hears its place, changed or not: it takes a server that says nothing for dead.
const AGAIN: Duration = Duration::from_secs(2);

/// Tickets in the order of arrival. Pure: what the slots are is an argument.
#[derive(Debug, Default)]
pub struct Line {
    tickets: VecDeque<(u64, IpAddr)>,
    last: u64,
}

/// Of `places` in all, so many may be one address's: who fills these leaves three quarters to others.
pub fn share(places: usize) -> usize {
    places.div_ceil(4)
}

impl Line {
    pub fn len(&self) -> usize {
        self.tickets.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tickets.is_empty()
    }

    /// A ticket at the end; `None` when `places` are taken, or those that one address may have.
    pub fn join(&mut self, peer: IpAddr, places: usize) -> Option<u64> {
        let own = self.tickets.iter().filter(|(_, of)| *of == peer).count();
        if self.tickets.len() >= places || own >= share(places) {
            return None;
        }
        self.last += 1;
        self.tickets.push_back((self.last, peer));
        Some(self.last)
    }

    /// 1 is next.
    pub fn place(&self, ticket: u64) -> Option<usize> {
        self.tickets
            .iter()
            .position(|(t, _)| *t == ticket)
            .map(|i| i + 1)
    }

    pub fn leave(&mut self, ticket: u64) {
        self.tickets.retain(|(t, _)| *t != ticket);
    }
}

/// A place in line; given up when dropped.
#[derive(Debug)]
pub struct Place {
    ticket: u64,
    hub: Arc<Hub>,
}

impl Place {
    pub(super) fn new(ticket: u64, hub: Arc<Hub>) -> Self {
        Place { ticket, hub }
    }

    /// Until its turn comes. `None`: the client went away or said something, or the server ends.
    pub async fn stand(self, stream: &mut TcpStream, mut stop: Stop) -> Option<Occupied> {
        let mut changes = self.hub.changes();
        let mut told = None;
        loop {
            changes.borrow_and_update();
            let place = match self.hub.turn(self.ticket) {
                Ok(occupied) => return Some(occupied),
                Err(place) => place?,
            };
            if told != Some(place) {
                tell(stream, place).await?;
                told = Some(place);
            }
            let mut byte = [0];
            tokio::select! {
                changed = changes.changed() => changed.ok()?,
                () = tokio::time::sleep(AGAIN) => told = None,
                // It has nothing to say before its turn: gone, or no client of ours.
                _ = stream.read(&mut byte) => return None,
                cause = stop.asked() => {
                    let _: StopCause = cause;
                    let _ = stream.write_all(&[State::ServerTerminate.byte()]).await;
                    return None;
                }
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.hub.leave(self.ticket);
    }
}

async fn tell(stream: &mut TcpStream, place: usize) -> Option<()> {
    let place = u32::try_from(place).unwrap_or(u32::MAX);
    let mut words = vec![State::InLine.byte()];
    words.extend_from_slice(&place.to_be_bytes());
    let told = tokio::time::timeout(AGAIN, stream.write_all(&words)).await;
    told.ok()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    #[test]
    fn places_are_in_the_order_of_arrival_and_move_up() {
        let mut line = Line::default();
        let tickets: Vec<u64> = (0..3).filter_map(|n| line.join(peer(n), 3)).collect();
        assert_eq!(line.join(peer(3), 3), None, "there are three places");
        let places = |line: &Line| tickets.iter().map(|t| line.place(*t)).collect::<Vec<_>>();
        assert_eq!(places(&line), [Some(1), Some(2), Some(3)]);
        line.leave(tickets[1]);
        assert_eq!(places(&line), [Some(1), None, Some(2)]);
        let new = line.join(peer(3), 3).unwrap();
        assert_eq!(line.place(new), Some(3), "behind those who were there");
        line.leave(tickets[0]);
        assert_eq!(line.place(tickets[2]), Some(1));
        assert!(Line::default().join(peer(0), 0).is_none() && Line::default().is_empty());
    }

    #[test]
    fn one_address_has_a_quarter_of_the_places() {
        let mut line = Line::default();
        let mut own: Vec<_> = (0..16).filter_map(|_| line.join(peer(1), 16)).collect();
        assert_eq!(own.len(), 4);
        assert!(line.join(peer(2), 16).is_some(), "another's");
        line.leave(own.remove(0));
        assert!(line.join(peer(1), 16).is_some(), "one was given back");
        assert_eq!([0, 1, 2, 5, 1024].map(share), [0, 1, 1, 2, 256]);
    }
}
