//! Programs that try every instruction, for the machine and for a GPU alike.
//!
//! `kernels/instructions/` has a kernel for every row of the opcode table and of the table of atomics, made from
//! the tables: a row that is added has its kernel, or this test fails. What is in no table, such as shuffles and
//! narrow loads, has kernels made from the lists beside this file. Each kernel runs one block of 128
//! threads, and the names of its parameters say what they point to, for each thread one element:
//!
//! - `out_f32`, `out_p_pred`: where the thread puts a result; a predicate is a byte, 0 or 1;
//! - `a_f32`, `b_f32`: values for the first operand, for the second;
//! - `b_amount`: the same for operands that count bits or bytes, where small values are the interesting ones;
//! - `cells_u32`: values that the thread changes where they are.
//!
//! Crate `warpwise` has the values, and what an H200 made of them.
//! `BLESS=1 cargo test -p warpwise-machine programs` writes the files anew.

mod atomics;
mod cases;
mod copies;
mod lanes;
mod memory;
mod opcodes;
mod text;

use crate::module::Module;
use std::path::Path;

/// Every file with what it holds, and the compute capability it needs: a card with less leaves it out.
fn files() -> Vec<(&'static str, String)> {
    let file = |name, about, version, capability, kernels: String| {
        let header = format!(
            "// {about}\n\
             // Written by machine/src/programs: `BLESS=1 cargo test -p warpwise-machine programs` writes it anew.\n\
             .version {version}\n.target sm_{capability}\n.address_size 64\n"
        );
        (name, header + &kernels)
    };
    let (seven, eight) = ("7.7", "8.0");
    vec![
        file(
            "opcodes.ptx",
            "Every opcode that works on each lane by itself.",
            seven,
            75,
            opcodes::of(75),
        ),
        file(
            "opcodes_80.ptx",
            "The opcodes among them that need a newer card.",
            seven,
            80,
            opcodes::of(80),
        ),
        file(
            "atomics.ptx",
            "Every atomic and reduction, in global and shared memory.",
            seven,
            75,
            atomics::all(),
        ),
        file(
            "compare.ptx",
            "Comparisons with two results, or combined with a predicate.",
            seven,
            75,
            cases::all(cases::COMPARE),
        ),
        file(
            "moves.ptx",
            "Vectors in registers, and registers wider than the type.",
            seven,
            75,
            cases::all(cases::MOVES),
        ),
        file(
            "carries.ptx",
            "Sums and differences that hand on a carry.",
            seven,
            75,
            cases::all(cases::CARRIES),
        ),
        file(
            "memory.ptx",
            "Loads and stores of every width, and of vectors.",
            seven,
            75,
            cases::all(memory::MEMORY),
        ),
        file(
            "control.ptx",
            "Guards, branches and loops.",
            seven,
            75,
            cases::all(memory::CONTROL),
        ),
        file(
            "copies_80.ptx",
            "Copies that go on by themselves.",
            seven,
            80,
            copies::all(),
        ),
        file(
            "lanes.ptx",
            "Lanes that exchange values.",
            seven,
            75,
            lanes::shuffles() + &cases::all(lanes::VOTES),
        ),
        file(
            "lanes_80.ptx",
            "Reductions over a warp.",
            seven,
            80,
            lanes::reductions(),
        ),
        file(
            "lanes_90.ptx",
            "The choice of one lane.",
            eight,
            90,
            cases::all(lanes::ELECTIONS),
        ),
    ]
}

#[test]
fn programs_have_every_opcode() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/instructions");
    for (name, text) in files() {
        let path = folder.join(name);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let blessed = std::fs::read_to_string(&path)
            .unwrap_or_default()
            .replace('\r', "");
        let differing = blessed.lines().zip(text.lines()).find(|(old, new)| old != new);
        assert!(
            blessed == text,
            "kernels/instructions/{name} is not what the tables make, first here: {differing:?}; \
             run `BLESS=1 cargo test -p warpwise-machine programs`"
        );
        Module::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
