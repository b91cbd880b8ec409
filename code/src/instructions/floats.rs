//! Floats that operations are tried on: for each thread one for the first, the second and the third operand.

use super::buffers::THREADS;
use super::inputs::Random;
use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI, TAU};

/// Quiet NaNs, signalling NaNs, subnormal and normal numbers: eight of each.
type Classes = [[u64; 8]; 4];

const SINGLE: Classes = [
    [
        0x7FC0_0000,
        0xFFC0_0000,
        0x7FFF_FFFF,
        0xFFFF_FFFF,
        0x7FC0_0001,
        0xFFC1_2345,
        0x7FE0_0000,
        0x7FCA_BCDE,
    ],
    [
        0x7F80_0001,
        0xFF80_0001,
        0x7FBF_FFFF,
        0xFFBF_FFFF,
        0x7FA0_0000,
        0xFFA1_2345,
        0x7F80_8000,
        0x7F8A_BCDE,
    ],
    [
        0x0000_0001,
        0x8000_0001,
        0x007F_FFFF,
        0x807F_FFFF,
        0x0040_0000,
        0x8040_0000,
        0x0000_0003,
        0x8012_3456,
    ],
    [
        0x3F80_0000,
        0xBF80_0000,
        0x0080_0000,
        0x8080_0000,
        0x7F7F_FFFF,
        0xFF7F_FFFF,
        0x3F80_0001,
        0x4040_0000,
    ],
];

const DOUBLE: Classes = [
    [
        0x7FF8_0000_0000_0000,
        0xFFF8_0000_0000_0000,
        0x7FFF_FFFF_FFFF_FFFF,
        0xFFFF_FFFF_FFFF_FFFF,
        0x7FF8_0000_0000_0001,
        0xFFF8_1234_5678_9ABC,
        0x7FFC_0000_0000_0000,
        0x7FF8_0000_2000_0000,
    ],
    [
        0x7FF0_0000_0000_0001,
        0xFFF0_0000_0000_0001,
        0x7FF7_FFFF_FFFF_FFFF,
        0xFFF7_FFFF_FFFF_FFFF,
        0x7FF4_0000_0000_0000,
        0xFFF1_2345_6789_ABCD,
        0x7FF0_0000_1000_0000,
        0x7FF0_0000_2000_0000,
    ],
    [
        0x0000_0000_0000_0001,
        0x8000_0000_0000_0001,
        0x000F_FFFF_FFFF_FFFF,
        0x800F_FFFF_FFFF_FFFF,
        0x0008_0000_0000_0000,
        0x8008_0000_0000_0000,
        0x0000_0000_0000_0003,
        0x8001_2345_6789_ABCD,
    ],
    [
        0x3FF0_0000_0000_0000,
        0xBFF0_0000_0000_0000,
        0x0010_0000_0000_0000,
        0x8010_0000_0000_0000,
        0x7FEF_FFFF_FFFF_FFFF,
        0xFFEF_FFFF_FFFF_FFFF,
        0x3FF0_0000_0000_0001,
        0x4008_0000_0000_0000,
    ],
];

/// Threads 0 to 63: zeros, infinities and the four classes, each as first operand against each as second.
fn paired(classes: Classes, zero: u64, infinity: u64, thread: usize) -> [u64; 3] {
    let member = |class: usize, which: usize| match class {
        0 | 1 => class as u64 * zero,
        2 | 3 => ((class as u64 - 2) * zero) | infinity,
        _ => classes[class - 4][which],
    };
    let (x, y) = (thread % 8, thread / 8);
    [member(x, y), member(y, x), member((x + 3 * y) % 8, (x + y) % 8)]
}

/// Values for each type: numbers halfway between integers, or at the edge of an integer type, then sums, products
/// and quotients at an edge of the type itself.
macro_rules! special {
    ($name:ident $t:ident, $alone:expr, $small:expr, $large:expr) => {
        fn $name() -> Vec<[u64; 3]> {
            const STEP: $t = $t::EPSILON;
            let tiny = $t::from_bits(1);
            let alone = $alone.into_iter().enumerate().map(|(at, a): (usize, $t)| {
                let b = [a, -a, a.next_up(), 3.0][at % 4];
                [a, b, [-a * b, 1.0, -a, tiny][at / 4 % 4]]
            });
            let small: Vec<[$t; 3]> = $small(STEP, tiny);
            let usual = [
                [$t::MAX, 2.0, -$t::MAX],
                [$t::MAX, 1.0 + STEP, -$t::MAX],
                [1.0 + STEP, 1.0 + STEP, -(1.0 + 2.0 * STEP)],
                // The first integer whose successor is none.
                [2.0 / STEP, 1.0, 1.0],
                [1.0, STEP / 2.0, STEP / 2.0],
                [1.0 + STEP, STEP / 2.0, -1.0],
                [1.0, STEP / 2.0 * (1.0 + STEP), -STEP],
                [1.0, -STEP / 4.0, 1.0],
                [1.0, 3.0, -1.0 / 3.0],
                [2.0, 3.0, -6.0],
                [-10.0, 3.0, 30.0],
            ];
            let large: Vec<[$t; 3]> = $large(tiny);
            alone
                .chain(small)
                .chain(usual)
                .chain(large)
                .map(|operands| operands.map(|value| u64::from(value.to_bits())))
                .collect()
        }
    };
}

