//! From syntax to code: names become indices, types are checked, what is unknown is refused.

mod assigned;
mod flow;
mod lanes;
mod memory;
mod modifiers;
mod operands;
mod scope;
mod special;
mod warp;

use crate::code::{Code, Constant, ConstantRegister, ModuleVariable, Op, Step, ALWAYS};
use crate::error::LoadError;
use crate::event::Ordering;
use crate::lanes::{Line, Pc};
use crate::module::{Instruction, Kernel, MemoryShape, Param};
use crate::ops::row;
use crate::ptx::syntax::{Entry, Inst, Operand, Source, Variable, VariableSpace};
use crate::ptx::types::{Class, Type};
use crate::registers::{Register, Sizes};
use assigned::Uses;
use operands::Home;
use scope::{Body, Declared, Meaning};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The most shared memory a block can have, in bytes: what an H200 gives.
pub(crate) const MAX_SHARED_BYTES: u32 = 227 << 10;
const MAX_LOCAL_BYTES: u64 = 64 << 10;
const MAX_VARIABLE_BYTES: u64 = 1 << 30;
/// The most memory that the registers of one warp may take: some 65,000 64-bit registers.
const MAX_REGISTER_BYTES: u64 = 16 << 20;

/// Every kernel of a module, decoded.
pub(crate) fn decode(source: &Source) -> Result<Vec<Kernel>, LoadError> {
    source
        .entries
        .iter()
        .map(|entry| Decoder::new(source, entry)?.kernel())
        .collect()
}

struct Decoder<'a> {
    entry: &'a Entry,
    body: Body<'a>,
    /// Offset and size of each parameter.
    params: HashMap<&'a str, (u32, u32)>,
    param_list: Vec<Param>,
    param_bytes: u32,
    /// Where the variables of the body are, by identity: names may repeat in nested scopes.
    placed: HashMap<*const Variable, (VariableSpace, Constant)>,
    module_variables: HashMap<&'a str, (VariableSpace, Constant)>,
    variables: Vec<ModuleVariable>,
    shared_bytes: u32,
    local_bytes: u32,
    homes: HashMap<Declared, Home>,
    constants: HashMap<(Class, Constant), Register>,
    constant_registers: Vec<ConstantRegister>,
    sizes: Sizes,
    carry_register: Option<Register>,
    communicates: bool,
    steps: Vec<Step>,
    // The instruction being decoded.
    scope: usize,
    pc: Pc,
    guard: (Register, u32),
    memory: Option<MemoryShape>,
}

