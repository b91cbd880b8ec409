//! The command line from outside: what scripts rely on.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn warpwise(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .args(args)
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

fn json(args: &[&str]) -> Value {
    let output = warpwise(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON document")
}

/// One sentence on standard error, nothing on standard output, and this exit code.
fn refused(args: &[&str], code: i32, word: &str) {
    let output = warpwise(args);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert_eq!(error.lines().count(), 1, "{args:?}: {error}");
    assert!(error.contains(word), "{args:?}: {error}");
}

#[test]
fn orders_are_one_line() {
    assert_eq!(
        text(&warpwise(&["order", "spiral", "--rows", "3", "--cols", "3"]).stdout),
        "0 1 2 5 8 7 6 3 4\n"
    );
    assert_eq!(
        text(&warpwise(&["order", "zigzag", "--rows", "3", "--cols", "3"]).stdout),
        "0 1 3 6 4 2 5 7 8\n"
    );
    assert_eq!(
        text(&warpwise(&["order", "spiral", "--rows", "0", "--cols", "9"]).stdout),
        "\n"
    );
    assert_eq!(
        text(&warpwise(&["order", "zigzag", "--rows", "1", "--cols", "4"]).stdout),
        "0 1 2 3\n"
    );
}

#[test]
fn storage_is_four_runs_on_the_cpu() {
    let run = json(&["run", "storage", "--json"]);
    assert_eq!(
        (&run["lesson"], &run["device"]),
        (&"storage".into(), &"cpu".into())
    );
    let counts: Vec<(&str, &str, u64, u64)> = run["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| {
            let word = |key: &str| r[key].as_str().unwrap();
            let number = |key: &str| r[key].as_u64().unwrap();
            (
                word("layout"),
                word("traversal"),
                number("hits"),
                number("misses"),
            )
        })
        .collect();
    assert_eq!(
        counts,
        [
            ("row-major", "rows-outer", 480, 32),
            ("row-major", "columns-outer", 0, 512),
            ("column-major", "rows-outer", 256, 256),
            ("column-major", "columns-outer", 480, 32),
        ]
    );
}

#[test]
fn the_grid_comes_before_its_kernels() {
    let run = json(&["run", "grid", "--device", "machine", "--json"]);
    let first = &run["runs"][0];
    assert_eq!(first["grid"], serde_json::json!([4, 3, 1]));
    assert_eq!(first["block"], serde_json::json!([16, 16, 1]));
    assert_eq!(
        (first["launched"].as_u64(), first["wasted"].as_u64()),
        (Some(3072), Some(815))
    );
    assert_eq!(first["covered_once"], true);
    assert_eq!(run["runs"][1]["kernel"], "grid_fill");
}

#[test]
fn a_kernel_on_the_machine_has_all_its_fields() {
    let run = json(&[
        "run",
        "transpose",
        "--device",
        "machine",
        "--rows",
        "33",
        "--cols",
        "31",
        "--json",
    ]);
    assert_eq!(run["device"], "machine");
    for kernel in run["runs"].as_array().unwrap() {
        for key in [
            "kernel",
            "rows",
            "cols",
            "grid",
            "block",
            "correct",
            "wrong_on_purpose",
        ] {
            assert!(!kernel[key].is_null(), "{key} of {kernel}");
        }
        assert_eq!(kernel["written_once"], true);
        assert_eq!((&kernel["stray"], &kernel["races"]), (&0.into(), &0.into()));
        assert!(kernel["global_load"]["requests"].as_u64() > Some(0), "{kernel}");
        assert!(kernel["global_store"]["sectors"].as_u64() > Some(0), "{kernel}");
        assert!(kernel["shared_load"]["wavefronts"].is_u64() && kernel["shared_store"]["requests"].is_u64());
        assert!(kernel["machine_ms"].is_f64());
        assert!(
            kernel.get("median_ms").is_none(),
            "the machine's time is not a GPU's"
        );
    }
}

#[test]
fn bounds_runs_tell_the_damage() {
    let run = |order: &str| {
        json(&[
            "run",
            "bounds",
            "--kernel",
            "fill_rows_only",
            "--order",
            order,
            "--json",
        ])
    };
    let corrupted = |order: &str| run(order)["runs"][0]["corrupted_rows"].as_u64();
    assert_eq!((corrupted("forward"), corrupted("reverse")), (Some(0), Some(3)));
    let run = run("shuffle:7");
    assert_eq!(run["runs"][0]["outside_threads"], 8);
    assert_eq!(run["runs"][0]["guard_cells_overwritten"], 2);
}

