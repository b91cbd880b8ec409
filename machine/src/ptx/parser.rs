//! Module level: variables, kernels and what may be left out.

use super::inline::{Inliner, Places};
use super::lexer::{tokens, Kind, Token};
use super::syntax::{Entry, Formal, Function, Number, ParamDecl, Source, Variable, VariableSpace};
use super::types::Type;
use crate::error::LoadError;

/// The largest variable in bytes; PTX allows more, and nothing the machine is for needs it.
const MAX_VARIABLE_BYTES: u64 = 1 << 30;

/// The syntax of a module.
///
/// # Errors
///
/// When the text is not PTX, with line and column.
pub(crate) fn parse(ptx: &str) -> Result<Source, LoadError> {
    let tokens = tokens(ptx)?;
    let mut parser = Parser {
        text: ptx,
        tokens: &tokens,
        at: 0,
    };
    let mut source = Source::default();
    let mut functions = Places::new();
    if !parser.at_word(".version") {
        return Err(parser.expected("`.version`, with which every PTX module starts"));
    }
    while parser.peek().kind != Kind::End {
        parser.item(&mut source, &mut functions)?;
    }
    let mut inliner = Inliner::new(&mut parser, &functions);
    for entry in &mut source.entries {
        inliner.expand(entry)?;
    }
    Ok(source)
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    tokens: &'a [Token<'a>],
    at: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    pub(super) fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        // The last token is the end, and stays.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn expected(&self, what: &str) -> LoadError {
        let token = self.peek();
        token.error(format!("expected {what}, found {}", token.described()))
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Word && token.text == word
    }

    pub(super) fn at_mark(&self, mark: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Mark && token.text == mark
    }

    /// Takes the mark if it is next.
    pub(super) fn eat(&mut self, mark: &str) -> bool {
        let there = self.at_mark(mark);
        if there {
            self.take();
        }
        there
    }

    pub(super) fn expect(&mut self, mark: &str) -> Result<(), LoadError> {
        if self.eat(mark) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{mark}`")))
        }
    }

    /// A name: a word that is no directive.
    pub(super) fn name(&mut self) -> Result<&'a str, LoadError> {
        let token = self.peek();
        if token.kind != Kind::Word || token.text.starts_with('.') {
            return Err(self.expected("a name"));
        }
        Ok(self.take().text)
    }

    /// A number with an optional sign.
    pub(super) fn number(&mut self) -> Result<Number, LoadError> {
        let negative = self.eat("-");
        if !negative {
            self.eat("+");
        }
        let token = self.peek();
        if token.kind != Kind::Number {
            return Err(self.expected("a number"));
        }
        self.take();
        number(token.text, negative).ok_or_else(|| token.error(format!("{} is no number", token.described())))
    }

    /// A number that counts something.
    pub(super) fn count(&mut self) -> Result<u64, LoadError> {
        let token = self.peek();
        match self.number()? {
            Number::Int {
                bits,
                negative: false,
            } => Ok(bits),
            _ => Err(token.error("expected a number that is not negative")),
        }
    }

    pub(super) fn count32(&mut self) -> Result<u32, LoadError> {
        let token = self.peek();
        let count = self.count()?;
        u32::try_from(count).map_err(|_| token.error(format!("{count} is too large")))
    }

    /// Steps over everything to the next `;`, or to the end of a block in braces.
    fn skip_statement(&mut self) -> Result<(), LoadError> {
        let mut depth = 0u32;
        loop {
            let token = self.take();
            match (token.kind, token.text) {
                (Kind::End, _) => return Err(self.expected("the end of a statement")),
                (Kind::Mark, "{") => depth += 1,
                (Kind::Mark, "}") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && !self.at_mark(";") {
                        return Ok(());
                    }
                }
                (Kind::Mark, ";") if depth == 0 => return Ok(()),
                _ => {}
            }
        }
    }

    /// Steps over a directive that ends with its line.
    pub(super) fn skip_line(&mut self) {
        let line = self.peek().line;
        while self.peek().kind != Kind::End && self.peek().line == line {
            self.take();
        }
    }

    fn item(&mut self, source: &mut Source, functions: &mut Places) -> Result<(), LoadError> {
        let token = self.peek();
        if token.kind != Kind::Word {
            return Err(self.expected("a directive"));
        }
        match token.text {
            ".version" | ".target" | ".address_size" | ".file" => self.skip_line(),
            ".section" | ".pragma" | ".alias" => {
                self.take();
                self.skip_statement()?;
            }
            ".visible" | ".weak" | ".extern" | ".common" | ".entry" | ".func" | ".global" | ".const"
            | ".shared" => self.declaration(source, functions)?,
            _ => return Err(self.expected("a directive that PTX has")),
        }
        Ok(())
    }

    fn declaration(&mut self, source: &mut Source, functions: &mut Places) -> Result<(), LoadError> {
        let mut is_extern = false;
        while matches!(self.peek().text, ".visible" | ".weak" | ".extern" | ".common") {
            is_extern |= self.take().text == ".extern";
        }
        match self.peek().text {
            ".entry" => {
                self.take();
                source.entries.extend(self.entry()?);
            }
            // A function is read where a kernel calls it; the others do no harm.
            ".func" => {
                self.take();
                let at = self.at;
                if self.at_mark("(") {
                    self.formals()?;
                }
                let name = self.name()?.to_string();
                self.skip_statement()?;
                if self.tokens[self.at - 1].text == "}" {
                    functions.entry(name).or_insert(at);
                }
            }
            _ => {
                let variables = self.variables(is_extern)?;
                source.variables.extend(variables);
            }
        }
        Ok(())
    }

    /// The function whose results, name and parameters stand from `at` on.
    pub(super) fn function(&mut self, at: usize) -> Result<Function, LoadError> {
        self.at = at;
        let results = self.formals()?;
        self.name()?;
        let params = self.formals()?;
        while !self.at_mark("{") {
            if self.take().kind == Kind::End {
                return Err(self.expected("`{`"));
            }
        }
        Ok(Function {
            results,
            params,
            body: self.body()?,
        })
    }

    /// `(.param .b32 a, .reg .f32 b)`, or nothing.
    fn formals(&mut self) -> Result<Vec<Formal>, LoadError> {
        let mut formals = Vec::new();
        if !self.eat("(") {
            return Ok(formals);
        }
        while !self.eat(")") {
            if self.at_word(".reg") {
                self.take();
                let token = self.take();
                formals.push(Formal::Register {
                    ty: type_named(token.text, token)?,
                    name: self.name()?.to_string(),
                });
            } else {
                formals.push(Formal::Memory(self.param()?));
            }
            if !self.eat(",") && !self.at_mark(")") {
                return Err(self.expected("`,` or `)`"));
            }
        }
        Ok(formals)
    }

    /// A kernel; nothing for a mere announcement of one.
    fn entry(&mut self) -> Result<Option<Entry>, LoadError> {
        let ptx_line = self.peek().line;
        let name = self.name()?.to_string();
        let mut params = Vec::new();
        if self.eat("(") {
            while !self.eat(")") {
                params.push(self.param()?);
                if !self.eat(",") && !self.at_mark(")") {
                    return Err(self.expected("`,` or `)`"));
                }
            }
        }
        let mut entry = Entry {
            name,
            ptx_line,
            params,
            max_threads: None,
            required_block: None,
            body: Vec::new(),
        };
        loop {
            let token = self.peek();
            match token.text {
                "{" => break,
                ";" => {
                    self.take();
                    return Ok(None);
                }
                ".maxntid" => {
                    self.take();
                    let size = self.extent()?;
                    entry.max_threads = Some(size.iter().fold(1, |n, &d| n * u64::from(d.min(1 << 16))));
                }
                ".reqntid" => {
                    self.take();
                    entry.required_block = Some(self.extent()?);
                }
                ".minnctapersm" | ".maxnctapersm" | ".maxnreg" => {
                    self.take();
                    self.count()?;
                }
                ".noreturn" => {
                    self.take();
                }
                ".pragma" => {
                    self.take();
                    self.skip_statement()?;
                }
                _ => return Err(self.expected("`{`, or a directive that a kernel can have")),
            }
        }
        entry.body = self.body()?;
        Ok(Some(entry))
    }

    /// Up to three sizes; those left out are 1.
    fn extent(&mut self) -> Result<[u32; 3], LoadError> {
        let mut size = [1; 3];
        for (axis, place) in size.iter_mut().enumerate() {
            if axis > 0 && !self.eat(",") {
                break;
            }
            *place = self.count32()?;
        }
        Ok(size)
    }

    fn param(&mut self) -> Result<ParamDecl, LoadError> {
        if !self.at_word(".param") {
            return Err(self.expected("`.param`"));
        }
        self.take();
        let mut align = 0;
        let mut ty = None;
        while self.peek().kind == Kind::Word && self.peek().text.starts_with('.') {
            let token = self.take();
            match token.text {
                ".align" if ty.is_none() => align = self.alignment()?,
                // `.ptr .global .align 4` after the type says what a pointer points to.
                ".align" => {
                    self.alignment()?;
                }
                ".ptr" | ".global" | ".shared" | ".const" | ".local" => {}
                word => ty = Some(type_named(word, token)?),
            }
        }
        let token = self.peek();
        let ty: Type = ty.ok_or_else(|| token.error("a parameter without a type"))?;
        let name = self.name()?.to_string();
        let (bytes, unsized_array) = self.array(u64::from(ty.bytes()))?;
        if unsized_array || bytes == 0 || bytes > 32764 {
            return Err(token.error(format!(
                "parameter {name} has {bytes} bytes; PTX allows 1 to 32764"
            )));
        }
        Ok(ParamDecl {
            name,
            ty,
            align: align.max(ty.bytes()),
            bytes: bytes as u32,
        })
    }

    fn alignment(&mut self) -> Result<u32, LoadError> {
        let token = self.peek();
        let align = self.count32()?;
        if !align.is_power_of_two() || align > 1 << 16 {
            return Err(token.error(format!("{align} is no alignment")));
        }
        Ok(align)
    }

    /// `[n]…` after a name: the bytes of it all, and whether a dimension was left open.
    fn array(&mut self, element: u64) -> Result<(u64, bool), LoadError> {
        let mut bytes = element;
        let mut open = false;
        while self.at_mark("[") {
            let token = self.take();
            if self.eat("]") {
                open = true;
                continue;
            }
            let count = self.count()?;
            self.expect("]")?;
            bytes = bytes
                .checked_mul(count)
                .filter(|&b| b <= MAX_VARIABLE_BYTES)
                .ok_or_else(|| token.error("the array is too large"))?;
        }
        Ok((bytes, open))
    }

    /// `.shared .align 4 .b8 name[4096];`, or several names with commas.
    pub(super) fn variables(&mut self, is_extern: bool) -> Result<Vec<Variable>, LoadError> {
        let space = match self.peek().text {
            ".global" => VariableSpace::Global,
            ".const" => VariableSpace::Const,
            ".shared" => VariableSpace::Shared,
            ".local" => VariableSpace::Local,
            ".param" => VariableSpace::Param,
            _ => return Err(self.expected("a state space")),
        };
        self.take();
        let mut align = 0;
        let mut lanes = 1;
        let mut ty = None;
        while self.peek().kind == Kind::Word && self.peek().text.starts_with('.') {
            let token = self.take();
            match token.text {
                ".align" => align = self.alignment()?,
                ".v2" => lanes = 2,
                ".v4" => lanes = 4,
                ".attribute" => {
                    self.expect("(")?;
                    while !self.eat(")") {
                        if self.take().kind == Kind::End {
                            return Err(self.expected("`)`"));
                        }
                    }
                }
                word => ty = Some(type_named(word, token)?),
            }
        }
        let ty: Type = ty.ok_or_else(|| self.expected("a type"))?;
        let mut variables = Vec::new();
        loop {
            let token = self.peek();
            let name = self.name()?.to_string();
            let (bytes, unsized_array) = self.array(u64::from(ty.bytes() * lanes))?;
            let mut variable = Variable {
                name,
                space,
                align: align.max(ty.bytes() * lanes),
                bytes: if unsized_array { 0 } else { bytes },
                unsized_array,
                initial: Vec::new(),
                is_extern,
            };
            if self.eat("=") {
                variable.initial = self.initialiser(ty)?;
                if unsized_array {
                    variable.bytes = variable.initial.len() as u64;
                    variable.unsized_array = false;
                }
                if variable.initial.len() as u64 > variable.bytes {
                    return Err(token.error("more initial values than the variable holds"));
                }
            }
            variables.push(variable);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(variables)
    }

    /// The bytes of `= value` or `= {value, …}`; rows in braces of their own must be complete.
    fn initialiser(&mut self, ty: Type) -> Result<Vec<u8>, LoadError> {
        let mut bytes = Vec::new();
        let mut depth = 0u32;
        loop {
            if self.eat("{") {
                depth += 1;
                continue;
            }
            if self.eat("}") {
                depth = depth.checked_sub(1).ok_or_else(|| self.expected("a value"))?;
            } else {
                let token = self.peek();
                let value = self.number()?;
                let bits = bits_of(value, ty).ok_or_else(|| token.error("a value of the wrong type"))?;
                bytes.extend_from_slice(&bits.to_le_bytes()[..ty.bytes() as usize]);
            }
            if depth == 0 {
                return Ok(bytes);
            }
            if !self.eat(",") && !self.at_mark("}") {
                return Err(self.expected("`,` or `}`"));
            }
        }
    }
}

/// The type that a directive such as `.u32` names.
pub(super) fn type_named(word: &str, token: Token<'_>) -> Result<Type, LoadError> {
    word.strip_prefix('.')
        .and_then(Type::named)
        .ok_or_else(|| token.error(format!("{} is no type that the machine knows", token.described())))
}

/// The bits of a constant as a value of a type; nothing when it does not fit.
pub(crate) fn bits_of(number: Number, ty: Type) -> Option<u64> {
    let float = |value: f64| match ty {
        Type::F32 => Some(u64::from((value as f32).to_bits())),
        _ if ty.bytes() == 8 => Some(value.to_bits()),
        _ => None,
    };
    match number {
        Number::Int { .. } if ty.is_float() => None,
        Number::Int { bits, .. } if ty == Type::Pred => (bits <= 1).then_some(bits),
        Number::Int { bits, negative } => {
            let width = 8 * ty.bytes();
            if width == 64 {
                return Some(bits);
            }
            // A constant may be written in either sign: 4294967295 and -1 are the same 32 bits.
            let fits = if negative {
                bits as i64 >= -(1i64 << (width - 1))
            } else {
                bits >> width == 0
            };
            fits.then_some(bits & ((1 << width) - 1))
        }
        Number::F32(bits) if ty.bytes() == 4 => Some(u64::from(bits)),
        Number::F32(bits) => float(f64::from(f32::from_bits(bits))),
        Number::F64(bits) => float(f64::from_bits(bits)),
    }
}

/// The constant that a text with an optional minus before it writes.
fn number(text: &str, negative: bool) -> Option<Number> {
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0f") {
        let bits = u32::from_str_radix(digits, 16)
            .ok()
            .filter(|_| digits.len() == 8)?;
        return Some(Number::F32(if negative { bits ^ 1 << 31 } else { bits }));
    }
    if let Some(digits) = lower.strip_prefix("0d") {
        let bits = u64::from_str_radix(digits, 16)
            .ok()
            .filter(|_| digits.len() == 16)?;
        return Some(Number::F64(if negative { bits ^ 1 << 63 } else { bits }));
    }
    let unsigned = lower.strip_suffix('u').unwrap_or(&lower);
    let value = if let Some(digits) = unsigned.strip_prefix("0x") {
        u64::from_str_radix(digits, 16).ok()
    } else if let Some(digits) = unsigned.strip_prefix("0b") {
        u64::from_str_radix(digits, 2).ok()
    } else if unsigned.len() > 1 && unsigned.starts_with('0') && unsigned.bytes().all(|b| b.is_ascii_digit())
    {
        u64::from_str_radix(unsigned, 8).ok()
    } else {
        unsigned.parse().ok()
    };
    match value {
        Some(value) => {
            let bits = if negative { value.wrapping_neg() } else { value };
            Some(Number::Int { bits, negative })
        }
        None if lower.contains('.')
            && lower
                .bytes()
                .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e')) =>
        {
            let value: f64 = lower.parse().ok()?;
            Some(Number::F64(if negative { -value } else { value }.to_bits()))
        }
        None => None,
    }
}
