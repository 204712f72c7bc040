use super::*;

fn surplus(count: usize, pairs: &[MeshPair]) -> Vec<i32> {
    let mut surplus = vec![0; count];
    for pair in pairs {
        bump(&mut surplus, pair.client, 1);
        bump(&mut surplus, pair.server, -1);
    }
    surplus
}

#[test]
fn a_star_is_turned_half() {
    for of_hub in [true, false] {
        let mut pairs: Vec<MeshPair> = (1..10)
            .map(|leaf| match of_hub {
                true => MeshPair {
                    client: 0,
                    server: leaf,
                },
                false => MeshPair {
                    client: leaf,
                    server: 0,
                },
            })
            .collect();
        balance(10, &mut pairs);
        assert_eq!(surplus(10, &pairs)[0].abs(), 1);
    }
}

#[test]
fn what_is_balanced_stays() {
    for count in 2..40u32 {
        let full: Vec<MeshPair> = (0..count)
            .flat_map(|one| (one + 1..count).map(move |other| directed(count, one, other)))
            .collect();
        let mut balanced = full.clone();
        balance(count as usize, &mut balanced);
        assert_eq!(balanced, full);
    }
}

#[test]
fn a_chain_is_turned_as_a_whole() {
    // 0>1 0>2 1>3 3>4: the ends of a chain have one pair, so only 0 is client too often.
    let pair = |client, server| MeshPair { client, server };
    let mut pairs = [pair(0, 1), pair(0, 2), pair(1, 3), pair(3, 4)];
    balance(5, &mut pairs);
    assert!(
        surplus(5, &pairs)
            .iter()
            .all(|surplus| (-1..=1).contains(surplus))
    );
}
