//! What the names in a kernel's body stand for.

use crate::ptx::syntax::{Entry, Inst, Statement, Variable};
use crate::ptx::types::Type;
use std::collections::HashMap;

/// A register as declared: which declaration, and which of its registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Declared {
    scope: usize,
    name: String,
}

/// What a name stands for.
pub(super) enum Meaning<'a> {
    Register(Declared, Type),
    Variable(&'a Variable),
    /// A label: the index of the instruction it stands before.
    Label(usize),
}

#[derive(Default)]
struct Scope<'a> {
    parent: Option<usize>,
    /// Of a function in place of its call: the only names from outside, and what they stand for there.
    function: Option<&'a HashMap<String, String>>,
    /// Registers declared one by one.
    singles: HashMap<&'a str, Type>,
    /// `%r<8>`: the part before the number, and how many.
    families: HashMap<&'a str, (Type, u64)>,
    variables: HashMap<&'a str, &'a Variable>,
    labels: HashMap<&'a str, usize>,
}

/// The scopes of a body and its instructions, each with the scope it is in.
pub(super) struct Body<'a> {
    scopes: Vec<Scope<'a>>,
    pub(super) instructions: Vec<(usize, &'a Inst)>,
}

impl<'a> Body<'a> {
    pub(super) fn new(entry: &'a Entry) -> Body<'a> {
        let mut body = Body {
            scopes: vec![Scope::default()],
            instructions: Vec::new(),
        };
        let mut current = 0;
        for statement in &entry.body {
            let index = body.scopes.len();
            let here = body.instructions.len();
            let scope = &mut body.scopes[current];
            match statement {
                Statement::Open | Statement::Function(_) => {
                    body.scopes.push(Scope {
                        parent: Some(current),
                        function: match statement {
                            Statement::Function(names) => Some(names),
                            _ => None,
                        },
                        ..Scope::default()
                    });
                    current = index;
                }
                Statement::Close => current = scope.parent.unwrap_or(0),
                Statement::Registers {
                    ty,
                    name,
                    count: None,
                } => {
                    scope.singles.insert(name, *ty);
                }
                Statement::Registers {
                    ty,
                    name,
                    count: Some(count),
                } => {
                    scope.families.insert(name, (*ty, *count));
                }
                Statement::Variable(variable) => {
                    scope.variables.insert(&variable.name, variable);
                }
                Statement::Label(name) => {
                    scope.labels.insert(name, here);
                }
                Statement::Instruction(inst) => body.instructions.push((current, inst)),
            }
        }
        body
    }

    /// What `name` stands for where `scope` is the innermost one.
    pub(super) fn resolve<'n>(&self, scope: usize, mut name: &'n str) -> Option<Meaning<'a>>
    where
        'a: 'n,
    {
        let mut at = Some(scope);
        while let Some(index) = at {
            let scope = &self.scopes[index];
            if let Some(meaning) = scope.resolve(index, name) {
                return Some(meaning);
            }
            if let Some(names) = scope.function {
                name = names.get(name)?;
            }
            at = scope.parent;
        }
        None
    }

    /// True in the body of a function, which sees no parameter of the kernel.
    pub(super) fn in_function(&self, scope: usize) -> bool {
        let up = |&scope: &usize| self.scopes[scope].parent;
        std::iter::successors(Some(scope), up).any(|scope| self.scopes[scope].function.is_some())
    }

    /// The type that a register was declared with.
    pub(super) fn type_of(&self, declared: &Declared) -> Option<Type> {
        match self
            .scopes
            .get(declared.scope)?
            .resolve(declared.scope, &declared.name)?
        {
            Meaning::Register(_, ty) => Some(ty),
            _ => None,
        }
    }

    /// Shared and local variables of the body, in order of declaration.
    pub(super) fn variables(entry: &'a Entry) -> impl Iterator<Item = &'a Variable> {
        entry.body.iter().filter_map(|statement| match statement {
            Statement::Variable(variable) => Some(variable),
            _ => None,
        })
    }
}

impl<'a> Scope<'a> {
    fn resolve(&self, index: usize, name: &str) -> Option<Meaning<'a>> {
        let declared = || Declared {
            scope: index,
            name: name.to_string(),
        };
        if let Some(&ty) = self.singles.get(name) {
            return Some(Meaning::Register(declared(), ty));
        }
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        // A family may itself end in digits, so try every way to cut the name.
        for cut in name.len() - digits..name.len() {
            let (family, number) = name.split_at(cut);
            if let Some(&(ty, count)) = self.families.get(family) {
                let canonical = number == "0" || !number.starts_with('0');
                if canonical && number.parse::<u64>().is_ok_and(|number| number < count) {
                    return Some(Meaning::Register(declared(), ty));
                }
            }
        }
        if let Some(&variable) = self.variables.get(name) {
            return Some(Meaning::Variable(variable));
        }
        self.labels.get(name).map(|&at| Meaning::Label(at))
    }
}
