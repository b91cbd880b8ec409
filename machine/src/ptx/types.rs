//! The fundamental types of PTX, and the register classes that hold them.

use std::fmt;

/// Which register file a value lives in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) enum Class {
    /// One bit per lane.
    Pred,
    /// 16 bits per lane; 8-bit values live here too, extended by their sign.
    B16,
    /// 32 bits per lane.
    B32,
    /// 64 bits per lane.
    B64,
}

/// How the bits of a type are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Reading {
    Pred,
    Bits,
    Unsigned,
    Signed,
    Float,
}

macro_rules! types {
    ($($variant:ident $name:literal $bytes:literal $class:ident $reading:ident;)+) => {
        /// A fundamental type.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub(crate) enum Type { $($variant,)+ }

        impl Type {
            /// The type of this name, written without its dot.
            pub(crate) fn named(name: &str) -> Option<Type> {
                match name { $($name => Some(Type::$variant),)+ _ => None }
            }

            /// Its name without the dot.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Type::$variant => $name,)+ }
            }

            /// Its size in bytes; 0 for a predicate, which has no place in memory.
            pub(crate) const fn bytes(self) -> u32 {
                match self { $(Type::$variant => $bytes,)+ }
            }

            /// The registers that hold it.
            pub(crate) const fn class(self) -> Class {
                match self { $(Type::$variant => Class::$class,)+ }
            }

            const fn reading(self) -> Reading {
                match self { $(Type::$variant => Reading::$reading,)+ }
            }
        }
    };
}

types! {
    Pred "pred" 0 Pred Pred;
    B8 "b8" 1 B16 Bits;
    U8 "u8" 1 B16 Unsigned;
    S8 "s8" 1 B16 Signed;
    B16 "b16" 2 B16 Bits;
    U16 "u16" 2 B16 Unsigned;
    S16 "s16" 2 B16 Signed;
    B32 "b32" 4 B32 Bits;
    U32 "u32" 4 B32 Unsigned;
    S32 "s32" 4 B32 Signed;
    F32 "f32" 4 B32 Float;
    B64 "b64" 8 B64 Bits;
    U64 "u64" 8 B64 Unsigned;
    S64 "s64" 8 B64 Signed;
    F64 "f64" 8 B64 Float;
}

impl Type {
    pub(crate) fn is_float(self) -> bool {
        self.reading() == Reading::Float
    }

    pub(crate) fn is_signed(self) -> bool {
        self.reading() == Reading::Signed
    }

    pub(crate) fn is_bits(self) -> bool {
        self.reading() == Reading::Bits
    }

    /// True when a register declared with this type may stand where an instruction of type `wanted` reads or
    /// writes one: same width, and both integers, both the same float, or one of them untyped bits.
    ///
    /// Source: PTX ISA, "Type Information for Instructions and Operands", operand type checking rules.
    pub(crate) fn agrees(self, wanted: Type) -> bool {
        self.class() == wanted.class()
            && self.bytes() == wanted.bytes()
            && (self.is_bits() || wanted.is_bits() || self.is_float() == wanted.is_float())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}
