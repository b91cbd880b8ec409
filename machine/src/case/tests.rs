//! Cells of every width, inputs of different shapes, structs by value, and comparisons that fail closed.

use super::*;
use crate::observe::FindingKind;
use proptest::prelude::*;

/// `k(in, out, n)`: out[i] = in[i] for cells of this load type; `lines` come after the cell's address is known.
fn copy(load: &str, registers: &str, bytes: u64) -> Program {
    Program::new(
        "copy",
        format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n\
             .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{{\n\
             .reg .pred %p;\n.reg .b16 %h;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n\
             ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nld.param.u32 %r0, [n];\n\
             mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n\
             mad.lo.u32 %r4, %r1, %r2, %r3;\nsetp.ge.u32 %p, %r4, %r0;\n@%p ret;\n\
             mul.wide.u32 %rd3, %r4, {bytes};\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n\
             ld.global.{load} {registers}, [%rd4];\nst.global.{load} [%rd5], {registers};\nret;\n}}"
        ),
    )
}

fn step(cells: u64, args: Vec<Arg<usize>>) -> Step {
    Step {
        kernel: "k".into(),
        grid: [cells.div_ceil(32).max(1) as u32, 1, 1],
        block: [32, 1, 1],
        shared_bytes: 0,
        args,
    }
}

fn copy_of(program: &Program, element: Element, cells: u64) -> Case<'_> {
    let contents = Cells::counting(element, cells);
    let output = Buffer {
        check: Check::Exact(contents.clone()),
        written_once: true,
        ..Buffer::poisoned("out", element, cells)
    };
    let args = vec![Arg::Buffer(0), Arg::Buffer(1), Arg::U32(cells as u32)];
    Case::new(
        program,
        vec![Buffer::given("in", cells, contents), output],
        vec![step(cells, args)],
    )
}

#[test]
fn cells_of_every_width_are_copied_and_compared() {
    for &element in Element::ALL {
        let (load, registers) = match element.bytes() {
            1 => ("b8", "%h"),
            2 => ("b16", "%h"),
            4 => ("b32", "%r5"),
            8 => ("b64", "%rd6"),
            _ => ("v2.b64", "{%rd6, %rd7}"),
        };
        let program = copy(load, registers, element.bytes());
        let case = copy_of(&program, element, 70);
        let watched = Interpreter::default().watch(&case).unwrap();
        assert_eq!(watched.stopped, None);
        assert_eq!(case.first_wrong(&watched.outputs), Ok(None), "{element}");
        assert!(watched.watch.findings().is_empty(), "{element}");
        assert_eq!(watched.watch.counts().total().global_store.requests, 3);
        let other = Case {
            buffers: vec![case.buffers[0].clone(), wrong_at_9(&case.buffers[1])],
            ..case.clone()
        };
        let mismatch = other.first_wrong(&watched.outputs).unwrap().unwrap();
        assert_eq!((mismatch.cell, mismatch.wrong), (9, 1), "{element}");
        let sentence = mismatch.to_string();
        assert!(sentence.starts_with("cell 9 of out holds "), "{sentence}");
    }
}

/// The same buffer, expected to hold another cell 9.
fn wrong_at_9(buffer: &Buffer) -> Buffer {
    let Check::Exact(cells) = buffer.check.clone() else {
        unreachable!("a copy is exact");
    };
    let make = move || {
        let mut bytes = cells.bytes();
        let width = cells.element().bytes() as usize;
        bytes[9 * width] ^= 1;
        bytes
    };
    Buffer {
        check: Check::Exact(Cells::from_bytes(buffer.element, make)),
        ..buffer.clone()
    }
}

/// `k(matrix, row, out, struct {u32 rows, cols; u64 scale})`: out[r][c] = scale * matrix[r][c] + row[c], 64 bits wide
/// from 32 and 8 bits, one block a row.
const SCALED: &str = ".version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 matrix, .param .u64 row, .param .u64 out, .param .align 8 .b8 s[16])
{
    .reg .pred %p;
    .reg .b16 %h;
    .reg .b32 %r<8>;
    .reg .b64 %rd<16>;
    ld.param.u64 %rd1, [matrix];
    ld.param.u64 %rd2, [row];
    ld.param.u64 %rd3, [out];
    ld.param.u32 %r1, [s+4];
    ld.param.u64 %rd4, [s+8];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r1;
    @%p ret;
    mov.u32 %r3, %ctaid.x;
    mad.lo.u32 %r4, %r3, %r1, %r2;
    mul.wide.u32 %rd5, %r4, 4;
    add.s64 %rd5, %rd1, %rd5;
    ld.global.u32 %r5, [%rd5];
    cvt.u64.u32 %rd6, %r5;
    cvt.u64.u32 %rd7, %r2;
    add.s64 %rd7, %rd2, %rd7;
    ld.global.u8 %h, [%rd7];
    cvt.u64.u16 %rd8, %h;
    mad.lo.s64 %rd9, %rd6, %rd4, %rd8;
    mul.wide.u32 %rd10, %r4, 8;
    add.s64 %rd10, %rd3, %rd10;
    st.global.u64 [%rd10], %rd9;
    ret;
}";

