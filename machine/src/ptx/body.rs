//! The body of a kernel: declarations, labels, line marks, instructions.

use super::lexer::{Kind, Token};
use super::parser::{type_named, Parser};
use super::syntax::{Inst, Number, Operand, Statement};
use crate::error::LoadError;
use crate::lanes::Line;

/// How deep scopes may nest.
const MAX_DEPTH: u32 = 64;

/// The line mark in force, and the file that the kernel itself is in.
#[derive(Default)]
struct Lines {
    current: Line,
    home: Option<u64>,
}

impl<'a> Parser<'a> {
    /// Everything between the braces of a kernel.
    pub(super) fn body(&mut self) -> Result<Vec<Statement>, LoadError> {
        self.expect("{")?;
        let mut lines = Lines::default();
        let mut depth = 1u32;
        let mut body = Vec::new();
        while depth > 0 {
            let token = self.peek();
            match (token.kind, token.text) {
                (Kind::Mark, "{") => {
                    self.take();
                    depth += 1;
                    if depth > MAX_DEPTH {
                        return Err(token.error("scopes nested too deeply"));
                    }
                    body.push(Statement::Open);
                }
                (Kind::Mark, "}") => {
                    self.take();
                    depth -= 1;
                    if depth > 0 {
                        body.push(Statement::Close);
                    }
                }
                (Kind::Mark, ";") => {
                    self.take();
                }
                (Kind::Word, ".reg") => self.registers(&mut body)?,
                (Kind::Word, ".shared" | ".local" | ".global" | ".const" | ".param") => {
                    body.extend(self.variables(false)?.into_iter().map(Statement::Variable));
                }
                (Kind::Word, ".loc") => self.line_mark(&mut lines)?,
                (Kind::Word, ".pragma") => {
                    while !self.eat(";") {
                        if self.take().kind == Kind::End {
                            return Err(self.expected("`;`"));
                        }
                    }
                }
                (Kind::Word, word) if word.starts_with('.') => {
                    return Err(self.expected("a directive that a kernel's body can have"));
                }
                (Kind::Word, _) | (Kind::Mark, "@") => self.labelled(&lines, &mut body)?,
                _ => return Err(self.expected("an instruction")),
            }
        }
        Ok(body)
    }

    /// `.reg .b32 %r<8>, %x;`.
    fn registers(&mut self, body: &mut Vec<Statement>) -> Result<(), LoadError> {
        self.take();
        let token = self.take();
        let ty = type_named(token.text, token)?;
        loop {
            let name = self.name()?.to_string();
            let mut count = None;
            if self.eat("<") {
                count = Some(self.count()?);
                self.expect(">")?;
            }
            body.push(Statement::Registers { ty, name, count });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")
    }

    /// `.loc 1 13 0`, perhaps with `, function_name …, inlined_at 1 31 9`.
    ///
    /// Reports speak of the file that the kernel is in. Code inlined from a header of another file is put
    /// down to the line it was inlined at.
    fn line_mark(&mut self, lines: &mut Lines) -> Result<(), LoadError> {
        let mark = self.take();
        let file = self.count()?;
        let mut line = self.count32()?;
        self.count()?;
        let home = *lines.home.get_or_insert(file);
        while self.peek().line == mark.line && self.peek().kind != Kind::End {
            if self.take().text == "inlined_at" {
                let (at_file, at_line) = (self.count()?, self.count32()?);
                if file != home && at_file == home {
                    line = at_line;
                }
                self.skip_rest_of(mark);
            }
        }
        lines.current = Line(line);
        Ok(())
    }

    fn skip_rest_of(&mut self, mark: Token<'_>) {
        if self.peek().line == mark.line {
            self.skip_line();
        }
    }

    /// A label, or an instruction with its guard.
    fn labelled(&mut self, lines: &Lines, body: &mut Vec<Statement>) -> Result<(), LoadError> {
        let first = self.peek();
        let mut guard = None;
        if self.eat("@") {
            let negated = self.eat("!");
            guard = Some((self.name()?.to_string(), negated));
        }
        let opcode = self.name()?.to_string();
        if guard.is_none() && self.eat(":") {
            body.push(Statement::Label(opcode));
            return Ok(());
        }
        let mut operands = Vec::new();
        let mut trouble = None;
        if !self.at_mark(";") {
            match self.operands() {
                Ok(read) => operands = read,
                Err(error) => {
                    // Whether that matters depends on the opcode. Go on behind the instruction.
                    let mut depth = 0u32;
                    while !self.at_mark(";") {
                        let token = self.take();
                        match (token.kind, token.text) {
                            (Kind::End, _) => return Err(error),
                            (Kind::Mark, "{") => depth += 1,
                            (Kind::Mark, "}") if depth == 0 => return Err(error),
                            (Kind::Mark, "}") => depth -= 1,
                            _ => {}
                        }
                    }
                    trouble = Some(error);
                }
            }
        }
        let end = self.peek().start;
        self.expect(";")?;
        let text = self.text.get(first.start..end).unwrap_or("");
        body.push(Statement::Instruction(Inst {
            ptx_line: first.line,
            line: lines.current,
            guard,
            opcode,
            operands,
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            trouble,
        }));
        Ok(())
    }

    /// Operands with commas between them, up to the `;`.
    fn operands(&mut self) -> Result<Vec<Operand>, LoadError> {
        let mut operands = vec![self.operand()?];
        while self.eat(",") {
            operands.push(self.operand()?);
        }
        if self.at_mark(";") {
            Ok(operands)
        } else {
            Err(self.expected("`,` or `;`"))
        }
    }

    fn operand(&mut self) -> Result<Operand, LoadError> {
        if self.eat("{") {
            let mut elements = Vec::new();
            loop {
                elements.push(self.scalar()?);
                if elements.len() > 8 {
                    return Err(self.expected("a vector of at most 8 elements"));
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("}")?;
            return Ok(Operand::Vector(elements));
        }
        if self.eat("[") {
            return self.address();
        }
        if self.eat("(") {
            let mut group = Vec::new();
            while !self.eat(")") {
                group.push(self.scalar()?);
                if !self.eat(",") && !self.at_mark(")") {
                    return Err(self.expected("`,` or `)`"));
                }
            }
            return Ok(Operand::Group(group));
        }
        if self.eat("!") {
            return Ok(Operand::Not(self.name()?.to_string()));
        }
        self.scalar()
    }

    fn scalar(&mut self) -> Result<Operand, LoadError> {
        if self.peek().kind != Kind::Word {
            return Ok(Operand::Number(self.number()?));
        }
        let name = self.name()?.to_string();
        if self.eat("|") {
            return Ok(Operand::Pair(name, self.name()?.to_string()));
        }
        let offset = self.offset()?;
        Ok(Operand::Name(name, offset))
    }

    /// What follows `[`.
    fn address(&mut self) -> Result<Operand, LoadError> {
        let base = match self.peek().kind {
            Kind::Word => Some(self.name()?.to_string()),
            _ => None,
        };
        let offset = if base.is_some() {
            self.offset()?
        } else {
            self.integer()?
        };
        self.expect("]")?;
        Ok(Operand::Address(base, offset))
    }

    /// `+4`, `-4`, `+-4`, or nothing.
    fn offset(&mut self) -> Result<i64, LoadError> {
        if self.eat("+") || self.at_mark("-") {
            self.integer()
        } else {
            Ok(0)
        }
    }

    fn integer(&mut self) -> Result<i64, LoadError> {
        let token = self.peek();
        match self.number()? {
            Number::Int { bits, .. } => Ok(bits as i64),
            _ => Err(token.error("expected an integer")),
        }
    }
}
