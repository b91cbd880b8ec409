//! The arguments that `trace` describes in words: `in:f32:1024`, `out:u32:64`, `u64:37`.

use anyhow::{bail, ensure, Context, Result};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use warpwise_machine::{Arg, BufferId, Memory};

/// The most bytes that one described buffer takes.
const MAX_BYTES: u64 = 1 << 32;

/// The type of a cell or a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    U8,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// What one `--arg` says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Spec {
    /// A buffer holding 0, 1, 2, ….
    Counting(Type, u64),
    /// A buffer holding the values of a text file.
    File(Type, PathBuf),
    /// A poisoned buffer.
    Out(Type, u64),
    /// A value.
    Scalar(Type, String),
}

/// An output buffer of a traced launch.
pub(super) struct OutBuffer {
    pub(super) id: BufferId,
    pub(super) ty: Type,
    pub(super) cells: u64,
}

impl FromStr for Type {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Type> {
        Ok(match text {
            "u8" => Type::U8,
            "i32" => Type::I32,
            "u32" => Type::U32,
            "i64" => Type::I64,
            "u64" => Type::U64,
            "f32" => Type::F32,
            "f64" => Type::F64,
            _ => bail!("`{text}` is not a type; use u8, i32, u32, i64, u64, f32 or f64"),
        })
    }
}

impl Type {
    /// Returns the width in bytes.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Type::U8 => 1,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
        }
    }

    /// Returns the value that a text spells, as an argument of this width.
    fn read(self, text: &str) -> Result<Arg> {
        fn value<T: FromStr>(text: &str, ty: Type) -> Result<T> {
            text.parse()
                .ok()
                .with_context(|| format!("`{text}` is not a value of type {}", ty.word()))
        }
        Ok(match self {
            Type::U8 => Arg::U8(value(text, self)?),
            Type::I32 => Arg::I32(value(text, self)?),
            Type::U32 => Arg::U32(value(text, self)?),
            Type::I64 => Arg::I64(value(text, self)?),
            Type::U64 => Arg::U64(value(text, self)?),
            Type::F32 => Arg::F32(value(text, self)?),
            Type::F64 => Arg::F64(value(text, self)?),
        })
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Type::U8 => "u8",
            Type::I32 => "i32",
            Type::U32 => "u32",
            Type::I64 => "i64",
            Type::U64 => "u64",
            Type::F32 => "f32",
            Type::F64 => "f64",
        }
    }

    /// Appends the number `i` in this type, wrapped to its width.
    fn push_counting(self, i: u64, bytes: &mut Vec<u8>) {
        match self {
            Type::U8 => bytes.push(i as u8),
            Type::I32 | Type::U32 => bytes.extend((i as u32).to_le_bytes()),
            Type::I64 | Type::U64 => bytes.extend(i.to_le_bytes()),
            Type::F32 => bytes.extend((i as f32).to_le_bytes()),
            Type::F64 => bytes.extend((i as f64).to_le_bytes()),
        }
    }

    /// Returns the first cells of a buffer, in words.
    pub(super) fn show(self, bytes: &[u8], most: usize) -> Vec<String> {
        let width = self.bytes() as usize;
        let word = |b: &[u8]| -> String {
            let mut eight = [0; 8];
            eight[..width].copy_from_slice(b);
            let bits = u64::from_le_bytes(eight);
            match self {
                Type::U8 | Type::U32 | Type::U64 => bits.to_string(),
                Type::I32 => (bits as i32).to_string(),
                Type::I64 => (bits as i64).to_string(),
                Type::F32 => f32::from_bits(bits as u32).to_string(),
                Type::F64 => f64::from_bits(bits).to_string(),
            }
        };
        bytes.chunks_exact(width).take(most).map(word).collect()
    }
}

impl FromStr for Spec {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Spec> {
        let spec = || {
            let (first, rest) = text.split_once(':').context("a colon is missing")?;
            if first != "in" && first != "out" {
                let ty: Type = first.parse()?;
                ty.read(rest)?;
                return Ok(Spec::Scalar(ty, rest.to_owned()));
            }
            let (ty, rest) = rest.split_once(':').context("a buffer has a type and a count")?;
            let ty: Type = ty.parse()?;
            if let Some(file) = rest.strip_prefix('@').filter(|_| first == "in") {
                return Ok(Spec::File(ty, PathBuf::from(file)));
            }
            let count: u64 = rest
                .parse()
                .ok()
                .with_context(|| format!("`{rest}` is not a count"))?;
            let fits = count
                .checked_mul(ty.bytes())
                .is_some_and(|bytes| bytes <= MAX_BYTES);
            ensure!(
                fits,
                "{count} cells are more than a buffer takes ({MAX_BYTES} bytes)"
            );
            Ok(if first == "in" {
                Spec::Counting(ty, count)
            } else {
                Spec::Out(ty, count)
            })
        };
        spec().map_err(|e: anyhow::Error| {
            e.context(format!(
                "--arg {text} can not be read; write in:f32:1024, in:f32:@FILE, out:u32:64 or u64:37"
            ))
        })
    }
}

