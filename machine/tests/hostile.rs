//! PTX that nobody meant: cut off, changed, random; and launches that no GPU takes. Nothing may panic, run on or
//! allocate without bound: every answer is a value or an error.

use proptest::prelude::*;
use warpwise_machine::{run, Arg, Launch, LaunchError, Limits, LoadError, Memory, Module, Options, RunError};

const SOURCES: [&str; 6] = [
    include_str!("../../kernels/grid.ptx"),
    include_str!("../../kernels/bounds.ptx"),
    include_str!("../../kernels/transpose.ptx"),
    include_str!("../../kernels/layout.ptx"),
    include_str!("../../kernels/spiral.ptx"),
    include_str!("../../kernels/diagonal.ptx"),
];

/// Words that a mutation puts in: opcodes, types, punctuation and numbers at the edges.
const WORDS: [&str; 24] = [
    "add.s64",
    "mul.wide.u32",
    "bar.sync",
    "ld.global.u32",
    "st.shared.v4.u32",
    "bra",
    "ret",
    "%r1",
    "%rd1",
    "%p1",
    "0",
    "-1",
    "18446744073709551616",
    "0x",
    "0f7FC00000",
    ".shared",
    ".align",
    "[",
    "]",
    "{",
    "}",
    ";",
    "@!%p1",
    ".reg .b64 %rd<4000000000>;",
];

fn options() -> Options {
    Options {
        limits: Limits {
            instructions: 1 << 14,
            quiet_instructions: 1 << 12,
            ..Limits::default()
        },
        ..Options::default()
    }
}

/// Reads a text and runs whatever kernels it has, briefly.
fn try_all(ptx: &str) {
    let Ok(module) = Module::parse(ptx) else {
        return;
    };
    for kernel in module.kernels() {
        let mut memory = Memory::new();
        let buffer = memory.alloc(256).expect("256 bytes fit");
        let argument = |bytes: u32| match bytes {
            8 => Arg::Buffer(buffer),
            n => Arg::Bytes(vec![1; n as usize]),
        };
        let launch = Launch {
            grid: [2, 1, 1],
            block: [33, 1, 1],
            shared_bytes: 0,
            args: kernel.params().iter().map(|p| argument(p.bytes)).collect(),
        };
        // Any outcome will do; it has to come.
        let _ = run(kernel, &launch, &mut memory, &options(), &mut ());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn cut_off(source in 0..SOURCES.len(), at in 0.0..1.0f64) {
        let text = SOURCES[source];
        try_all(&text[..(text.len() as f64 * at) as usize]);
    }

    #[test]
    fn words_exchanged(
        source in 0..SOURCES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3u8), 1..6),
    ) {
        let mut words: Vec<&str> = SOURCES[source].split_inclusive([' ', '\t', '\n', ',']).collect();
        for (place, word, how) in changes {
            let place = place.index(words.len());
            match how {
                0 => words[place] = WORDS[word.index(WORDS.len())],
                1 => words[place] = words[word.index(words.len())],
                _ => words[place] = "",
            }
        }
        try_all(&words.concat());
    }

    #[test]
    fn bytes_changed(
        source in 0..SOURCES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = SOURCES[source].as_bytes().to_vec();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        try_all(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_text(text in "[ -~\\n\\t]{0,400}", header in any::<bool>()) {
        let header = if header { ".version 7.7\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n" } else { "" };
        try_all(&format!("{header}{text}"));
    }

    #[test]
    fn any_launch(grid: [u32; 3], block: [u32; 3], shared_bytes: u32, arguments in 0..6usize) {
        let module = Module::parse(SOURCES[2]).expect("the kernels load");
        let kernel = module.kernel("transpose_padded").expect("it is there");
        let launch = Launch { grid, block, shared_bytes, args: vec![Arg::U64(1); arguments] };
        let outcome = run(kernel, &launch, &mut Memory::new(), &options(), &mut ());
        prop_assert!(outcome.is_err(), "a random launch does not fit: {launch:?}");
    }
}

#[test]
fn launches_at_the_edges_are_refused_by_name() {
    let module = Module::parse(SOURCES[0]).expect("the kernels load");
    let kernel = module.kernel("grid_fill").expect("it is there");
    let mut memory = Memory::new();
    let out = memory.alloc(4).expect("4 bytes fit");
    let args = vec![Arg::Buffer(out), Arg::U64(1), Arg::U64(1)];
    let mut refused = |grid, block, shared_bytes, args| {
        let launch = Launch {
            grid,
            block,
            shared_bytes,
            args,
        };
        match run(kernel, &launch, &mut memory, &options(), &mut ()) {
            Err(RunError::Launch(error)) => error,
            other => panic!("{launch:?}: {other:?}"),
        }
    };
    let one = [1, 1, 1];
    for (grid, block) in [
        ([0, 1, 1], one),
        (one, [0, 1, 1]),
        (one, [1025, 1, 1]),
        (one, [1, 1, 65]),
        ([1, 65_536, 1], one),
    ] {
        assert!(
            matches!(refused(grid, block, 0, args.clone()), LaunchError::Size { .. }),
            "{grid:?} {block:?}"
        );
    }
    assert!(matches!(
        refused(one, one, u32::MAX, args.clone()),
        LaunchError::Shared { .. }
    ));
    assert!(matches!(
        refused(one, one, 0, args[..2].to_vec()),
        LaunchError::ArgumentCount { .. }
    ));
    let narrow = vec![args[0].clone(), Arg::U32(1), Arg::U64(1)];
    assert!(matches!(
        refused(one, one, 0, narrow),
        LaunchError::ArgumentWidth { .. }
    ));
}

/// A grid of 2^31 - 1 blocks is legal; the limit ends it.
#[test]
fn a_huge_grid_is_stopped() {
    let module = Module::parse(SOURCES[0]).expect("the kernels load");
    let kernel = module.kernel("grid_fill").expect("it is there");
    let mut memory = Memory::new();
    let out = memory.alloc(4).expect("4 bytes fit");
    let launch = Launch {
        grid: [i32::MAX as u32, 65_535, 65_535],
        block: [1024, 1, 1],
        shared_bytes: 0,
        args: vec![Arg::Buffer(out), Arg::U64(1), Arg::U64(1)],
    };
    let outcome = run(kernel, &launch, &mut memory, &options(), &mut ());
    assert!(matches!(outcome, Err(RunError::Limit { .. })), "{outcome:?}");
}

/// Each function calls the next one twice: 2^60 calls, or a chain of 10,000.
#[test]
fn calls_of_calls_end() {
    let module = |count: u32, calls: usize| {
        let mut ptx = String::from(".version 8.0\n.target sm_90\n.address_size 64\n");
        for n in 0..count {
            let call = format!("call f{}; ", n + 1).repeat(calls);
            ptx += &format!(".func f{n} {{ {call} ret; }}\n");
        }
        ptx += &format!(".func f{count} {{ ret; }}\n.visible .entry k() {{ call f0; ret; }}\n");
        Module::parse(&ptx)
    };
    assert!(module(8, 2).is_ok());
    for (count, calls) in [(60, 2), (10_000, 1)] {
        assert!(matches!(module(count, calls), Err(LoadError::Unsupported { .. })));
    }
}