impl<'a> Decoder<'a> {
    fn new(source: &'a Source, entry: &'a Entry) -> Result<Decoder<'a>, LoadError> {
        let mut decoder = Decoder {
            entry,
            body: Body::new(entry),
            params: HashMap::new(),
            param_list: Vec::new(),
            param_bytes: 0,
            placed: HashMap::new(),
            module_variables: HashMap::new(),
            variables: Vec::new(),
            shared_bytes: 0,
            local_bytes: 0,
            homes: HashMap::new(),
            constants: HashMap::new(),
            constant_registers: Vec::new(),
            sizes: Sizes::default(),
            carry_register: None,
            communicates: false,
            steps: Vec::new(),
            scope: 0,
            pc: Pc(0),
            guard: (ALWAYS, 0),
            memory: None,
        };
        let always = decoder.bits(Class::Pred, 1);
        debug_assert_eq!(always, ALWAYS);
        decoder.place_params();
        decoder.place_variables(source)?;
        Ok(decoder)
    }

    /// Refuses the kernel for something other than an instruction.
    fn refuse(&self, directive: &str, reason: String) -> LoadError {
        LoadError::Unsupported {
            kernel: self.entry.name.clone(),
            line: self.entry.ptx_line,
            source_line: Line::UNKNOWN,
            opcode: directive.to_string(),
            reason: format!(": {reason}"),
        }
    }

    fn place_params(&mut self) {
        for param in &self.entry.params {
            let offset = self.param_bytes.next_multiple_of(param.align.max(1));
            self.param_bytes = offset + param.bytes;
            self.params.insert(&param.name, (offset, param.bytes));
            self.param_list.push(Param {
                name: param.name.clone(),
                ty: param.ty.name().to_string(),
                bytes: param.bytes,
                offset,
            });
        }
    }

    /// Gives every variable that the kernel names a place.
    fn place_variables(&mut self, source: &'a Source) -> Result<(), LoadError> {
        let mut named = HashSet::new();
        for (_, inst) in &self.body.instructions {
            inst.operands.iter().for_each(|operand| {
                names(operand, &mut |name| {
                    named.insert(name);
                })
            });
        }
        let used = source
            .variables
            .iter()
            .filter(|v| named.contains(v.name.as_str()));
        let (mut shared, mut local, mut global) = (0u64, 0u64, 0u64);
        let mut dynamic = Vec::new();
        let body = Body::variables(self.entry).map(|v| (v, true));
        for (variable, in_body) in body.chain(used.map(|v| (v, false))) {
            let align = u64::from(variable.align.max(1));
            let constant = match variable.space {
                VariableSpace::Shared if variable.unsized_array => {
                    dynamic.push((variable, in_body));
                    continue;
                }
                VariableSpace::Shared | VariableSpace::Local | VariableSpace::Param => {
                    let total = if variable.space == VariableSpace::Shared {
                        &mut shared
                    } else {
                        &mut local
                    };
                    let offset = total.next_multiple_of(align);
                    *total = offset.saturating_add(variable.bytes);
                    Constant::Bits(offset)
                }
                VariableSpace::Global | VariableSpace::Const => {
                    if variable.is_extern || variable.unsized_array {
                        return Err(
                            self.refuse(".extern", format!("`{}` is of another module", variable.name))
                        );
                    }
                    global = global.saturating_add(variable.bytes);
                    let index = self.variables.len();
                    self.variables.push(ModuleVariable {
                        bytes: variable.bytes,
                        initial: variable.initial.clone(),
                        writable: variable.space == VariableSpace::Global,
                    });
                    Constant::Variable { index, offset: 0 }
                }
            };
            self.place(variable, in_body, constant);
            let limits = [
                (".shared", shared, u64::from(MAX_SHARED_BYTES)),
                (".local", local, MAX_LOCAL_BYTES),
                (".global", global, MAX_VARIABLE_BYTES),
            ];
            for (space, bytes, limit) in limits {
                if bytes > limit {
                    let reason = format!(
                        "with `{}` it is {bytes} bytes, and {limit} is the limit",
                        variable.name
                    );
                    return Err(self.refuse(space, reason));
                }
            }
        }
        // Dynamic shared memory follows the static variables, all of it at one address.
        let align = dynamic
            .iter()
            .map(|(v, _)| u64::from(v.align.max(1)))
            .max()
            .unwrap_or(1);
        let start = shared.next_multiple_of(align);
        for (variable, in_body) in dynamic {
            shared = start;
            self.place(variable, in_body, Constant::Bits(start));
        }
        if shared > MAX_SHARED_BYTES.into() {
            return Err(self.refuse(".shared", "its alignment does not fit".to_string()));
        }
        self.shared_bytes = shared as u32;
        self.local_bytes = local as u32;
        Ok(())
    }

    fn place(&mut self, variable: &'a Variable, in_body: bool, constant: Constant) {
        if in_body {
            self.placed
                .insert(std::ptr::from_ref(variable), (variable.space, constant));
        } else {
            self.module_variables
                .entry(&variable.name)
                .or_insert((variable.space, constant));
        }
    }

    /// Adds a step of the instruction being decoded.
    fn push(&mut self, inst: &Inst, op: Op) {
        let (guard, flip) = self.guard;
        self.steps.push(Step {
            guard,
            flip,
            op,
            plain: 0,
            pc: self.pc,
            line: inst.line,
        });
    }

    fn kernel(mut self) -> Result<Kernel, LoadError> {
        self.find_constants()?;
        let listed = self.body.instructions.clone();
        let mut instructions = Vec::with_capacity(listed.len());
        let mut first_step = Vec::with_capacity(listed.len() + 1);
        for (pc, &(scope, inst)) in (0..).zip(&listed) {
            first_step.push(self.steps.len() as u32);
            self.scope = scope;
            self.pc = Pc(pc);
            self.memory = None;
            if self.constant_definition(inst)?.is_none() {
                self.guard = self.guard(inst)?;
                self.instruction(inst)?;
            }
            instructions.push(Instruction {
                pc: self.pc,
                line: inst.line,
                ptx_line: inst.ptx_line,
                opcode: inst.opcode.clone(),
                text: inst.text.clone(),
                memory: self.memory,
            });
        }
        first_step.push(self.steps.len() as u32);
        // Whoever falls off the end has returned.
        let line = instructions.last().map_or(Line::UNKNOWN, |i| i.line);
        self.steps.push(Step {
            guard: ALWAYS,
            flip: 0,
            op: Op::Exit,
            plain: 0,
            pc: self.pc,
            line,
        });
        for step in &mut self.steps {
            if let Op::Branch(target) = &mut step.op {
                *target = first_step.get(*target as usize).copied().unwrap_or(0);
            }
        }
        let mut plain = 0;
        for step in self.steps.iter_mut().rev() {
            let alone = step.guard == ALWAYS && step.flip == 0 && matches!(step.op, Op::Lanes { .. });
            plain = if alone { plain + 1 } else { 0 };
            step.plain = plain;
        }
        if self.sizes.bytes() > MAX_REGISTER_BYTES {
            return Err(self.refuse(".reg", "the kernel has too many registers".to_string()));
        }
        let unassigned = self.unassigned();
        let code = Code {
            steps: self.steps,
            sizes: self.sizes,
            constants: self.constant_registers,
            unassigned,
            variables: self.variables,
            param_bytes: self.param_bytes,
            shared_bytes: self.shared_bytes,
            local_bytes: self.local_bytes,
            max_threads: self.entry.max_threads,
            required_block: self.entry.required_block,
            communicates: self.communicates,
        };
        Ok(Kernel::new(
            self.entry.name.clone(),
            self.param_list,
            instructions,
            Arc::new(code),
        ))
    }

    /// One instruction, by the first word of its opcode.
    fn instruction(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        if let Some(trouble) = &inst.trouble {
            // Opcodes that the machine does not know may have operands that it can not read.
            let known = row(&inst.opcode).is_some() || FAMILIES.contains(&first_word(&inst.opcode));
            return Err(if known {
                trouble.clone()
            } else {
                self.unsupported(inst, "")
            });
        }
        match first_word(&inst.opcode) {
            "ld" | "ldu" => self.load(inst),
            "st" => self.store(inst),
            "atom" | "red" => self.atomic(inst),
            "cp" => self.copy(inst),
            "bra" => self.branch(inst),
            "ret" | "exit" => self.without_operands(inst, Op::Exit),
            "trap" => self.without_operands(inst, Op::Trap),
            "bar" | "barrier" => self.barrier(inst),
            "membar" | "fence" => self.fence(inst),
            "shfl" => self.shuffle(inst),
            "vote" => self.vote(inst),
            "match" => self.matching(inst),
            "redux" => self.redux(inst),
            "activemask" | "elect" => self.active_mask(inst),
            // Hints that ask for nothing.
            "nanosleep" | "prefetch" | "prefetchu" => {
                self.communicates |= inst.opcode.starts_with("nanosleep");
                self.push(inst, Op::Nothing);
                Ok(())
            }
            _ => self.tabled(inst),
        }
    }

    /// Finds the registers that only ever hold one constant: written by a single `mov`, `ld.param` or `cvta`
    /// without a guard. They need neither a register nor a step.
    fn find_constants(&mut self) -> Result<(), LoadError> {
        let mut writes: HashMap<Declared, u32> = HashMap::new();
        let listed = self.body.instructions.clone();
        for &(scope, inst) in &listed {
            if let Some(target) = inst.operands.first() {
                self.scope = scope;
                names(target, &mut |name| {
                    if let Some(Meaning::Register(declared, _)) = self.body.resolve(scope, name) {
                        *writes.entry(declared).or_default() += 1;
                    }
                });
            }
        }
        for &(scope, inst) in &listed {
            self.scope = scope;
            let Some((declared, _)) = inst.operands.first().and_then(|o| self.register(o)) else {
                continue;
            };
            if writes.get(&declared) == Some(&1) {
                if let Some(constant) = self.constant_value(inst)? {
                    self.homes.insert(declared, Home::Constant(constant));
                }
            }
        }
        Ok(())
    }

    /// The constant that `inst` writes, when it is of a kind that always does.
    fn constant_value(&self, inst: &Inst) -> Result<Option<Constant>, LoadError> {
        let [to, from] = inst.operands.as_slice() else {
            return Ok(None);
        };
        let Some((_, declared)) = self.register(to) else {
            return Ok(None);
        };
        if inst.guard.is_some() {
            return Ok(None);
        }
        let opcode = inst.opcode.as_str();
        if let Some(ty) = opcode.strip_prefix("ld.param.").and_then(Type::named) {
            let same = declared.class() == ty.class() && declared.is_float() == ty.is_float();
            return if same && !self.is_of_call(from) {
                self.param_constant(inst, from, ty, 0).map(Some)
            } else {
                Ok(None)
            };
        }
        let ty = match opcode.strip_prefix("mov.") {
            Some(name) => Type::named(name),
            None => matches!(opcode, "cvta.to.global.u64" | "cvta.global.u64").then_some(Type::U64),
        };
        match ty {
            Some(ty) if declared.agrees(ty) => {
                // The source of a register must itself be checked where it is no constant.
                if let Some((_, source)) = self.register(from) {
                    if !source.agrees(ty) {
                        return Ok(None);
                    }
                }
                self.constant_of(inst, from, ty)
            }
            _ => Ok(None),
        }
    }

    /// The constant that the target of `inst` always is.
    fn constant_definition(&self, inst: &Inst) -> Result<Option<Constant>, LoadError> {
        let Some((declared, _)) = inst.operands.first().and_then(|o| self.register(o)) else {
            return Ok(None);
        };
        Ok(match self.homes.get(&declared) {
            Some(&Home::Constant(constant)) => Some(constant),
            _ => None,
        })
    }

    /// The registers that a path may read before it writes them.
    fn unassigned(&mut self) -> Vec<(Class, Register)> {
        let listed = self.body.instructions.clone();
        let mut numbers: HashMap<Declared, usize> = HashMap::new();
        let mut code = Vec::with_capacity(listed.len());
        for &(scope, inst) in &listed {
            self.scope = scope;
            let mut uses = Uses {
                falls_through: true,
                ..Uses::default()
            };
            let mut number = |name: &str| match self.body.resolve(scope, name) {
                Some(Meaning::Register(declared, _)) => {
                    let next = numbers.len();
                    Some(*numbers.entry(declared).or_insert(next))
                }
                _ => None,
            };
            let writes_first = writes_first_operand(&inst.opcode);
            for (at, operand) in inst.operands.iter().enumerate() {
                names(operand, &mut |name| {
                    if let Some(number) = number(name) {
                        let written = at == 0 && writes_first;
                        if !written {
                            uses.reads.push(number);
                        } else if inst.guard.is_none() {
                            uses.writes.push(number);
                        }
                    }
                });
            }
            if let Some((name, _)) = &inst.guard {
                uses.reads.extend(number(name));
            }
            let ends = matches!(inst.opcode.as_str(), "ret" | "exit" | "trap");
            if inst.opcode.starts_with("bra") {
                if let Some(Operand::Name(label, _)) = inst.operands.first() {
                    if let Some(Meaning::Label(at)) = self.body.resolve(scope, label) {
                        uses.target = Some(at);
                    }
                }
            }
            uses.falls_through = inst.guard.is_some() || !(ends || uses.target.is_some());
            code.push(uses);
        }
        let found: HashSet<usize> = assigned::unassigned(&code, numbers.len()).into_iter().collect();
        let mut registers: Vec<(Class, Register)> = numbers
            .into_iter()
            .filter(|(_, number)| found.contains(number))
            .filter_map(|(declared, _)| match self.homes.get(&declared) {
                Some(&Home::Register(register)) => Some((self.class_of(&declared)?, register)),
                _ => None,
            })
            .collect();
        registers.sort_unstable();
        registers.extend(self.carry_register.map(|register| (Class::Pred, register)));
        registers
    }

    fn class_of(&self, declared: &Declared) -> Option<Class> {
        self.body.type_of(declared).map(Type::class)
    }
}

