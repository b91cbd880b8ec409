//! Kernels for loads, stores, guards and branches.

use super::cases::Case;

pub(super) const MEMORY: &[Case<'static>] = &[
    ("store_u8_load_s8", "a_b32", "st.shared.u8 [%there], %a\nld.shared.s8 %out, [%there]", "out_s32"),
    ("store_s8_load_u8", "a_b64", "st.shared.s8 [%there], %a\nld.shared.u8 %out, [%there]", "out_u64"),
    ("store_b8_load_b8", "a_b16", "st.shared.b8 [%there+3], %a\nld.shared.b8 %out, [%there+3]", "out_b32"),
    ("load_s8_into_16", "a_b32", "st.shared.b32 [%there], %a\nld.shared.s8 %out, [%there+1]", "out_s16"),
    ("load_s8_into_64", "a_b32", "st.shared.b32 [%there], %a\nld.shared.s8 %out, [%there+2]", "out_s64"),
    ("store_u16_load_s16", "a_b32", "st.shared.u16 [%there], %a\nld.shared.s16 %out, [%there]", "out_s32"),
    ("store_s16_load_u16", "a_b64", "st.shared.s16 [%there+2], %a\nld.shared.u16 %out, [%there+2]", "out_u64"),
    ("load_s16_into_64", "a_b64", "st.shared.b64 [%there], %a\nld.shared.s16 %out, [%there+6]", "out_s64"),
    ("load_s32_into_64", "a_b64", "st.shared.b64 [%there], %a\nld.shared.s32 %out, [%there+4]", "out_s64"),
    ("load_u32_into_64", "a_b64", "st.shared.b64 [%there], %a\nld.shared.u32 %out, [%there+4]", "out_u64"),
    ("store_32_of_64", "a_b64", "st.shared.u32 [%there], %a\nld.shared.b32 %out, [%there]", "out_b32"),
    ("store_f32_load_f32", "a_f32", "st.shared.f32 [%there], %a\nld.shared.f32 %out, [%there]", "out_f32"),
    (
        "vectors_of_u8",
        "a_b32",
        "st.shared.b32 [%there], %a\nld.shared.v4.u8 {%p, %h0, %h1, %q}, [%there]\nld.shared.v2.s8 {%r, %s}, [%there+2]",
        "out_p_u16 out_q_u16 out_r_s32 out_s_s32",
    ),
    (
        "vectors_of_u16",
        "a_b32 b_b32",
        "st.shared.v2.u16 [%there], {%a, %b}\nst.shared.v2.u16 [%there+4], {%b, %a}\n\
         ld.shared.v4.s16 {%p, %q, %r, %w0}, [%there]",
        "out_p_s64 out_q_s64 out_r_s64",
    ),
    (
        "vectors_of_u32",
        "a_b32 b_b32 c_f32",
        "mov.b32 %t0, %c\nst.shared.v4.b32 [%there], {%a, %b, %t0, %a}\nld.shared.v2.b64 {%p, %w0}, [%there]\n\
         ld.shared.v2.s32 {%q, %t1}, [%there+8]",
        "out_p_b64 out_q_b32",
    ),
    (
        "vectors_of_u64",
        "a_b64 b_b64",
        "st.shared.v2.b64 [%there], {%a, %b}\nld.shared.v4.u32 {%p, %q, %w0, %r}, [%there]",
        "out_p_b64 out_q_b64 out_r_b64",
    ),
    (
        "vectors_from_global",
        "a_u32",
        "and.b32 %t0, %lane, 31\nld.param.u64 %w0, [a_u32]\nmad.wide.u32 %w0, %t0, 16, %w0\n\
         ld.global.nc.v4.u32 {%p, %q, %t1, %r}, [%w0]",
        "out_p_u32 out_q_u32 out_r_u32",
    ),
    (
        "vectors_to_global",
        "a_b32 b_b32",
        "ld.param.u64 %w0, [out_v_u32]\nand.b32 %t0, %lane, 31\nmad.wide.u32 %w0, %t0, 16, %w0\n\
         setp.lt.u32 %z0, %lane, 32\n@%z0 st.global.v4.u32 [%w0], {%a, %lane, %b, %a}",
        "",
    ),
    (
        "orderings",
        "a_b32 b_b32",
        "ld.param.u64 %w0, [cells_b32]\nmad.wide.u32 %w0, %lane, 4, %w0\nld.relaxed.gpu.global.b32 %p, [%w0]\n\
         st.release.gpu.global.b32 [%w0], %b\nld.acquire.gpu.global.b32 %q, [%w0]\n\
         st.volatile.global.b32 [%w0], %a",
        "out_p_b32 out_q_b32",
    ),
    (
        "local_memory",
        "a_b64 b_b32",
        ".local .align 8 .b8 own[16]\nst.local.b64 [own], %a\nst.local.u16 [own+2], %b\nld.local.b64 %p, [own]\n\
         ld.local.s16 %q, [own+2]",
        "out_p_b64 out_q_s32",
    ),
    (
        "generic_addresses",
        "a_b32 b_b32",
        "cvt.u64.u32 %w0, %there\ncvta.shared.u64 %w0, %w0\nst.b32 [%w0], %a\nld.shared.b32 %p, [%there]\n\
         ld.param.u64 %w1, [cells_b32]\nmad.wide.u32 %w1, %lane, 4, %w1\nst.b32 [%w1], %b\n\
         setp.lt.u32 %z0, %lane, 13\nselp.b64 %w2, %w0, %w1, %z0\nld.b32 %q, [%w2]\natom.add.u32 %r, [%w2], %b\n\
         ld.s8 %s, [%w2]",
        "out_p_b32 out_q_b32 out_r_u32 out_s_s32",
    ),
];

