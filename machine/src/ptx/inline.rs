//! Calls: the body of the function takes the place of the call.
//!
//! It becomes a scope that sees nothing around it but the names of its parameters, which stand for what the
//! caller passes. So what is decoded has no calls, and a report names the lines of the function itself.
//! A function that calls itself has no end like this, and is refused, as are calls through a register.
//!
//! Source: PTX ISA, "Control Flow Instructions: call" and "Kernel and Function Directives: .func".

use super::parser::Parser;
use super::syntax::{Entry, Formal, Function, Inst, Operand, Statement, Variable, VariableSpace};
use super::types::Type;
use crate::error::LoadError;
use std::collections::HashMap;
use std::rc::Rc;

/// The most statements of a kernel with all of its functions: calls of calls grow without bound.
const MAX_STATEMENTS: usize = 1 << 18;

/// Where the functions that have a body stand in the text: the token after `.func`.
pub(super) type Places = HashMap<String, usize>;

pub(super) struct Inliner<'p, 'a> {
    parser: &'p mut Parser<'a>,
    places: &'p Places,
    read: HashMap<String, Rc<Function>>,
    /// The functions that surround the statement at hand.
    open: Vec<String>,
    calls: u32,
    statements: usize,
    kernel: String,
}

/// How deep calls may nest.
const MAX_DEPTH: usize = 64;

/// What the names of parameters stand for.
type Names = HashMap<String, String>;

impl<'p, 'a> Inliner<'p, 'a> {
    pub(super) fn new(parser: &'p mut Parser<'a>, places: &'p Places) -> Inliner<'p, 'a> {
        Inliner {
            parser,
            places,
            read: HashMap::new(),
            open: Vec::new(),
            calls: 0,
            statements: 0,
            kernel: String::new(),
        }
    }

    /// Puts functions in place of the calls of a kernel.
    pub(super) fn expand(&mut self, entry: &mut Entry) -> Result<(), LoadError> {
        if entry.body.iter().any(is_call) {
            self.kernel.clone_from(&entry.name);
            self.statements = 0;
            let body = std::mem::take(&mut entry.body);
            entry.body = self.body(body, HashMap::new(), None)?;
        }
        Ok(())
    }

    /// `memory` holds the parameters in memory that the body can pass on, and their bytes.
    fn body(
        &mut self,
        body: Vec<Statement>,
        mut memory: HashMap<String, u64>,
        end: Option<&str>,
    ) -> Result<Vec<Statement>, LoadError> {
        let mut result = Vec::with_capacity(body.len());
        for statement in body {
            self.statements += 1;
            match statement {
                Statement::Instruction(inst) if inst.opcode == "call" || inst.opcode == "call.uni" => {
                    if self.statements > MAX_STATEMENTS {
                        return Err(self.refuse(&inst, "the functions it calls are too long"));
                    }
                    self.call(&inst, &memory, &mut result)?;
                }
                Statement::Instruction(inst) if end.is_some() && is_return(&inst) => {
                    let target = Operand::Name(end.unwrap_or_default().to_string(), 0);
                    result.push(Statement::Instruction(Inst {
                        opcode: "bra".to_string(),
                        operands: vec![target],
                        ..inst
                    }));
                }
                Statement::Variable(variable) => {
                    if variable.space == VariableSpace::Param {
                        memory.insert(variable.name.clone(), variable.bytes);
                    }
                    result.push(Statement::Variable(variable));
                }
                other => result.push(other),
            }
        }
        Ok(result)
    }

    fn call(
        &mut self,
        inst: &Inst,
        memory: &HashMap<String, u64>,
        out: &mut Vec<Statement>,
    ) -> Result<(), LoadError> {
        if let Some(trouble) = &inst.trouble {
            return Err(trouble.clone());
        }
        let (results, name, arguments) = match inst.operands.as_slice() {
            [Operand::Name(name, 0)] => (&[][..], name, &[][..]),
            [Operand::Name(name, 0), Operand::Group(arguments)] => (&[][..], name, arguments.as_slice()),
            [Operand::Group(results), Operand::Name(name, 0)] => (results.as_slice(), name, &[][..]),
            [Operand::Group(results), Operand::Name(name, 0), Operand::Group(arguments)] => {
                (results.as_slice(), name, arguments.as_slice())
            }
            _ => return Err(self.refuse(inst, "only calls that name their function are")),
        };
        if self.open.contains(name) {
            return Err(self.refuse(inst, &format!("`{name}` calls itself")));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(self.refuse(inst, "calls nested too deeply"));
        }
        let function = self.function(inst, name)?;
        if (results.len(), arguments.len()) != (function.results.len(), function.params.len()) {
            return Err(self.misfit(
                inst,
                format!(
                    "`{name}` takes {} arguments and gives {} results",
                    function.params.len(),
                    function.results.len()
                ),
            ));
        }
        self.calls += 1;
        // A `#` stands in no name that PTX allows.
        let call = format!("call#{}", self.calls);
        let (skip, end) = (format!("{call}.skip"), format!("{call}.end"));
        let (mut names, mut before, mut after) = (Names::new(), Vec::new(), Vec::new());
        let mut inner = HashMap::new();
        let pairs = function.params.iter().zip(arguments);
        let both = pairs
            .map(|pair| (pair, true))
            .chain(function.results.iter().zip(results).map(|pair| (pair, false)));
        for (number, ((formal, actual), is_argument)) in both.enumerate() {
            let place = format!("{call}.{number}");
            let (of, bytes) = (formal.name().to_string(), formal.bytes());
            if matches!(formal, Formal::Memory(_)) {
                inner.insert(of.clone(), bytes);
            }
            // Memory of the caller stands for itself.
            if let Some((name, given)) = in_memory(formal, actual, memory) {
                if given != bytes {
                    let message = format!("`{of}` has {bytes} bytes, and `{name}` {given}");
                    return Err(self.misfit(inst, message));
                }
                names.insert(of, name.to_string());
                continue;
            }
            before.push(formal.declared(&place));
            let copied = match is_argument {
                true => formal.set(&place, actual.clone()).map(|copy| (copy, &mut before)),
                false => formal.get(&place, actual.clone()).map(|copy| (copy, &mut after)),
            };
            let Some(((opcode, operands), list)) = copied else {
                return Err(self.misfit(inst, format!("`{of}` has {bytes} bytes, which no register holds")));
            };
            list.push(Statement::Instruction(Inst {
                guard: None,
                opcode,
                operands,
                ..inst.clone()
            }));
            names.insert(of, place);
        }
        out.push(Statement::Open);
        if let Some((predicate, negated)) = &inst.guard {
            out.push(Statement::Instruction(Inst {
                guard: Some((predicate.clone(), !negated)),
                opcode: "bra".to_string(),
                operands: vec![Operand::Name(skip.clone(), 0)],
                ..inst.clone()
            }));
        }
        out.append(&mut before);
        out.push(Statement::Function(names));
        self.open.push(name.clone());
        out.extend(self.body(function.body.clone(), inner, Some(&end))?);
        self.open.pop();
        out.extend([Statement::Label(end), Statement::Close]);
        out.append(&mut after);
        out.extend([Statement::Label(skip), Statement::Close]);
        Ok(())
    }

