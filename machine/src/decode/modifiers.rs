//! The modifiers of loads, stores and atomics.
//!
//! Source: PTX ISA, `ld`, `st`, `atom` and `red`.

use crate::event::Ordering;
use crate::space::MemorySpace;

/// What the modifiers of a memory instruction say.
pub(super) struct Modifiers<'a> {
    pub(super) space: MemorySpace,
    pub(super) ordering: Ordering,
    pub(super) constant: bool,
    pub(super) param: bool,
    pub(super) vector: u32,
    /// What is left: the operation of an atomic, and the type.
    pub(super) rest: Vec<&'a str>,
}

/// Reads the modifiers after the first word of an opcode; nothing where one stands twice, or where PTX has no
/// such instruction.
pub(super) fn modifiers(opcode: &str) -> Option<Modifiers<'_>> {
    let mut words = opcode.split('.');
    let family = words.next()?;
    let (loads, stores) = (matches!(family, "ld" | "ldu"), family == "st");
    let mut space = None;
    let mut order = None;
    let mut scope = None;
    let mut vector = None;
    let (mut mmio, mut read_only, mut cache) = (None, None, None);
    let mut found = Modifiers {
        space: MemorySpace::Generic,
        ordering: Ordering::Weak,
        constant: false,
        param: false,
        vector: 1,
        rest: Vec::new(),
    };
    fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
        place.replace(value).is_none().then_some(())
    }
    for word in words {
        match word {
            "global" => once(&mut space, MemorySpace::Global)?,
            "shared" | "shared::cta" => once(&mut space, MemorySpace::Shared)?,
            "local" => once(&mut space, MemorySpace::Local)?,
            "const" => {
                once(&mut space, MemorySpace::Global)?;
                found.constant = true;
            }
            "param" => {
                once(&mut space, MemorySpace::Local)?;
                found.param = true;
            }
            "weak" | "volatile" | "relaxed" | "acquire" | "release" | "acq_rel" => once(&mut order, word)?,
            "cta" | "cluster" | "gpu" | "sys" => once(&mut scope, word)?,
            "mmio" if loads || stores => once(&mut mmio, ())?,
            "nc" => once(&mut read_only, ())?,
            // Caches: the machine has none, and these promise nothing else.
            "ca" | "lu" | "cv" if family == "ld" => once(&mut cache, word)?,
            "wb" | "wt" if stores => once(&mut cache, word)?,
            "cg" | "cs" if family == "ld" || stores => once(&mut cache, word)?,
            _ if word.starts_with("L1::") && (loads || stores) => {}
            _ if word.starts_with("L2::") && (loads || stores) => {}
            "v2" => once(&mut vector, 2)?,
            "v4" => once(&mut vector, 4)?,
            "v8" => once(&mut vector, 8)?,
            _ => found.rest.push(word),
        }
    }
    found.space = space.unwrap_or(MemorySpace::Generic);
    found.vector = vector.unwrap_or(1);
    found.ordering = match order {
        None if loads || stores => Ordering::Weak,
        Some("weak" | "volatile") if !(loads || stores) => return None,
        Some("acq_rel") if family != "atom" => return None,
        Some("acquire") if stores || family == "red" => return None,
        Some("release") if loads => return None,
        Some("weak") => Ordering::Weak,
        // `volatile` counts as relaxed, and so does an atomic that says nothing.
        None | Some("relaxed" | "volatile") => Ordering::Relaxed,
        Some("acquire") => Ordering::Acquire,
        Some("release") => Ordering::Release,
        Some(_) => Ordering::AcqRel,
    };
    // A load or a store that is ordered says towards whom; others must not.
    let ordered = matches!(order, Some("relaxed" | "acquire" | "release"));
    let strong = ordered || order == Some("volatile");
    let unfit = (loads || stores) && ordered != scope.is_some()
        || strong && (cache.is_some() || found.constant || found.space == MemorySpace::Local)
        || family == "ldu" && order.is_some()
        || mmio.is_some() && (order, scope) != (Some("relaxed"), Some("sys"))
        || read_only.is_some() && (!loads || found.space != MemorySpace::Global || found.constant);
    (!unfit).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `ptxas` has it.
    #[test]
    fn orderings_need_their_scope_and_their_instruction() {
        for good in [
            "ld.global.u32",
            "ld.weak.global.u32",
            "ld.volatile.shared.u32",
            "ld.acquire.gpu.global.u32",
            "ld.global.relaxed.cta.u32",
            "ld.mmio.relaxed.sys.global.u32",
            "ld.global.nc.L1::no_allocate.v4.f32",
            "ld.global.cg.u32",
            "st.release.sys.shared.u32",
            "st.global.wt.u32",
            "atom.add.u32",
            "atom.acq_rel.cta.global.add.u32",
            "atom.global.gpu.add.u32",
            "red.release.gpu.global.add.u32",
        ] {
            assert!(modifiers(good).is_some(), "{good}");
        }
        for bad in [
            "ld.acquire.global.u32",
            "ld.gpu.global.u32",
            "ld.release.gpu.global.u32",
            "ld.acquire.gpu.cta.global.u32",
            "ld.nc.u32",
            "ld.const.nc.u32",
            "ld.volatile.global.ca.u32",
            "ld.volatile.local.u32",
            "ld.acquire.gpu.const.u32",
            "ldu.global.ca.u32",
            "ldu.volatile.global.u32",
            "ld.mmio.global.u32",
            "ld.global.wb.u32",
            "ld.global.global.u32",
            "st.acquire.gpu.global.u32",
            "st.global.nc.u32",
            "st.global.ca.u32",
            "atom.volatile.global.add.u32",
            "atom.mmio.relaxed.sys.global.add.u32",
            "atom.global.ca.add.u32",
            "red.weak.global.add.u32",
            "red.acquire.gpu.global.add.u32",
            "red.acq_rel.gpu.global.add.u32",
        ] {
            // What is left over is no operation and no type.
            let refused = modifiers(bad)
                .is_none_or(|found| found.rest.len() > 2 || !bad.starts_with("atom") && found.rest.len() > 1);
            assert!(refused, "{bad}");
        }
    }
}