pub(super) const CONTROL: &[Case<'static>] = &[
    ("guards", "a_u32 b_u32 c_pred", "@%c add.u32 %out, %a, %b\n@!%c sub.u32 %out, %a, %b", "out_u32"),
    (
        "guarded_memory",
        "a_b32 b_b32 c_pred",
        "st.shared.b32 [%there], %b\n@%c st.shared.b32 [%there], %a\nmov.b32 %out, 7\n@!%c ld.shared.b32 %out, [%there]",
        "out_b32",
    ),
    (
        "guarded_atomic",
        "b_u32 c_pred",
        "ld.param.u64 %w0, [cells_u32]\nmad.wide.u32 %w0, %lane, 4, %w0\nmov.u32 %out, 5\n\
         @%c atom.global.add.u32 %out, [%w0], %b",
        "out_u32",
    ),
    (
        "two_ways",
        "a_u32 b_u32 c_pred",
        "@%c bra YES\nmul.lo.u32 %t0, %a, 3\nbra.uni MET\nYES:\nadd.u32 %t0, %b, 9\nMET:\n\
         shfl.sync.bfly.b32 %out, %t0, 1, 31, -1",
        "out_u32",
    ),
    (
        "ways_within_ways",
        "a_u32 c_pred",
        "and.b32 %t0, %lane, 3\nmov.u32 %out, %a\nsetp.eq.u32 %z0, %t0, 0\n@%z0 bra END\nadd.u32 %out, %out, 1\n\
         setp.eq.u32 %z1, %t0, 1\n@%z1 bra INNER\nmul.lo.u32 %out, %out, 5\n@%c bra INNER\nxor.b32 %out, %out, -1\n\
         INNER:\nadd.u32 %out, %out, 100\nEND:\nbar.warp.sync -1\nvote.sync.ballot.b32 %t1, %c, -1\n\
         add.u32 %out, %out, %t1",
        "out_u32",
    ),
    (
        "loops_of_different_lengths",
        "a_u32 b_u32",
        "and.b32 %t0, %b, 15\nmov.u32 %out, %a\nAGAIN:\nsetp.eq.u32 %z0, %t0, 0\n@%z0 bra DONE\n\
         mad.lo.u32 %out, %out, 3, %t0\nsub.u32 %t0, %t0, 1\nbra AGAIN\nDONE:\nshfl.sync.idx.b32 %t1, %out, 5, 31, -1\n\
         add.u32 %out, %out, %t1",
        "out_u32",
    ),
    (
        "some_return_early",
        "a_u32 c_pred",
        "ld.param.u64 %w0, [cells_u32]\nmad.wide.u32 %w0, %lane, 4, %w0\n@%c ret\nst.global.u32 [%w0], %a\n\
         activemask.b32 %t0\nadd.u32 %t0, %t0, 1\nst.global.u32 [%w0], %t0",
        "",
    ),
];
