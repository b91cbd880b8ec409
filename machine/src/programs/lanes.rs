//! Kernels for instructions in which the lanes of a warp, or the threads of a block, meet.

use super::cases::{kernel, Case};
use crate::ops::atomics::rows;
use crate::ptx::types::Class;

/// The lanes of each warp below 16 do something among themselves, the others do nothing.
fn lower_half(body: &str) -> String {
    format!("and.b32 %t0, %lane, 31\nmov.b32 %r, 7\nsetp.ge.u32 %z0, %t0, 16\n@%z0 bra END\n{body}\nEND:")
}

/// Every kind of shuffle, in whole warps and in segments: the clamp has the segments' mask in bits 8 to 12.
/// The lane asked for always takes part, since PTX leaves open what another one gives.
pub(super) fn shuffles() -> String {
    let mut text = String::new();
    for (kind, whole) in [("up", 0), ("down", 31), ("bfly", 31), ("idx", 31)] {
        for clamp in [whole, 0x1800 | whole & 7, 0x1C00 | whole & 3, 0x100F, 0x18, 5] {
            let body = format!("shfl.sync.{kind}.b32 %r|%p, %a, %b, {clamp:#x}, -1");
            let name = format!("shfl_{kind}_{clamp:04x}");
            text += &kernel((&name, "a_b32 b_amount", &body, "out_r_b32 out_p_pred"));
        }
        let body =
            format!("shl.b32 %t0, %b, 7\nxor.b32 %t0, %t0, %c\nshfl.sync.{kind}.b32 %r|%p, %a, %b, %t0, -1");
        let name = format!("shfl_{kind}_any");
        text += &kernel((&name, "a_b32 b_amount c_amount", &body, "out_r_b32 out_p_pred"));
        let clamp = whole & 15;
        let body = lower_half(&format!(
            "and.b32 %t1, %b, 15\nshfl.sync.{kind}.b32 %r, %a, %t1, {clamp:#x}, 0xffff"
        ));
        let name = format!("shfl_{kind}_lower_half");
        text += &kernel((&name, "a_b32 b_amount", &body, "out_r_b32"));
    }
    text
}

/// `redux.sync` in whole warps and in halves.
pub(super) fn reductions() -> String {
    let mut text = String::new();
    for row in rows() {
        let word = row.name.split('.').next().unwrap_or("");
        let reduces = matches!(word, "add" | "min" | "max" | "and" | "or" | "xor");
        if !reduces || row.ty.class() != Class::B32 || row.ty.is_float() {
            continue;
        }
        let load = format!("a_{}", row.ty.name());
        let opcode = format!("redux.sync.{}", row.name);
        let name = opcode.replace('.', "_");
        text += &kernel((&name, &load, &format!("{opcode} %r, %a, -1"), "out_r_b32"));
        let body = lower_half(&format!("{opcode} %r, %a, 0xffff"));
        text += &kernel((&format!("{name}_lower_half"), &load, &body, "out_r_b32"));
    }
    text
}

