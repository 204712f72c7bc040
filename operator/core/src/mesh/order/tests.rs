use super::*;

fn told(pairs: &[MeshPair], starts: &[u32]) -> String {
    let mut text = String::new();
    for (index, pair) in (0..).zip(pairs) {
        text.push_str(if starts.contains(&index) { "| " } else { "" });
        text.push_str(&format!("{}{} ", pair.client, pair.server));
    }
    text.trim_end().to_owned()
}

#[test]
fn the_circle_of_four_and_of_five() {
    let (pairs, starts) = circle(4);
    assert_eq!(told(&pairs, &starts), "| 30 12 | 13 02 | 23 01");
    let (pairs, starts) = circle(5);
    assert_eq!(
        told(&pairs, &starts),
        "| 41 23 | 02 34 | 13 40 | 24 01 | 30 12"
    );
}

#[test]
fn a_ring_of_four_is_two_rounds() {
    let pair = |client, server| MeshPair { client, server };
    let ring = vec![pair(0, 1), pair(1, 2), pair(2, 3), pair(3, 0)];
    let (pairs, starts) = order(4, ring);
    assert_eq!(told(&pairs, &starts), "| 01 23 | 12 30");
}

#[test]
fn a_star_of_a_hundred_is_a_hundred_rounds() {
    let star = (1..=100)
        .map(|leaf| MeshPair {
            client: 0,
            server: leaf,
        })
        .collect();
    let (pairs, starts) = order(101, star);
    assert_eq!((pairs.len(), starts.len()), (100, 100));
}

#[test]
fn the_first_bit_that_is_free() {
    assert_eq!(first_free(&[], &[]), 0);
    assert_eq!(first_free(&[0b101], &[0b010]), 3);
    assert_eq!(first_free(&[u64::MAX], &[0, 0b1]), 65);
    assert_eq!(first_free(&[u64::MAX], &[0]), 64);
    assert_eq!(first_free(&[u64::MAX, 1], &[]), 65);
}
