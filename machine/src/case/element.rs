//! What the cells of a buffer are, and how they are read and shown.

use half::{bf16, f16};
use std::fmt;
use std::str::FromStr;

/// The type of a buffer's cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Element {
    /// 1 byte.
    U8,
    /// 1 byte, signed.
    I8,
    /// 2 bytes.
    U16,
    /// 2 bytes, signed.
    I16,
    /// 2 bytes: IEEE half precision.
    F16,
    /// 2 bytes: the upper half of an `f32`.
    BF16,
    /// 4 bytes.
    U32,
    /// 4 bytes, signed.
    I32,
    /// 4 bytes, floating point.
    F32,
    /// 8 bytes.
    U64,
    /// 8 bytes, signed.
    I64,
    /// 8 bytes, floating point.
    F64,
    /// 16 bytes, such as a `uint4` or a `float4`, shown as one number in hexadecimal.
    B128,
}

/// One cell, in the type of its element.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Value {
    /// An integer of 1 to 8 bytes.
    Unsigned(u64),
    /// A signed integer of 1 to 8 bytes.
    Signed(i64),
    /// A float of 2 or 4 bytes.
    Single(f32),
    /// A float of 8 bytes.
    Double(f64),
    /// 16 bytes.
    Wide(u128),
}

/// A Rust type that is a cell of some [`Element`].
pub trait Cell: Copy {
    /// Its element.
    const ELEMENT: Element;
    /// Appends the cell as it lies in memory.
    fn append(self, bytes: &mut Vec<u8>);
    /// The cell that lies in memory as these bytes; nothing where they are not as many as the element has.
    fn read(bytes: &[u8]) -> Option<Self>;
}

macro_rules! elements {
    ($($Element:ident $word:literal $t:ty => $Value:ident($wide:ty)),+ $(,)?) => {
        impl Element {
            /// Every element.
            pub const ALL: &'static [Element] = &[$(Element::$Element),+];

            /// The size of a cell in bytes.
            pub const fn bytes(self) -> u64 {
                match self {
                    $(Element::$Element => size_of::<$t>() as u64),+
                }
            }

            /// Its name, such as `f32`.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Element::$Element => $word),+
                }
            }

            /// The cell that lies in memory as these bytes; nothing where they are too few or too many.
            pub fn value(self, bytes: &[u8]) -> Option<Value> {
                Some(match self {
                    $(Element::$Element => Value::$Value(<$wide>::from(<$t>::read(bytes)?))),+
                })
            }

            /// The bytes of the cell that a text spells; nothing where it spells none of this type.
            pub fn parse(self, text: &str) -> Option<Vec<u8>> {
                let mut bytes = Vec::new();
                match self {
                    $(Element::$Element => text.parse::<$t>().ok()?.append(&mut bytes)),+
                }
                Some(bytes)
            }
        }

        $(impl Cell for $t {
            const ELEMENT: Element = Element::$Element;

            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }

            fn read(bytes: &[u8]) -> Option<$t> {
                Some(<$t>::from_le_bytes(bytes.try_into().ok()?))
            }
        })+
    };
}

elements! {
    U8 "u8" u8 => Unsigned(u64),
    I8 "i8" i8 => Signed(i64),
    U16 "u16" u16 => Unsigned(u64),
    I16 "i16" i16 => Signed(i64),
    F16 "f16" f16 => Single(f32),
    BF16 "bf16" bf16 => Single(f32),
    U32 "u32" u32 => Unsigned(u64),
    I32 "i32" i32 => Signed(i64),
    F32 "f32" f32 => Single(f32),
    U64 "u64" u64 => Unsigned(u64),
    I64 "i64" i64 => Signed(i64),
    F64 "f64" f64 => Double(f64),
    B128 "b128" u128 => Wide(u128),
}

impl Element {
    /// Appends the number `i` as a cell of this type: an integer wraps to its width, a float is rounded.
    pub fn append_counting(self, i: u64, bytes: &mut Vec<u8>) {
        match self {
            Element::F16 => f16::from_f64(i as f64).append(bytes),
            Element::BF16 => bf16::from_f64(i as f64).append(bytes),
            Element::F32 => (i as f32).append(bytes),
            Element::F64 => (i as f64).append(bytes),
            _ => bytes.extend_from_slice(&u128::from(i).to_le_bytes()[..self.bytes() as usize]),
        }
    }