fn scaled(program: &Program, rows: u32, cols: u32, scale: u64) -> Case<'_> {
    let cells = u64::from(rows) * u64::from(cols);
    let mut by_value = Vec::new();
    rows.append(&mut by_value);
    cols.append(&mut by_value);
    scale.append(&mut by_value);
    let expected = move || {
        let cell = move |r, c| scale.wrapping_mul(r * u64::from(cols) + c) + c % 256;
        (0..u64::from(rows))
            .flat_map(|r| (0..u64::from(cols)).map(move |c| (r, c)))
            .map(|(r, c)| cell(r, c))
            .collect()
    };
    Case::new(
        program,
        vec![
            Buffer::given("matrix", cells, Cells::counting(Element::U32, cells)),
            Buffer::given("row", cols.into(), Cells::counting(Element::U8, cols.into())),
            Buffer::output::<u64>("out", cells, expected),
        ],
        vec![Step {
            kernel: "k".into(),
            grid: [rows, 1, 1],
            block: [cols, 1, 1],
            shared_bytes: 0,
            args: vec![
                Arg::Buffer(0),
                Arg::Buffer(1),
                Arg::Buffer(2),
                Arg::Bytes(by_value),
            ],
        }],
    )
}

#[test]
fn inputs_have_shapes_and_types_of_their_own_and_a_struct_goes_by_value() {
    let program = Program::new("scaled", SCALED);
    for (rows, cols, scale) in [(1, 1, 3), (3, 40, 1 << 40), (7, 300, 5)] {
        let case = scaled(&program, rows, cols, scale);
        let watched = Interpreter::default().watch(&case).unwrap();
        assert_eq!(case.first_wrong(&watched.outputs), Ok(None), "{rows}x{cols}");
        assert!(watched.watch.findings().is_empty());
    }
}

#[test]
fn an_argument_may_point_inside_a_buffer() {
    let program = copy("b32", "%r5", 4);
    let case = Case::new(
        &program,
        vec![
            Buffer::given("in", 10, Cells::counting(Element::U32, 10)),
            Buffer::poisoned("out", Element::U32, 6).exactly(|| vec![u32::MAX, u32::MAX, 3, 4, 5, 6]),
        ],
        vec![step(4, vec![Arg::Inside(0, 12), Arg::Inside(1, 8), Arg::U32(4)])],
    );
    let outputs = Interpreter::default().run(&case).unwrap();
    assert_eq!(case.first_wrong(&outputs), Ok(None));
    assert_eq!(outputs.cells::<u32>(1).unwrap()[2..], [3, 4, 5, 6]);
}

#[test]
fn steps_follow_each_other_on_the_same_buffers() {
    let program = copy("b32", "%r5", 4);
    let between = Buffer::poisoned("between", Element::U32, 50);
    let case = Case::new(
        &program,
        vec![
            Buffer::given("in", 50, Cells::counting(Element::U32, 50)),
            between,
            Buffer::output("out", 50, || (0..50u32).collect()),
        ],
        Steps::from_fn(2, |number| {
            let from = number as usize;
            step(50, vec![Arg::Buffer(from), Arg::Buffer(from + 1), Arg::U32(50)])
        }),
    );
    let watched = Interpreter::default().watch(&case).unwrap();
    assert_eq!(case.first_wrong(&watched.outputs), Ok(None));
    assert!(watched.watch.findings().is_empty() && watched.watch.written_once());
}

