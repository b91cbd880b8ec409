//! Kernels for atomics and reductions.

use super::text::Text;
use crate::ops::atomics::{rows, AtomicRow};

/// The kernel of an atomic: each thread has a word of its own, so that the order of lanes can not matter.
fn kernel(row: &AtomicRow, word: &str, space: &str) -> String {
    let ty = row.ty.name();
    let mut text = Text::new();
    let names = &["b", "c"][..row.operands];
    for name in names {
        text.load(&format!("{name}_{ty}"), name);
    }
    let operands: Vec<String> = names.iter().map(|name| format!("%{name}")).collect();
    let (operands, cells) = (operands.join(", "), format!("cells_{ty}"));
    let opcode = format!("{word}.{space}.{}", row.name);
    let returns = word == "atom";
    let target = if returns { "%old, " } else { "" };
    if returns {
        text.declare("old", row.ty);
    }
    if space == "shared" {
        text.shared();
        text.load(&cells, "word");
        text.line(&format!("st.shared.{ty} [%there], %word"));
        text.line(&format!("{opcode} {target}[%there], {operands}"));
        text.line(&format!("ld.shared.{ty} %word, [%there]"));
        text.line(&format!("st.global.{ty} [%address], %word"));
    } else {
        text.element(&cells);
        text.line(&format!("{opcode} {target}[%address], {operands}"));
    }
    if returns {
        text.store(&format!("out_{ty}"), "old");
    }
    text.kernel(&opcode.replace('.', "_"))
}

/// All threads on one word: what is left in the end does not depend on their order.
fn contended(opcode: &str, cells: &str, operand: &str) -> String {
    let mut text = Text::new();
    text.load(operand, "b");
    text.param(cells);
    text.line(&format!("ld.param.u64 %address, [{cells}]"));
    text.line(&format!("{opcode} [%address+16], %b"));
    text.kernel(&format!("contended_{}", opcode.replace('.', "_")))
}

pub(super) fn all() -> String {
    let mut text = String::new();
    for row in rows() {
        let reduces = !row.name.starts_with("cas") && !row.name.starts_with("exch");
        for space in ["global", "shared"] {
            text += &kernel(row, "atom", space);
            if reduces {
                text += &kernel(row, "red", space);
            }
        }
        if reduces && !row.ty.is_float() && !matches!(&row.name[..3], "inc" | "dec") {
            let (cells, operand) = (format!("cells_{}", row.ty.name()), format!("b_{}", row.ty.name()));
            text += &contended(&format!("red.global.{}", row.name), &cells, &operand);
        }
    }
    text
}
