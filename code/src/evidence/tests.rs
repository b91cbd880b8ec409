//! What is written is read again, and what was edited is refused.

use super::*;
use crate::transpose::gb_per_s;
use std::path::Path;

fn evidence() -> Evidence {
    let kernel = kernels::kernel("copy").expect("copy is declared");
    let record = Record {
        kernel: "copy".to_owned(),
        rows: 3,
        cols: 5,
        element_bytes: 4,
        bytes_moved: kernel.bytes_moved(15),
        block: Some([32, 32, 1]),
        correct: Some(true),
        samples_ms: Some(vec![0.3, 0.1, 0.2]),
        median_ms: median(&[0.3, 0.1, 0.2]),
        gb_per_s: median(&[0.2]).and_then(|ms| gb_per_s(120, ms).ok()),
        peer: false,
        fingerprint: fingerprint::of_kernel(kernel.source.ptx, "copy"),
        counters: None,
    };
    Evidence {
        schema: SCHEMA,
        device: Device {
            name: "NVIDIA Test 1".to_owned(),
            compute_capability: "7.5".to_owned(),
            driver: "1".to_owned(),
            cuda: "11.7".to_owned(),
        },
        recorded: "2026-01-31".to_owned(),
        command: "warpwise record transpose".to_owned(),
        digest: String::new(),
        records: vec![record],
        sanitizer: Vec::new(),
    }
}

/// Writes a file into a fresh archive and loads it.
fn load(text: &str) -> Result<Archive, EvidenceError> {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join(evidence().device.folder());
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("transpose.json"), text).expect("a file");
    Archive::load(root.path())
}

fn text() -> String {
    to_text(&evidence()).expect("it serialises")
}

#[test]
fn what_is_written_is_read_again() {
    let archive = load(&text()).expect("it is whole");
    assert_eq!(archive.cards[0].folder, "nvidia-test-1");
    assert_eq!(archive.freshness(), (1, Vec::new()));
    let (_, record) = archive
        .find("copy", Shape::new(3, 5), |r| r.gb_per_s.is_some())
        .expect("it is there");
    assert_eq!(record.samples_ms, evidence().records[0].samples_ms);
    assert!(archive.find("copy", Shape::new(5, 3), |_| true).is_none());
}

#[test]
fn an_edit_is_found() {
    let edited = text().replace("\"rows\": 3", "\"rows\": 4");
    assert_ne!(edited, text());
    let error = load(&edited).expect_err("it was edited");
    assert!(matches!(error, EvidenceError::Digest { .. }), "{error}");
    assert!(error.to_string().contains("transpose.json"), "{error}");
}

#[test]
fn a_figure_that_does_not_follow_is_found() {
    type Change = fn(&mut Record);
    let changes: [(&str, Change); 4] = [
        ("median_ms", |r| r.median_ms = Some(0.1)),
        ("gb_per_s", |r| r.gb_per_s = Some(1.0)),
        ("samples_ms", |r| r.samples_ms = Some(vec![-1.0])),
        ("bytes_moved", |r| {
            r.bytes_moved *= 2;
            r.gb_per_s = r.gb_per_s.map(|g| 2.0 * g);
        }),
    ];
    for (field, change) in changes {
        let mut evidence = evidence();
        evidence.records.iter_mut().for_each(change);
        let error = load(&to_text(&evidence).expect("it serialises")).expect_err(field);
        assert!(error.to_string().contains(field), "{error}");
    }
}

#[test]
fn another_kernel_makes_it_stale() {
    let mut evidence = evidence();
    evidence.records[0].fingerprint = Some("0".repeat(64));
    let archive = load(&to_text(&evidence).expect("it serialises")).expect("it is whole");
    let (fresh, stale) = archive.freshness();
    assert_eq!(fresh, 0);
    assert!(
        stale[0].contains("evidence/nvidia-test-1/transpose.json: copy 3x5"),
        "{stale:?}"
    );
}

#[test]
fn another_schema_is_refused() {
    let error = load("{\"schema\": 2}").expect_err("it is of another schema");
    assert!(error.to_string().contains("schema 1"), "{error}");
    assert!(load("{")
        .expect_err("it is cut off")
        .to_string()
        .contains("record it again"));
}

#[test]
fn no_folder_is_an_empty_archive() {
    assert!(Archive::load(Path::new("no/such/folder"))
        .expect("nothing is wrong")
        .cards
        .is_empty());
}

#[test]
fn the_middle_of_an_even_number_is_between_the_two() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[4.0, 1.0]), Some(2.5));
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
}
