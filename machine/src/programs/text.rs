//! A kernel being written.

use crate::ptx::types::{Class, Type};
use std::fmt::Write;

pub(super) struct Text {
    params: Vec<String>,
    registers: String,
    body: String,
}

/// The type that a name ends in, as `out_p_pred` does; amounts are 32 bits.
pub(super) fn type_of(name: &str) -> Type {
    match name.rsplit('_').next() {
        Some("amount") => Type::U32,
        Some(ty) => Type::named(ty).unwrap_or_else(|| panic!("{name} names no type")),
        None => panic!("{name} names no type"),
    }
}

/// The type of a register that holds a value; 8 bits live in 16.
fn register(ty: Type) -> &'static str {
    match (ty, ty.class()) {
        (Type::F32 | Type::F64, _) => ty.name(),
        (_, Class::Pred) => "pred",
        (_, Class::B16) => "b16",
        (_, Class::B32) => "b32",
        (_, Class::B64) => "b64",
    }
}

impl Text {
    pub(super) fn new() -> Text {
        Text {
            params: Vec::new(),
            registers: "\t.reg .b32 %lane;\n\t.reg .b64 %address;\n".to_owned(),
            body: "\tmov.u32 %lane, %tid.x;\n".to_owned(),
        }
    }

    pub(super) fn declare(&mut self, name: &str, ty: Type) {
        self.declaration(&format!(".reg .{} %{name}", register(ty)));
    }

    pub(super) fn declaration(&mut self, text: &str) {
        writeln!(self.registers, "\t{text};").unwrap();
    }

    pub(super) fn line(&mut self, instruction: &str) {
        let end = if instruction.ends_with(':') { "" } else { ";" };
        writeln!(self.body, "\t{instruction}{end}").unwrap();
    }

    pub(super) fn param(&mut self, name: &str) {
        if !self.params.iter().any(|p| p == name) {
            self.params.push(name.to_owned());
        }
    }

    /// Adds a parameter and takes the address of this thread's element in `%address`.
    pub(super) fn element(&mut self, param: &str) {
        let bytes = type_of(param).bytes().max(1);
        self.param(param);
        self.line(&format!("ld.param.u64 %address, [{param}]"));
        self.line(&format!("mad.wide.u32 %address, %lane, {bytes}, %address"));
    }

    /// Loads this thread's element into a new register `%name`.
    pub(super) fn load(&mut self, param: &str, name: &str) {
        let ty = type_of(param);
        self.declare(name, ty);
        self.element(param);
        if ty == Type::Pred {
            self.declare(&format!("{name}_bit"), Type::U16);
            self.line(&format!("ld.global.u8 %{name}_bit, [%address]"));
            self.line(&format!("setp.ne.u16 %{name}, %{name}_bit, 0"));
        } else {
            self.line(&format!("ld.global.{} %{name}, [%address]", ty.name()));
        }
    }

    /// Stores `%name` as this thread's element.
    pub(super) fn store(&mut self, param: &str, name: &str) {
        let ty = type_of(param);
        self.element(param);
        if ty == Type::Pred {
            self.declare(&format!("{name}_result"), Type::U16);
            self.line(&format!("selp.u16 %{name}_result, 1, 0, %{name}"));
            self.line(&format!("st.global.u8 [%address], %{name}_result"));
        } else {
            self.line(&format!("st.global.{} [%address], %{name}", ty.name()));
        }
    }

    /// Gives each thread 16 bytes of shared memory: `%there` is the address of the first.
    pub(super) fn shared(&mut self) {
        self.declare("there", Type::B32);
        self.declaration(".shared .align 16 .b8 words[2048]");
        self.line("mov.u32 %there, words");
        self.line("mad.lo.u32 %there, %lane, 16, %there");
    }

    /// The whole kernel, outputs first among its parameters.
    pub(super) fn kernel(mut self, name: &str) -> String {
        self.params.sort_by_key(|param| !param.starts_with("out"));
        let params: Vec<String> = self.params.iter().map(|p| format!(".param .u64 {p}")).collect();
        let (registers, body, params) = (self.registers, self.body, params.join(", "));
        format!("\n.visible .entry {name}({params})\n{{\n{registers}{body}\tret;\n}}\n")
    }
}
