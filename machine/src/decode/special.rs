//! Special registers by name.

use crate::code::Special;

/// The special register of this name; nothing for those that the machine does not have, such as clocks.
pub(super) fn special(name: &str) -> Option<Special> {
    let axis = |name: &str| match name {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    if let Some((base, component)) = name.split_once('.') {
        let axis = axis(component)?;
        return match base {
            "%tid" => Some(Special::Tid(axis)),
            "%ntid" => Some(Special::Ntid(axis)),
            "%ctaid" => Some(Special::Ctaid(axis)),
            "%nctaid" => Some(Special::Nctaid(axis)),
            _ => None,
        };
    }
    Some(match name {
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        "%nwarpid" => Special::NwarpId,
        "%gridid" => Special::GridId,
        "%lanemask_eq" => Special::LanemaskEq,
        "%lanemask_le" => Special::LanemaskLe,
        "%lanemask_lt" => Special::LanemaskLt,
        "%lanemask_ge" => Special::LanemaskGe,
        "%lanemask_gt" => Special::LanemaskGt,
        "%dynamic_smem_size" => Special::DynamicSharedBytes,
        "%total_smem_size" => Special::TotalSharedBytes,
        _ => return None,
    })
}
