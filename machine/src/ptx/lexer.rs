//! Tokens of PTX, each with its place.

use crate::error::LoadError;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A name, an opcode with its modifiers, or a directive with its dot.
    Word,
    /// Starts with a digit.
    Number,
    /// In quotes, which `text` includes.
    Text,
    /// One character.
    Mark,
    /// After the last token.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    /// Byte offset of its first byte.
    pub(crate) start: usize,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Token<'_> {
    /// An error that points here.
    pub(crate) fn error(&self, message: impl Into<String>) -> LoadError {
        LoadError::Parse {
            line: self.line,
            column: self.column,
            message: message.into(),
        }
    }

    /// How an error names it.
    pub(crate) fn described(&self) -> String {
        match self.kind {
            Kind::End => "the end of the text".to_string(),
            _ => format!("`{}`", self.text.chars().take(40).collect::<String>()),
        }
    }
}

/// The tokens of a text, the last of kind [`Kind::End`]; comments and white space are left out.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, LoadError> {
    let mut lexer = Lexer {
        text,
        at: 0,
        line: 1,
        line_start: 0,
    };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next()?;
        tokens.push(token);
        if token.kind == Kind::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

fn continues_word(byte: u8) -> bool {
    starts_word(byte) || byte.is_ascii_digit()
}

impl<'a> Lexer<'a> {
    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Steps over one byte, keeping count of lines.
    fn step(&mut self) {
        if self.byte(0) == b'\n' {
            self.line = self.line.saturating_add(1);
            self.line_start = self.at + 1;
        }
        self.at += 1;
    }

    fn token(&self, kind: Kind, end: usize) -> Token<'a> {
        let text = self.text.get(self.at..end).unwrap_or("");
        let column = u32::try_from(self.at - self.line_start).unwrap_or(u32::MAX - 1) + 1;
        Token {
            kind,
            text,
            start: self.at,
            line: self.line,
            column,
        }
    }

    fn next(&mut self) -> Result<Token<'a>, LoadError> {
        self.skip_blanks()?;
        let first = self.byte(0);
        let mut end = self.at;
        let bytes = self.text.as_bytes();
        let kind = if self.at >= bytes.len() {
            Kind::End
        } else if first.is_ascii_digit() {
            while bytes
                .get(end)
                .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'.')
            {
                end += 1;
            }
            Kind::Number
        } else if starts_word(first) {
            end = self.word_end();
            Kind::Word
        } else if first == b'"' {
            end += 1;
            while bytes.get(end).is_some_and(|b| *b != b'"' && *b != b'\n') {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            if bytes.get(end) != Some(&b'"') {
                return Err(self
                    .token(Kind::Text, self.at)
                    .error("a string that is not closed"));
            }
            end += 1;
            Kind::Text
        } else if first.is_ascii_graphic() {
            end += 1;
            Kind::Mark
        } else {
            return Err(self
                .token(Kind::Mark, self.at)
                .error("a character that PTX does not use"));
        };
        let token = self.token(kind, end);
        self.at = end;
        Ok(token)
    }

    /// The end of a word. `::` belongs to it where a letter or digit follows, as in `.shared::cta`; the colon
    /// of a label does not.
    fn word_end(&self) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        loop {
            match bytes.get(end) {
                Some(&b) if continues_word(b) => end += 1,
                Some(b':')
                    if bytes.get(end + 1) == Some(&b':')
                        && bytes.get(end + 2).is_some_and(u8::is_ascii_alphanumeric) =>
                {
                    end += 2;
                }
                _ => return end,
            }
        }
    }

    fn skip_blanks(&mut self) -> Result<(), LoadError> {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b' ' | b'\t' | b'\r' | b'\n', _) => self.step(),
                (b'/', b'/') => {
                    while self.at < self.text.len() && self.byte(0) != b'\n' {
                        self.step();
                    }
                }
                (b'/', b'*') => {
                    let open = self.token(Kind::Mark, self.at);
                    self.at += 2;
                    while (self.byte(0), self.byte(1)) != (b'*', b'/') {
                        if self.at >= self.text.len() {
                            return Err(open.error("a comment that is not closed"));
                        }
                        self.step();
                    }
                    self.at += 2;
                }
                _ => return Ok(()),
            }
        }
    }
}