#[test]
fn empty_matrices_are_right() {
    for lesson in [
        "storage",
        "grid",
        "bounds",
        "transpose",
        "layout",
        "spiral",
        "diagonal",
    ] {
        let most = "18446744073709551615";
        for (rows, cols) in [("0", "0"), ("0", "7"), ("7", "0"), ("0", most), (most, "0")] {
            let run = json(&[
                "run", lesson, "--device", "machine", "--rows", rows, "--cols", cols, "--json",
            ]);
            for kernel in run["runs"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|r| r.get("kernel").is_some())
            {
                assert_eq!(kernel["correct"], true, "{kernel}");
                assert_eq!(kernel["global_store"]["requests"], 0, "{kernel}");
            }
        }
    }
}

#[test]
fn races_are_looked_for_up_to_a_million_cells() {
    let races = |extra: &[&str]| {
        let args = [
            "run",
            "transpose",
            "--kernel",
            "copy",
            "--device",
            "machine",
            "--json",
            "--rows",
            "1025",
        ];
        json(&[&args[..], extra].concat())["runs"][0]["races"].clone()
    };
    assert_eq!(races(&["--cols", "1023"]), 0);
    assert_eq!(races(&["--cols", "1025"]), Value::Null);
    assert_eq!(races(&["--cols", "1025", "--races"]), 0);
}

#[test]
fn list_names_everything() {
    let list = json(&["list", "--json"]);
    assert_eq!(list["lessons"].as_array().unwrap().len(), 7);
    assert_eq!(list["examples"].as_array().unwrap().len(), 6);
    assert!(text(&warpwise(&["list"]).stdout).contains("transpose_padded"));
}

#[test]
fn errors_are_one_sentence() {
    refused(&["run", "nosuch"], 1, "storage");
    refused(&["run", "grid", "--kernel", "copy"], 1, "grid_fill");
    refused(&["example", "nosuch"], 1, "transpose");
    refused(&["run", "grid", "--rows", "three"], 2, "three");
    refused(&["run", "grid", "--order", "sideways"], 2, "sideways");
    refused(&["fly"], 2, "fly");
    let tall = [
        "run",
        "transpose",
        "--device",
        "machine",
        "--rows",
        "2097153",
        "--cols",
        "1",
    ];
    refused(&tall, 1, "65535");
    let huge = [
        "run",
        "transpose",
        "--device",
        "machine",
        "--rows",
        "4000000000",
        "--cols",
        "4000000000",
    ];
    refused(&huge, 1, "fewer");
    refused(
        &["order", "spiral", "--rows", "18446744073709551615", "--cols", "2"],
        1,
        "fewer",
    );
    let block = [
        "run",
        "transpose",
        "--device",
        "machine",
        "--kernel",
        "transpose_tiled",
        "--block",
        "8,8",
    ];
    refused(&block, 1, "32,32");
    refused(&["verify", "--evidence", "no/such/folder"], 1, "no/such/folder");
}

/// A sentence that quotes its cause must not have it said again after it.
#[test]
fn no_error_says_a_thing_twice() {
    let refused = |args: &[&str]| {
        let error = text(&warpwise(args).stderr);
        let sentence = error.trim_end().trim_start_matches("warpwise: ");
        let first = sentence.split([';', ':']).next().unwrap_or_default();
        assert_eq!(sentence.matches(first).count(), 1, "{error}");
    };
    let huge = u64::MAX.to_string();
    for cols in ["1", "2"] {
        refused(&[
            "run", "grid", "--device", "machine", "--rows", &huge, "--cols", cols,
        ]);
    }
    refused(&[
        "run",
        "bounds",
        "--device",
        "machine",
        "--rows",
        "268435456",
        "--cols",
        "1",
        "--block",
        "1,1024",
    ]);
}

#[test]
fn a_block_holds_for_the_kernels_that_take_it() {
    let run = json(&[
        "run", "spiral", "--device", "machine", "--block", "16,16", "--json",
    ]);
    let block = |i: usize| run["runs"][i]["block"].clone();
    assert_eq!(block(0), serde_json::json!([16, 16, 1]));
    assert_eq!(block(1), serde_json::json!([256, 1, 1]));
}