    /// Whether `bytes` is a value within `tolerance` of `expected`: a relative one above 1, an absolute one below.
    /// A NaN is near nothing but a NaN; integers are compared as integers.
    pub(super) fn near(self, bytes: &[u8], expected: &[u8], tolerance: f64) -> bool {
        if bytes == expected {
            return true;
        }
        let (Some(a), Some(b)) = (self.value(bytes), self.value(expected)) else {
            return false;
        };
        match (a, b) {
            (Value::Unsigned(a), Value::Unsigned(b)) => a.abs_diff(b) as f64 <= tolerance,
            (Value::Signed(a), Value::Signed(b)) => a.abs_diff(b) as f64 <= tolerance,
            (Value::Single(a), Value::Single(b)) => near(a.into(), b.into(), tolerance),
            (Value::Double(a), Value::Double(b)) => near(a, b, tolerance),
            _ => false,
        }
    }
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    if a.is_nan() || b.is_nan() {
        return a.is_nan() && b.is_nan();
    }
    a == b || (a - b).abs() <= tolerance * b.abs().max(1.0)
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that names no element.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{word}` is not a type; use {}", known())]
pub struct UnknownElement {
    word: String,
}

fn known() -> String {
    let words: Vec<&str> = Element::ALL.iter().map(|element| element.word()).collect();
    let (last, others) = words.split_last().unwrap_or((&"", &[]));
    format!("{} or {last}", others.join(", "))
}

impl FromStr for Element {
    type Err = UnknownElement;

    fn from_str(text: &str) -> Result<Element, UnknownElement> {
        let found = Element::ALL.iter().find(|element| element.word() == text);
        found.copied().ok_or_else(|| UnknownElement {
            word: text.to_owned(),
        })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Unsigned(v) => v.fmt(f),
            Value::Signed(v) => v.fmt(f),
            Value::Single(v) => v.fmt(f),
            Value::Double(v) => v.fmt(f),
            Value::Wide(v) => write!(f, "{v:#034x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_width_is_there() {
        let mut widths: Vec<u64> = Element::ALL.iter().map(|element| element.bytes()).collect();
        widths.sort_unstable();
        widths.dedup();
        assert_eq!(widths, [1, 2, 4, 8, 16]);
    }

    #[test]
    fn words_name_elements_and_others_are_refused_with_the_list() {
        for &element in Element::ALL {
            assert_eq!(element.word().parse(), Ok(element));
        }
        let error = "f8".parse::<Element>().unwrap_err().to_string();
        assert!(error.contains("`f8`") && error.contains("f64 or b128"), "{error}");
    }

    #[test]
    fn counting_wraps_integers_and_rounds_floats() {
        let count = |element: Element, i| {
            let mut bytes = Vec::new();
            element.append_counting(i, &mut bytes);
            assert_eq!(bytes.len() as u64, element.bytes());
            element.value(&bytes).unwrap().to_string()
        };
        assert_eq!(count(Element::U8, 257), "1");
        assert_eq!(count(Element::I8, 255), "-1");
        assert_eq!(count(Element::F16, 2049), "2048");
        assert_eq!(count(Element::BF16, 257), "256");
        assert_eq!(count(Element::F64, 3), "3");
        assert_eq!(count(Element::B128, 255), "0x000000000000000000000000000000ff");
    }

    #[test]
    fn near_is_exact_for_what_is_no_number() {
        let f = |x: f32| x.to_le_bytes();
        let near = |a, b, t| Element::F32.near(&f(a), &f(b), t);
        assert!(near(1.0, 1.0 + 1e-6, 1e-5) && !near(1.0, 1.1, 1e-5));
        assert!(near(1e9, 1e9 + 64.0, 1e-5));
        assert!(near(f32::NAN, -f32::NAN, 0.0) && !near(f32::NAN, 1.0, 1e9));
        assert!(near(f32::INFINITY, f32::INFINITY, 0.0) && !near(f32::INFINITY, 1.0, 0.5));
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_again(bytes in proptest::array::uniform16(any::<u8>())) {
            for &element in Element::ALL.iter().filter(|&&element| element != Element::B128) {
                let cell = &bytes[..element.bytes() as usize];
                let value = element.value(cell).unwrap();
                let again = element.parse(&value.to_string()).unwrap();
                prop_assert!(element.near(&again, cell, 0.0), "{element} {value}");
            }
        }
    }
}