impl Spec {
    /// Returns the argument, with its buffer allocated, and the buffer again if it is an output. Relative paths of
    /// files start at `folder`.
    pub(super) fn allocate(&self, memory: &mut Memory, folder: &Path) -> Result<(Arg, Option<OutBuffer>)> {
        Ok(match self {
            Spec::Counting(ty, count) => {
                let mut bytes = Vec::new();
                let room = bytes.try_reserve_exact((count * ty.bytes()) as usize);
                room.context("there is not enough memory for the buffers; ask for fewer cells")?;
                (0..*count).for_each(|i| ty.push_counting(i, &mut bytes));
                (Arg::Buffer(memory.alloc_from(bytes)), None)
            }
            Spec::File(ty, path) => (
                Arg::Buffer(memory.alloc_from(read_values(*ty, path, folder)?)),
                None,
            ),
            Spec::Out(ty, cells) => {
                let id = memory.alloc(cells * ty.bytes())?;
                (
                    Arg::Buffer(id),
                    Some(OutBuffer {
                        id,
                        ty: *ty,
                        cells: *cells,
                    }),
                )
            }
            Spec::Scalar(ty, text) => (ty.read(text)?, None),
        })
    }
}

/// Reads values that are separated by white space or commas.
fn read_values(ty: Type, path: &Path, folder: &Path) -> Result<Vec<u8>> {
    let text = std::fs::read_to_string(folder.join(path))
        .with_context(|| format!("{} can not be read; name a text file of values", path.display()))?;
    let mut bytes = Vec::new();
    for (i, line) in text.lines().enumerate() {
        for word in line.split([',', ' ', '\t']).filter(|w| !w.is_empty()) {
            let value = ty
                .read(word)
                .with_context(|| format!("{}, line {}", path.display(), i + 1))?;
            match value {
                Arg::U8(v) => bytes.push(v),
                Arg::I32(v) => bytes.extend(v.to_le_bytes()),
                Arg::U32(v) => bytes.extend(v.to_le_bytes()),
                Arg::I64(v) => bytes.extend(v.to_le_bytes()),
                Arg::U64(v) => bytes.extend(v.to_le_bytes()),
                Arg::F32(v) => bytes.extend(v.to_le_bytes()),
                Arg::F64(v) => bytes.extend(v.to_le_bytes()),
                other => bail!("{other:?} is not a cell"),
            }
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_forms_are_read() {
        assert_eq!("in:f32:9".parse::<Spec>().unwrap(), Spec::Counting(Type::F32, 9));
        assert_eq!(
            "in:i64:@a:b".parse::<Spec>().unwrap(),
            Spec::File(Type::I64, PathBuf::from("a:b"))
        );
        assert_eq!("out:u8:0".parse::<Spec>().unwrap(), Spec::Out(Type::U8, 0));
        assert_eq!(
            "i32:-5".parse::<Spec>().unwrap(),
            Spec::Scalar(Type::I32, "-5".to_owned())
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, word) in [
            ("in:f32", "a type and a count"),
            ("in:f16:3", "f16"),
            ("u8:256", "256"),
            ("out:u64:18446744073709551615", "more than a buffer takes"),
            ("out:u32:@file", "not a count"),
            ("37", "colon"),
        ] {
            let error = format!("{:#}", text.parse::<Spec>().unwrap_err());
            assert!(error.contains(word) && error.contains(text), "{text}: {error}");
        }
    }

    #[test]
    fn buffers_hold_what_was_said() {
        let mut memory = Memory::new();
        let (arg, out) = "in:u8:300"
            .parse::<Spec>()
            .unwrap()
            .allocate(&mut memory, Path::new(""))
            .unwrap();
        let Arg::Buffer(id) = arg else { panic!("{arg:?}") };
        assert!(out.is_none());
        assert_eq!(memory.bytes(id)[255..258], [255, 0, 1]);
        let (_, out) = "out:f32:2"
            .parse::<Spec>()
            .unwrap()
            .allocate(&mut memory, Path::new(""))
            .unwrap();
        let out = out.unwrap();
        assert_eq!(out.ty.show(memory.bytes(out.id), 9), ["NaN", "NaN"]);
    }
}
