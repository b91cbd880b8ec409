//! The rules for sectors and wavefronts against what an NVIDIA H200 counted.

use warpwise_machine::request::{reduction_sectors, sectors, wavefronts, Direction};

/// One line of the measurements: a single warp-wide access and the count it was charged.
struct Measured {
    line: usize,
    access: (String, String),
    bytes: u32,
    active: u32,
    count: u32,
    addresses: [u64; 32],
}

fn measurements() -> Vec<Measured> {
    include_str!("h200-requests.csv")
        .lines()
        .enumerate()
        .filter(|(_, text)| !text.starts_with('#'))
        .map(|(at, text)| {
            let field: Vec<&str> = text.split(',').collect();
            assert_eq!(field.len(), 5 + 32, "line {}", at + 1);
            let bytes: u32 = field[2].parse().unwrap();
            Measured {
                line: at + 1,
                access: (field[0].into(), field[1].into()),
                bytes,
                active: u32::from_str_radix(field[3], 16).unwrap(),
                count: field[4].parse().unwrap(),
                addresses: std::array::from_fn(|lane| {
                    field[5 + lane].parse::<u64>().unwrap() * u64::from(bytes)
                }),
            }
        })
        .collect()
}

fn rule(m: &Measured) -> u32 {
    match (m.access.0.as_str(), m.access.1.as_str()) {
        ("global", "ld" | "st") => sectors(&m.addresses, m.active, m.bytes),
        ("global", "red") => reduction_sectors(&m.addresses, m.active, m.bytes),
        ("shared", "ld") => wavefronts(Direction::Load, &m.addresses, m.active, m.bytes),
        ("shared", "st") => wavefronts(Direction::Store, &m.addresses, m.active, m.bytes),
        other => panic!("unknown access {other:?} in line {}", m.line),
    }
}

#[test]
fn the_rules_give_what_the_h200_counted() {
    let measurements = measurements();
    assert_eq!(measurements.len(), 1079);
    let exceptions: Vec<String> = measurements
        .iter()
        .filter(|m| rule(m) != m.count)
        .map(|m| {
            format!(
                "{} {}: counted {}, rule {}",
                m.access.0,
                m.access.1,
                m.count,
                rule(m)
            )
        })
        .collect();
    // One reduction of 65 costs a sector more than the rule says. Why is not known, and the rule stays as it is.
    assert_eq!(exceptions, ["global red: counted 20, rule 19"]);
}

#[test]
fn the_addresses_may_start_anywhere_a_buffer_may() {
    for mut m in measurements() {
        let before = rule(&m);
        m.addresses = m.addresses.map(|address| address + (7 << 32) + 256);
        assert_eq!(rule(&m), before, "line {}", m.line);
    }
}