#[test]
fn what_can_not_be_compared_is_never_right() {
    let program = copy("b32", "%r5", 4);
    let case = copy_of(&program, Element::U32, 5);
    let outputs = Interpreter::default().run(&case).unwrap();
    let expecting = |make: fn() -> Vec<u32>| Case {
        buffers: vec![case.buffers[0].clone(), case.buffers[1].clone().exactly(make)],
        ..case.clone()
    };
    let count = |given| {
        Err(CaseError::Count {
            buffer: "out".into(),
            cells: 5,
            given,
        })
    };
    assert_eq!(expecting(|| (0..5).collect()).first_wrong(&outputs), Ok(None));
    assert_eq!(expecting(Vec::new).first_wrong(&outputs), count(0));
    assert_eq!(expecting(|| (0..4).collect()).first_wrong(&outputs), count(4));
    assert_eq!(expecting(|| (0..6).collect()).first_wrong(&outputs), count(6));
    let of_floats = Case {
        buffers: vec![
            case.buffers[0].clone(),
            case.buffers[1].clone().exactly(|| vec![0f32; 5]),
        ],
        ..case.clone()
    };
    assert!(matches!(
        of_floats.first_wrong(&outputs),
        Err(CaseError::Element { .. })
    ));
    let of_nothing = Case {
        buffers: case
            .buffers
            .iter()
            .cloned()
            .map(|buffer| Buffer {
                check: Check::Kept,
                ..buffer
            })
            .collect(),
        ..case.clone()
    };
    assert_eq!(of_nothing.first_wrong(&outputs), Err(CaseError::NothingExpected));
    let lost = Outputs::new(vec![None, None]);
    assert!(matches!(case.first_wrong(&lost), Err(CaseError::Output { .. })));
}

#[test]
fn an_input_that_does_not_fill_its_buffer_is_refused() {
    let program = copy("b32", "%r5", 4);
    let mut case = copy_of(&program, Element::U32, 5);
    case.buffers[0].cells = 6;
    assert!(matches!(
        Interpreter::default().watch(&case),
        Err(CaseError::Count { given: 5, .. })
    ));
}

#[test]
fn a_buffer_of_no_cells_is_right_when_nothing_is_expected_in_it() {
    let program = copy("b32", "%r5", 4);
    let case = copy_of(&program, Element::U32, 0);
    let outputs = Interpreter::default().run(&case).unwrap();
    assert_eq!(case.first_wrong(&outputs), Ok(None));
}

#[test]
fn what_a_case_lacks_is_named() {
    let program = copy("b32", "%r5", 4);
    let case = copy_of(&program, Element::U32, 5);
    let with = |step: Step| Case {
        steps: vec![step].into(),
        ..case.clone()
    };
    let mut other = step(5, vec![Arg::Buffer(0), Arg::Buffer(7), Arg::U32(5)]);
    let error = Interpreter::default()
        .run(&with(other.clone()))
        .unwrap_err()
        .to_string();
    assert_eq!(error, "argument 2 of k names buffer 7, and the case has 2");
    other.kernel = "nothing".into();
    let error = Interpreter::default().run(&with(other)).unwrap_err().to_string();
    assert!(error.contains("`nothing`"), "{error}");
}

#[test]
fn a_guard_is_no_stray_and_is_not_compared() {
    let program = copy("b32", "%r5", 4);
    let mut case = copy_of(&program, Element::U32, 5);
    case.buffers[0] = Buffer::given("in", 8, Cells::counting(Element::U32, 8));
    case.buffers[1].guard = 3;
    case.steps = vec![step(8, vec![Arg::Buffer(0), Arg::Buffer(1), Arg::U32(8)])].into();
    let watched = Interpreter::default().watch(&case).unwrap();
    assert_eq!(case.first_wrong(&watched.outputs), Ok(None));
    assert_eq!(watched.watch.stray().total(), 0);
    assert_eq!(watched.outputs.cells::<u32>(1).unwrap()[5..], [5, 6, 7]);
}

#[test]
fn a_run_that_stops_early_keeps_what_was_seen() {
    let program = copy("b32", "%r5", 4);
    let mut case = copy_of(&program, Element::U32, 5);
    case.steps = vec![step(5, vec![Arg::Buffer(0)])].into();
    let watched = Interpreter::default().watch(&case).unwrap();
    assert!(watched.stopped.is_some());
    assert!(case.first_wrong(&watched.outputs).unwrap().is_some());
    let unwritten = FindingKind::NeverWritten;
    assert!(watched
        .watch
        .findings()
        .iter()
        .any(|finding| finding.kind == unwritten));
}

proptest! {
    #[test]
    fn every_changed_cell_is_found(cells in 1u64..200, at in 0u64..200, bit in 0u32..32) {
        let at = at % cells;
        let program = copy("b32", "%r5", 4);
        let case = copy_of(&program, Element::U32, cells);
        let mut bytes: Vec<u32> = (0..cells as u32).collect();
        bytes[at as usize] ^= 1 << bit;
        let bytes = bytes.into_iter().flat_map(u32::to_le_bytes).collect();
        let mismatch = case.first_wrong(&Outputs::new(vec![None, Some(bytes)])).unwrap().unwrap();
        prop_assert_eq!((mismatch.cell, mismatch.wrong), (at, 1));
    }
}
