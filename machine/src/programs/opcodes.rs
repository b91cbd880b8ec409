//! A kernel for every row of the opcode table.

use super::text::Text;
use crate::ops::{tables, Row};

/// Truth tables for `lop3`, whose last operand must be a constant: sum, majority, choice, and, or, and odd ones.
const LOP3_TABLES: [u32; 8] = [0x96, 0xE8, 0xCA, 0x80, 0xFE, 0x1B, 0x27, 0x40];

/// True for rows that no kernel can try by itself: parts of other instructions, sums that take the carry of an
/// instruction before them (`carries.ptx` has those), and rows on addresses, which differ from device to device.
fn is_left_out(row: &Row) -> bool {
    let word = row.name.split('.').next().unwrap_or("");
    row.name.contains('#') || matches!(word, "addc" | "subc" | "cvta" | "isspacep")
}

fn capability(row: &Row) -> u32 {
    if row.name.contains(".NaN") {
        80
    } else {
        75
    }
}

/// True where an operand counts bits or bytes.
fn is_amount(name: &str, operand: usize) -> bool {
    let mut words = name.split('.');
    match (words.next().unwrap_or(""), operand) {
        ("shl" | "shr", 1) | ("shf", 2) | ("bfe", 1 | 2) | ("bfi", 2 | 3) => true,
        // `prmt` itself takes a selector; its modes take a number of bytes.
        ("prmt", 2) => words.nth(1).is_some(),
        _ => false,
    }
}

/// The kernel of a row, which may be written in another way than its name is.
fn kernel(row: &Row, opcode: &str, constant: Option<u32>) -> String {
    let mut text = Text::new();
    let mut operands = vec!["%out".to_owned()];
    let registers = row.src.len() - usize::from(constant.is_some());
    for (at, &ty) in row.src[..registers].iter().enumerate() {
        let name = ["a", "b", "c", "d"][at];
        let kind = if is_amount(row.name, at) {
            "amount"
        } else {
            ty.name()
        };
        text.load(&format!("{name}_{kind}"), name);
        operands.push(format!("%{name}"));
    }
    operands.extend(constant.map(|c| format!("{c:#x}")));
    text.declare("out", row.dst);
    text.line(&format!("{opcode} {}", operands.join(", ")));
    text.store(&format!("out_{}", row.dst.name()), "out");
    let suffix = constant.map_or(String::new(), |c| format!("_{c:02x}"));
    text.kernel(&format!("{}{suffix}", opcode.replace('.', "_")))
}

/// The kernels of all opcodes that need this compute capability and no more.
pub(super) fn of(wanted: u32) -> String {
    let mut text = String::new();
    for row in tables().flatten() {
        if is_left_out(row) || capability(row) != wanted {
            continue;
        }
        if row.name.starts_with("lop3") {
            text.extend(LOP3_TABLES.map(|table| kernel(row, row.name, Some(table))));
            continue;
        }
        text += &kernel(row, row.name, None);
        // The reader takes `.sat` in conversions to integers for what they do anyway.
        let rest = row.name.strip_prefix("cvt.rni.").filter(|_| !row.dst.is_float());
        if let Some(rest) = rest.filter(|rest| !rest.contains("ftz")) {
            text += &kernel(row, &format!("cvt.rni.sat.{rest}"), None);
        }
    }
    text
}