/// 2^`exponent`.
const fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

const fn power32(exponent: i32) -> f32 {
    power(exponent) as f32
}

special!(
    single_special f32,
    [
        0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 127.5, -128.5, -129.0, 255.5, 256.0, 32_767.5, -32_768.5, 65_535.5,
        65_536.0, 8_388_607.5, 2_147_483_520.0, power32(31), -power32(31), -2_147_483_904.0, 4_294_967_040.0,
        power32(32), power32(63).next_down(), power32(63), -power32(63), power32(64).next_down(), power32(64),
        1.0f32.next_down(), -(1.0f32.next_down()), TAU, PI, -FRAC_PI_2, 100.0, 314.0, 1e10,
        127.99, 128.0, -126.5, -149.5, FRAC_1_SQRT_2,
    ],
    |u: f32, tiny: f32| vec![
        [power32(-63) * (1.0 + u), power32(-63) * (1.0 - u), 0.0],
        [f32::MIN_POSITIVE, 0.5, tiny],
        [f32::MIN_POSITIVE.next_up(), 1.0f32.next_down(), -f32::MIN_POSITIVE],
        // Exactly below the smallest normal number, as far as a subnormal one can not be: a product, a quotient.
        [f32::MIN_POSITIVE, 1.0f32.next_down(), 0.0],
        [(2.0 * f32::MIN_POSITIVE).next_down(), 2.0, 0.0],
    ],
    |tiny: f32| vec![
        [1e-38, 3.0, -3e-38],
        [tiny, 2.0, -tiny],
        [3.0 * tiny, 0.5, tiny],
        [1.0, power32(127), 1.0],
        [-3.0, 1.5 * power32(127), 1.0],
        [f32::INFINITY, power32(127), 1.0],
        [1e-20, power32(126), -1e18],
    ]
);

special!(
    double_special f64,
    [
        0.5, -0.5, 1.5, 2.5, -1.5, 127.5, -128.5, 255.5, -32_768.5, 65_535.5, 2_147_483_647.5, power(31),
        -2_147_483_648.5, -2_147_483_649.0, 4_294_967_295.5, power(32), power(63).next_down(), power(63), -power(63),
        (-power(63)).next_down(), power(64).next_down(), power(64), 1.0f64.next_down(), 4_503_599_627_370_495.5, 0.1,
        // Halfway between two values of `f32`, and beside it.
        1.0 + power(-24), (1.0 + power(-24)).next_up(), 1.0 + 3.0 * power(-24), power(128) - power(103),
        (power(128) - power(103)).next_down(), power(-150), power(-150).next_up(), 1.5 * power(-149),
        power(-126) - power(-150), power(-126) - power(-151), -1e300, 1e-300,
    ],
    |u: f64, tiny: f64| vec![
        [power(-511) * (1.0 + u), power(-511) * (1.0 - u), 0.0],
        [f64::MIN_POSITIVE, 0.5, tiny],
        [f64::MIN_POSITIVE.next_up(), 1.0f64.next_down(), -f64::MIN_POSITIVE],
    ],
    |tiny: f64| vec![
        [1e-308, 3.0, -3e-308],
        [tiny, 2.0, -tiny],
        [3.0 * tiny, 0.5, tiny],
        [1.0, power(1023), 1.0],
    ]
);

/// The special values after the pairs, and random ones after those: the second of the size of the first.
fn all(
    pairs: impl Fn(usize) -> [u64; 3],
    special: &[[u64; 3]],
    width: u32,
    fraction: u32,
) -> [[u64; 3]; THREADS] {
    let mut random = Random(u64::from(width));
    let mask = (1u64 << fraction) - 1;
    std::array::from_fn(|thread| match thread.checked_sub(64) {
        None => pairs(thread),
        Some(at) => special.get(at).copied().unwrap_or_else(|| {
            let a = random.next() >> (64 - width);
            let b = random.next() >> (64 - width);
            [a, a & !mask | b & mask, random.next() >> (64 - width)]
        }),
    })
}

/// Returns the bits of three `f32` operands for each thread.
pub(super) fn single() -> [[u64; 3]; THREADS] {
    let pairs = |thread| paired(SINGLE, 1 << 31, 0x7F80_0000, thread);
    all(pairs, &single_special(), 32, 23)
}

/// Returns the bits of three `f64` operands for each thread.
pub(super) fn double() -> [[u64; 3]; THREADS] {
    let pairs = |thread| paired(DOUBLE, 1 << 63, 0x7FF0_0000_0000_0000, thread);
    all(pairs, &double_special(), 64, 52)
}
