//! Kernels for `cp.async`.

use super::cases::kernel;

/// The copies: a name, the opcode, the bytes copied, and the bytes read where they are fewer. `%t1` is the lane.
const COPIES: &[(&str, &str, u32, &str)] = &[
    ("copy_4", "cp.async.ca.shared.global", 4, ""),
    ("copy_8", "cp.async.ca.shared.global", 8, ""),
    ("copy_16", "cp.async.ca.shared.global", 16, ""),
    ("copy_16_past_l1", "cp.async.cg.shared.global", 16, ""),
    ("copy_16_hinted", "cp.async.cg.shared.global.L2::128B", 16, ""),
    ("copy_4_reading_0", "cp.async.ca.shared.global", 4, ", 0"),
    ("copy_8_reading_3", "cp.async.ca.shared.global", 8, ", 3"),
    ("copy_16_reading_9", "cp.async.cg.shared.global", 16, ", 9"),
    ("copy_4_reading_some", "cp.async.ca.shared.global", 4, ", %t1"),
    ("copy_8_reading_some", "cp.async.ca.shared.global", 8, ", %t1"),
    ("copy_16_reading_some", "cp.async.ca.shared.global", 16, ", %t1"),
    (
        "copy_16_past_l1_reading_some",
        "cp.async.cg.shared.global",
        16,
        ", %t1",
    ),
];

/// Each thread copies to its 16 bytes of shared memory, which held something else.
pub(super) fn all() -> String {
    let mut text = String::new();
    for &(name, opcode, bytes, reads) in COPIES {
        for guard in ["", "@%c "] {
            if !guard.is_empty() && name != "copy_16" {
                continue;
            }
            let body = format!(
                "st.shared.v2.b64 [%there], {{%b, %b}}\nld.param.u64 %w0, [a_b64]\nand.b32 %t0, %lane, 63\n\
                 mad.wide.u32 %w0, %t0, 16, %w0\nand.b32 %t1, %lane, {}\n\
                 {guard}{opcode} [%there], [%w0], {bytes}{reads}\ncp.async.commit_group\ncp.async.wait_group 0\n\
                 ld.shared.v2.b64 {{%p, %q}}, [%there]",
                bytes - 1
            );
            let guarded = if guard.is_empty() { "" } else { "_guarded" };
            text += &kernel((
                &format!("{name}{guarded}"),
                "a_b64 b_b64 c_pred",
                &body,
                "out_p_b64 out_q_b64",
            ));
        }
    }
    text
}