pub(super) const VOTES: &[Case<'static>] = &[
    (
        "votes",
        "",
        "setp.lt.u32 %z0, %lane, 40\nvote.sync.all.pred %p, %z0, -1\nvote.sync.any.pred %q, %z0, -1\n\
         vote.sync.uni.pred %r, !%z0, -1\nvote.sync.ballot.b32 %s, !%z0, -1",
        "out_p_pred out_q_pred out_r_pred out_s_b32",
    ),
    (
        "votes_of_odd_lanes",
        "c_pred",
        "and.b32 %t0, %lane, 1\nsetp.ne.u32 %p, %t0, %t0\nmov.pred %q, %p\nmov.b32 %s, 3\nsetp.eq.u32 %z0, %t0, 0\n\
         @%z0 bra END\nsetp.gt.u32 %z1, %lane, 32\nvote.sync.all.pred %p, %z1, 0xaaaaaaaa\n\
         vote.sync.uni.pred %q, %c, 0xaaaaaaaa\nvote.sync.ballot.b32 %s, %c, 0xaaaaaaaa\nEND:",
        "out_p_pred out_q_pred out_s_b32",
    ),
    ("match_any_b32", "a_b32", "and.b32 %t0, %a, 3\nmatch.any.sync.b32 %r, %t0, -1", "out_r_b32"),
    ("match_any_b64", "a_b64", "and.b64 %w0, %a, 0x8000000000000001\nmatch.any.sync.b64 %r, %w0, -1", "out_r_b32"),
    (
        "match_any_of_odd_lanes",
        "a_b32",
        "and.b32 %t0, %lane, 1\nmov.b32 %r, 9\nsetp.eq.u32 %z0, %t0, 0\n@%z0 bra END\nand.b32 %t1, %a, 7\n\
         match.any.sync.b32 %r, %t1, 0xaaaaaaaa\nEND:",
        "out_r_b32",
    ),
    (
        "match_all_b32",
        "a_b32",
        "setp.lt.u32 %z0, %lane, 64\nselp.b32 %t0, 5, %a, %z0\nmatch.all.sync.b32 %r|%p, %t0, -1",
        "out_r_b32 out_p_pred",
    ),
    (
        "match_all_b64",
        "a_b64",
        "setp.lt.u32 %z0, %lane, 63\nselp.b64 %w0, 5, %a, %z0\nmatch.all.sync.b64 %r|%p, %w0, -1",
        "out_r_b32 out_p_pred",
    ),
    (
        "activemask",
        "",
        "and.b32 %t0, %lane, 31\nmov.b32 %r, 0\nsetp.ge.u32 %z0, %t0, 10\n@%z0 bra END\nactivemask.b32 %r\nEND:",
        "out_r_b32",
    ),
    (
        "barrier_reductions",
        "b_pred",
        "setp.ne.u32 %z0, %lane, 77\nbar.red.popc.u32 %r, 0, %b\nbar.red.and.pred %p, 0, %z0\n\
         bar.red.or.pred %q, 0, !%z0\nbar.sync 0",
        "out_r_u32 out_p_pred out_q_pred",
    ),
    (
        "barrier_of_two_warps",
        "b_pred",
        "mov.u32 %r, 1\nsetp.ge.u32 %z0, %lane, 64\n@%z0 bra END\nbar.red.popc.u32 %r, 1, 64, !%b\nEND:",
        "out_r_u32",
    ),
    (
        "values_through_shared_memory",
        "a_b32",
        "st.shared.b32 [%there], %a\nbar.sync 0\nxor.b32 %t0, %lane, 0x55\nmov.u32 %t1, words\n\
         mad.lo.u32 %t0, %t0, 16, %t1\nld.shared.b32 %r, [%t0]",
        "out_r_b32",
    ),
    (
        "lane_masks",
        "",
        "mov.u32 %p, %lanemask_lt\nmov.u32 %q, %lanemask_le\nmov.u32 %r, %lanemask_gt\nmov.u32 %s, %lanemask_ge\n\
         mov.u32 %u, %lanemask_eq\nmov.u32 %v, %laneid",
        "out_p_u32 out_q_u32 out_r_u32 out_s_u32 out_u_u32 out_v_u32",
    ),
    (
        "places",
        "",
        "mov.u32 %p, %tid.x\nmov.u32 %t0, %tid.y\nmov.u32 %t1, %tid.z\nmad.lo.u32 %p, %t0, 1000, %p\n\
         mad.lo.u32 %p, %t1, 1000, %p\nmov.u32 %q, %ntid.x\nmov.u32 %t0, %ntid.y\nmov.u32 %t1, %nctaid.x\n\
         mad.lo.u32 %q, %t0, 1000, %q\nmad.lo.u32 %q, %t1, 1000, %q\nmov.u32 %r, %ctaid.x\n\
         mov.u32 %s, %dynamic_smem_size",
        "out_p_u32 out_q_u32 out_r_u32 out_s_u32",
    ),
];

pub(super) const ELECTIONS: &[Case<'static>] = &[
    ("elect", "", "elect.sync %r|%p, -1", "out_r_b32 out_p_pred"),
    (
        "elect_of_the_upper_lanes",
        "",
        "and.b32 %t0, %lane, 31\nmov.b32 %r, 40\nsetp.ne.u32 %p, %t0, %t0\nsetp.lt.u32 %z0, %t0, 5\n@%z0 bra END\n\
         elect.sync %r|%p, 0xffffffe0\nEND:",
        "out_r_b32 out_p_pred",
    ),
];