/// First words of opcodes that are in no table.
const FAMILIES: [&str; 19] = [
    "ld", "ldu", "st", "atom", "red", "cp", "bra", "ret", "exit", "trap", "bar", "barrier", "membar",
    "fence", "shfl", "vote", "match", "redux", "set",
];

/// An opcode without its modifiers.
fn first_word(opcode: &str) -> &str {
    opcode.split('.').next().unwrap_or(opcode)
}

/// False for the few instructions whose first operand is read, or is no register.
fn writes_first_operand(opcode: &str) -> bool {
    let word = first_word(opcode);
    match word {
        "bar" | "barrier" => opcode.contains(".red."),
        _ => !matches!(
            word,
            "st" | "red" | "bra" | "cp" | "nanosleep" | "prefetch" | "prefetchu"
        ),
    }
}

/// Every name in an operand.
fn names<'o>(operand: &'o Operand, found: &mut dyn FnMut(&'o str)) {
    match operand {
        Operand::Name(name, _) | Operand::Not(name) | Operand::Address(Some(name), _) => found(name),
        Operand::Pair(a, b) => {
            found(a);
            found(b);
        }
        Operand::Vector(elements) | Operand::Group(elements) => {
            elements.iter().for_each(|element| names(element, found))
        }
        Operand::Number(_) | Operand::Address(None, _) => {}
    }
}

/// True for accesses that others may wait for.
fn communicates(ordering: Ordering) -> bool {
    ordering != Ordering::Weak
}