    fn function(&mut self, inst: &Inst, name: &str) -> Result<Rc<Function>, LoadError> {
        if let Some(function) = self.read.get(name) {
            return Ok(function.clone());
        }
        let Some(&at) = self.places.get(name) else {
            return Err(self.refuse(inst, &format!("`{name}` has no body in this module")));
        };
        let function = Rc::new(self.parser.function(at)?);
        let own = |statement: &Statement| match statement {
            Statement::Variable(variable) => {
                !matches!(variable.space, VariableSpace::Param | VariableSpace::Local)
            }
            _ => false,
        };
        if function.body.iter().any(own) {
            return Err(self.refuse(inst, &format!("`{name}` has variables that outlive the call")));
        }
        self.read.insert(name.to_string(), function.clone());
        Ok(function)
    }

    fn refuse(&self, inst: &Inst, reason: &str) -> LoadError {
        LoadError::Unsupported {
            kernel: self.kernel.clone(),
            line: inst.ptx_line,
            source_line: inst.line,
            opcode: inst.opcode.clone(),
            reason: format!(": {reason}"),
        }
    }

    fn misfit(&self, inst: &Inst, message: String) -> LoadError {
        LoadError::Operand {
            kernel: self.kernel.clone(),
            line: inst.ptx_line,
            source_line: inst.line,
            opcode: inst.opcode.clone(),
            message,
        }
    }
}

/// An opcode and its operands.
type Copy = (String, Vec<Operand>);

impl Formal {
    fn name(&self) -> &str {
        match self {
            Formal::Memory(param) => &param.name,
            Formal::Register { name, .. } => name,
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Formal::Memory(param) => param.bytes.into(),
            Formal::Register { ty, .. } => ty.bytes().into(),
        }
    }

    /// The declaration of a place of its kind.
    fn declared(&self, place: &str) -> Statement {
        let name = place.to_string();
        match self {
            Formal::Memory(param) => Statement::Variable(Variable {
                name,
                space: VariableSpace::Param,
                align: param.align,
                bytes: param.bytes.into(),
                unsized_array: false,
                initial: Vec::new(),
                is_extern: false,
            }),
            Formal::Register { ty, .. } => Statement::Registers {
                ty: *ty,
                name,
                count: None,
            },
        }
    }

    /// Copies a register or a constant into a place; nothing where the place holds more than one value.
    fn set(&self, place: &str, from: Operand) -> Option<Copy> {
        Some(match self.single()? {
            (ty, true) => (format!("st.param.{}", ty.name()), vec![address(place), from]),
            (ty, false) => (
                format!("mov.{}", ty.name()),
                vec![Operand::Name(place.to_string(), 0), from],
            ),
        })
    }

    /// Copies a place into a register.
    fn get(&self, place: &str, to: Operand) -> Option<Copy> {
        Some(match self.single()? {
            (ty, true) => (format!("ld.param.{}", ty.name()), vec![to, address(place)]),
            (ty, false) => (
                format!("mov.{}", ty.name()),
                vec![to, Operand::Name(place.to_string(), 0)],
            ),
        })
    }

    /// Its type, and whether it lies in memory.
    fn single(&self) -> Option<(Type, bool)> {
        match self {
            Formal::Memory(param) => (param.ty.bytes() == param.bytes).then_some((param.ty, true)),
            Formal::Register { ty, .. } => Some((*ty, false)),
        }
    }
}

/// The caller's parameter in memory that is passed on as it is, and its bytes.
fn in_memory<'o>(
    formal: &Formal,
    actual: &'o Operand,
    memory: &HashMap<String, u64>,
) -> Option<(&'o str, u64)> {
    match (formal, actual) {
        (Formal::Memory(_), Operand::Name(name, 0)) => Some((name, *memory.get(name)?)),
        _ => None,
    }
}

fn address(place: &str) -> Operand {
    Operand::Address(Some(place.to_string()), 0)
}

fn is_call(statement: &Statement) -> bool {
    matches!(statement, Statement::Instruction(inst) if inst.opcode.starts_with("call"))
}

fn is_return(inst: &Inst) -> bool {
    matches!(inst.opcode.as_str(), "ret" | "ret.uni") && inst.operands.is_empty()
}
