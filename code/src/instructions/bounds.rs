//! How far a GPU may be from the nearest value in the instructions that PTX calls approximate.
//!
//! Source: PTX ISA, "Floating Point Instructions", the notes of `div`, `rcp`, `sqrt`, `rsqrt`, `sin`, `cos`, `lg2`
//! and `ex2`. The machine gives the nearest value, so each bound is widened by half a step.

/// Returns whether an opcode is one of those.
pub fn is_approximate(opcode: &str) -> bool {
    opcode.contains(".approx") || opcode.starts_with("div.full")
}

/// How far from the exact value a result may be.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Bound {
    /// So many steps between neighbouring floats.
    Steps(u32),
    /// This times the value.
    Relative(f64),
    /// So much.
    Absolute(f64),
    /// Anything finite: PTX promises nothing.
    None,
}

/// The bound of an opcode for a first operand that is neither zero, infinite nor NaN.
fn bound(opcode: &str, a: f32) -> Bound {
    let word = opcode.split('.').next().unwrap_or("");
    let turns = a.abs() / std::f32::consts::PI;
    match word {
        "div" | "ex2" => Bound::Steps(2),
        "rcp" => Bound::Steps(1),
        "sqrt" => Bound::Relative(2f64.powi(-23)),
        "rsqrt" => Bound::Relative(2f64.powf(-22.9)),
        "lg2" if a > 0.5 && a < 2.0 => Bound::Absolute(2f64.powi(-22)),
        "lg2" => Bound::Relative(2f64.powi(-22)),
        "sin" | "cos" if turns <= 2.0 => Bound::Absolute(2f64.powf(-20.5)),
        "sin" | "cos" if turns <= 100.0 => Bound::Absolute(2f64.powf(-14.7)),
        "sin" | "cos" => Bound::None,
        _ => Bound::Steps(0),
    }
}

/// Returns whether PTX allows a GPU to give `card` where the machine gives `machine`, the nearest value, for these
/// operands (bits of `f32`). What is special, an operand or a result that is zero, infinite or NaN, is the same on
/// both.
pub fn allows(opcode: &str, operands: &[u32], machine: u32, card: u32) -> bool {
    if machine == card {
        return true;
    }
    let is_plain = |bits: u32| {
        let value = f32::from_bits(bits);
        value.is_finite() && value != 0.0
    };
    let first = f32::from_bits(operands.first().copied().unwrap_or(0));
    let (near, there) = (f32::from_bits(machine), f32::from_bits(card));
    let bound = bound(opcode, first);
    let absolute = matches!(bound, Bound::Absolute(_) | Bound::None);
    let plain = |value: f32| value.is_finite() && (absolute || value != 0.0);
    if !operands.iter().all(|&bits| is_plain(bits)) || !plain(near) || !plain(there) {
        return false;
    }
    let half_step = f64::from(near.abs().next_up() - near.abs()) / 2.0;
    let off = (f64::from(near) - f64::from(there)).abs();
    match bound {
        Bound::Steps(steps) => machine.abs_diff(card) <= steps,
        Bound::Relative(part) => off <= part * f64::from(near).abs() + half_step,
        Bound::Absolute(most) => off <= most + half_step,
        Bound::None => there.abs() <= 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(opcode: &str, a: f32, machine: f32, card: f32) -> bool {
        allows(opcode, &[a.to_bits()], machine.to_bits(), card.to_bits())
    }

    #[test]
    fn neighbours_are_allowed_and_others_are_not() {
        let third = 1.0f32 / 3.0;
        assert!(allowed("rcp.approx.f32", 3.0, third, third.next_up()));
        assert!(!allowed("rcp.approx.f32", 3.0, third, third.next_up().next_up()));
        assert!(allowed("ex2.approx.f32", 0.3, 1.231_144_4, 1.231_144_6));
        assert!(allowed("sin.approx.f32", 3.0, 0.141_12, 0.141_120_5));
        assert!(!allowed("sin.approx.f32", 3.0, 0.141_12, 0.141_122));
    }

    #[test]
    fn special_values_are_exact() {
        assert!(!allowed("rcp.approx.f32", 0.0, f32::INFINITY, f32::MAX));
        assert!(!allowed("cos.approx.f32", 0.0, 1.0, 1.0f32.next_down()));
        assert!(!allowed("ex2.approx.f32", -140.0, 0.0, 1e-42));
        assert!(allowed("cos.approx.f32", 1e10, 0.873, -0.2));
    }
}