/// Where there is a GPU these commands work, and the tests of the GPU look at what they do.
#[test]
fn what_needs_a_gpu_says_so() {
    let output = warpwise(&["run", "grid", "--device", "gpu"]);
    if !output.status.success() {
        refused(&["run", "grid", "--device", "gpu"], 1, "--device machine");
        refused(&["record"], 1, "driver");
        refused(&["example", "transpose"], 1, "driver");
    }
}

#[test]
fn verify_finds_evidence_fresh_and_predictions_exact() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../evidence");
    let report = json(&["verify", "--json", "--evidence", folder.to_str().unwrap()]);
    assert_eq!(report["evidence"]["stale"], 0);
    assert!(report["evidence"]["fresh"].as_u64() > Some(50));
    assert!(report["predictions"].as_array().unwrap().len() > 100);
    assert_eq!(
        report["wrong_kernels"]["caught"],
        report["wrong_kernels"]["total"]
    );
    assert!(
        report["targets"]
            .as_array()
            .unwrap()
            .iter()
            .all(|t| t["met"] == true),
        "{}",
        report["targets"]
    );
}

#[test]
fn a_trace_counts_by_source_line() {
    let ptx = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/transpose.ptx");
    let ptx = ptx.to_str().unwrap();
    let args = [
        "trace",
        ptx,
        "--kernel",
        "transpose_naive",
        "--grid",
        "2,2",
        "--block",
        "32,32",
        "--arg",
        "in:u32:3072",
        "--arg",
        "out:u32:3072",
        "--arg",
        "u64:64",
        "--arg",
        "u64:48",
    ];
    let trace = json(&[&args[..], &["--json"]].concat());
    assert_eq!(
        (&trace["written_once"], &trace["stray"], &trace["races"]),
        (&true.into(), &0.into(), &0.into())
    );
    let lines = trace["lines"].as_array().unwrap();
    let sectors: u64 = lines
        .iter()
        .map(|l| l["global_store"]["sectors"].as_u64().unwrap())
        .sum();
    assert_eq!(Some(sectors), trace["global_store"]["sectors"].as_u64());
    assert!(lines.iter().any(|l| l["source"]
        .as_str()
        .is_some_and(|s| s.contains("out[x * rows + y]"))));
    assert!(trace["findings"].as_array().unwrap().is_empty());

    let short = args.map(|a| if a == "out:u32:3072" { "out:u32:3000" } else { a });
    let trace = json(&[&short[..], &["--json"]].concat());
    assert_eq!(trace["stray"], 72);
    let first = &trace["findings"].as_array().unwrap()[0];
    assert!(
        first["sentence"].as_str().unwrap().contains("past its end"),
        "{first}"
    );
    assert!(
        first["sentence"].as_str().unwrap().contains("argument 2 (out)"),
        "{first}"
    );
    assert_eq!(first["lines"].as_array().unwrap().len(), 1);

    let text = text(&warpwise(&args).stdout);
    assert!(
        text.contains("transpose.cu line") && text.contains("written once: yes"),
        "{text}"
    );
}

#[test]
fn a_trace_that_can_not_run_says_why() {
    let ptx = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/grid.ptx");
    let ptx = ptx.to_str().unwrap();
    let trace = |kernel: &str, arg: &str, word: &str| {
        refused(
            &[
                "trace", ptx, "--kernel", kernel, "--grid", "1", "--block", "1", "--arg", arg,
            ],
            1,
            word,
        );
    };
    trace("nosuch", "u64:1", "grid_fill");
    trace(
        "grid_fill",
        "u64:1",
        "takes 3 arguments, and was given 1; write one --arg",
    );
    trace("grid_fill", "u63:1", "u63");
    let words = "--kernel grid_fill --grid 1 --block 1 --arg out:u32:1 --arg u64:1 --arg u32:1";
    let narrow: Vec<&str> = ["trace", ptx].into_iter().chain(words.split(' ')).collect();
    refused(&narrow, 1, "argument 3 has 4 bytes, and grid_fill takes 8");
    refused(
        &[
            "trace",
            "nosuch.ptx",
            "--kernel",
            "k",
            "--grid",
            "1",
            "--block",
            "1",
        ],
        1,
        "nosuch.ptx",
    );
}
