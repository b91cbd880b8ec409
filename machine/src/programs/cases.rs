//! Kernels from lists, for what no table has.

use super::text::Text;

/// One kernel: its name, what it loads into registers (`a_u32` into `%a`), what it does, and what it stores
/// (`%p` as `out_p_pred`, `%out` as `out_u32`). Scratch registers are `%z` (predicates), `%h` (16 bits),
/// `%t` (32 bits) and `%w` (64 bits), 0 to 4 of each; `%there` is 16 bytes of shared memory a thread.
pub(super) type Case<'a> = (&'a str, &'a str, &'a str, &'a str);

/// The name of the register that a parameter stands for: `a` of `a_u32`, `p` of `out_p_pred`.
fn name(param: &str) -> &str {
    let rest = param.strip_prefix("out_").filter(|rest| rest.contains('_'));
    rest.unwrap_or(param).split('_').next().unwrap_or(param)
}

pub(super) fn kernel((title, loads, body, stores): Case<'_>) -> String {
    let mut text = Text::new();
    for scratch in [".pred %z", ".b16 %h", ".b32 %t", ".b64 %w"] {
        if body.contains(&scratch[scratch.len() - 2..]) {
            text.declaration(&format!(".reg {scratch}<5>"));
        }
    }
    for param in loads.split_whitespace() {
        text.load(param, name(param));
    }
    if body.contains("%there") {
        text.shared();
    }
    for param in stores.split_whitespace() {
        let register = name(param);
        if !loads.split_whitespace().any(|load| name(load) == register) {
            text.declare(register, super::text::type_of(param));
        }
    }
    for line in body.split('\n').map(str::trim).filter(|line| !line.is_empty()) {
        if let Some((_, param)) = line
            .split_once("ld.param.u64 ")
            .and_then(|(_, l)| l.split_once('['))
        {
            text.param(param.trim_end_matches(']'));
        }
        text.line(line);
    }
    for param in stores.split_whitespace() {
        text.store(param, name(param));
    }
    text.kernel(title)
}

pub(super) fn all(cases: &[Case<'_>]) -> String {
    cases.iter().map(|&case| kernel(case)).collect()
}

pub(super) const COMPARE: &[Case<'static>] = &[
    (
        "setp_lt_u32_both",
        "a_u32 b_u32",
        "setp.lt.u32 %p|%q, %a, %b",
        "out_p_pred out_q_pred",
    ),
    (
        "setp_le_f32_both",
        "a_f32 b_f32",
        "setp.le.f32 %p|%q, %a, %b",
        "out_p_pred out_q_pred",
    ),
    (
        "setp_neu_f64_both",
        "a_f64 b_f64",
        "setp.neu.f64 %p|%q, %a, %b",
        "out_p_pred out_q_pred",
    ),
    (
        "setp_ge_and_s32",
        "a_s32 b_s32 c_pred",
        "setp.ge.and.s32 %p|%q, %a, %b, %c",
        "out_p_pred out_q_pred",
    ),
    (
        "setp_ne_or_b64",
        "a_b64 b_b64 c_pred",
        "setp.ne.or.b64 %p|%q, %a, %b, !%c",
        "out_p_pred out_q_pred",
    ),
    (
        "setp_gtu_xor_f32",
        "a_f32 b_f32 c_pred",
        "setp.gtu.xor.f32 %p|%q, %a, %b, %c",
        "out_p_pred out_q_pred",
    ),
    (
        "setp_equ_and_ftz_f32",
        "a_f32 b_f32 c_pred",
        "setp.equ.and.ftz.f32 %p, %a, %b, %c",
        "out_p_pred",
    ),
    (
        "setp_num_or_f64",
        "a_f64 b_f64 c_pred",
        "setp.num.or.f64 %p, %a, %b, %c",
        "out_p_pred",
    ),
    (
        "setp_hi_xor_u16",
        "a_u16 b_u16 c_pred",
        "setp.hi.xor.u16 %p|%q, %a, %b, !%c",
        "out_p_pred out_q_pred",
    ),
    (
        "setp_guarded_by_its_result",
        "a_u32 b_u32 c_pred",
        "setp.eq.u32 %q, %a, %a\n@%c setp.lt.and.u32 %c|%q, %a, %b, %c",
        "out_c_pred out_q_pred",
    ),
    (
        "set_lt_u32_u32",
        "a_u32 b_u32",
        "set.lt.u32.u32 %out, %a, %b",
        "out_u32",
    ),
    (
        "set_ge_s32_f32",
        "a_f32 b_f32",
        "set.ge.s32.f32 %out, %a, %b",
        "out_s32",
    ),
    (
        "set_ne_f32_s32",
        "a_s32 b_s32",
        "set.ne.f32.s32 %out, %a, %b",
        "out_f32",
    ),
    (
        "set_nan_f32_f32",
        "a_f32 b_f32",
        "set.nan.f32.f32 %out, %a, %b",
        "out_f32",
    ),
    (
        "set_gtu_ftz_u32_f32",
        "a_f32 b_f32",
        "set.gtu.ftz.u32.f32 %out, %a, %b",
        "out_u32",
    ),
    (
        "set_eq_u32_f64",
        "a_f64 b_f64",
        "set.eq.u32.f64 %out, %a, %b",
        "out_u32",
    ),
    (
        "set_hi_f32_u64",
        "a_u64 b_u64",
        "set.hi.f32.u64 %out, %a, %b",
        "out_f32",
    ),
    (
        "set_lt_and_u32_s16",
        "a_s16 b_s16 c_pred",
        "set.lt.and.u32.s16 %out, %a, %b, %c",
        "out_u32",
    ),
    (
        "set_leu_xor_f32_f64",
        "a_f64 b_f64 c_pred",
        "set.leu.xor.f32.f64 %out, %a, %b, !%c",
        "out_f32",
    ),
];

pub(super) const MOVES: &[Case<'static>] = &[
    ("pack_b32", "a_b16 b_b16", "mov.b32 %out, {%a, %b}", "out_b32"),
    ("pack_b64", "a_b32 b_b32", "mov.b64 %out, {%a, %b}", "out_b64"),
    (
        "pack_b64_of_four",
        "a_b16 b_b16 c_b16",
        "mov.b64 %out, {%a, %b, %c, %a}",
        "out_b64",
    ),
    (
        "unpack_b32",
        "a_b32",
        "mov.b32 {%p, %q}, %a",
        "out_p_b16 out_q_b16",
    ),
    (
        "unpack_b64",
        "a_b64",
        "mov.b64 {%p, %q}, %a",
        "out_p_b32 out_q_b32",
    ),
    (
        "unpack_b64_into_four",
        "a_b64",
        "mov.b64 {%p, %q, %h0, %r}, %a",
        "out_p_b16 out_q_b16 out_r_b16",
    ),
    (
        "unpack_the_float",
        "a_f64",
        "mov.b64 %w0, %a\nmov.b64 {_, %q}, %w0",
        "out_q_b32",
    ),
    ("cvt_s8_s32_wide", "a_s32", "cvt.s8.s32 %out, %a", "out_s32"),
    ("cvt_u8_s32_wide", "a_s32", "cvt.u8.s32 %out, %a", "out_u32"),
    ("cvt_u16_u64_wide", "a_u64", "cvt.u16.u64 %out, %a", "out_u32"),
    ("cvt_s16_u64_wide", "a_u64", "cvt.s16.u64 %out, %a", "out_s64"),
    ("cvt_s32_s64_wide", "a_s64", "cvt.s32.s64 %out, %a", "out_s64"),
    (
        "cvt_sat_s8_s32_wide",
        "a_s32",
        "cvt.sat.s8.s32 %out, %a",
        "out_s32",
    ),
    (
        "cvt_sat_u8_s32_wide",
        "a_s32",
        "cvt.sat.u8.s32 %out, %a",
        "out_u32",
    ),
    (
        "cvt_rzi_s8_f32_wide",
        "a_f32",
        "cvt.rzi.s8.f32 %out, %a",
        "out_s32",
    ),
    (
        "cvt_rni_u8_f32_wide",
        "a_f32",
        "cvt.rni.u8.f32 %out, %a",
        "out_u32",
    ),
    (
        "cvt_rmi_s16_f64_wide",
        "a_f64",
        "cvt.rmi.s16.f64 %out, %a",
        "out_s32",
    ),
    ("cvt_s32_s8_of_wide", "a_b32", "cvt.s32.s8 %out, %a", "out_s32"),
    ("cvt_u64_u16_of_wide", "a_b32", "cvt.u64.u16 %out, %a", "out_u64"),
    ("cvt_s64_s32_of_wide", "a_b64", "cvt.s64.s32 %out, %a", "out_s64"),
    (
        "cvt_rn_f32_u8_of_wide",
        "a_b32",
        "cvt.rn.f32.u8 %out, %a",
        "out_f32",
    ),
    (
        "cvt_rn_f64_s16_of_wide",
        "a_b64",
        "cvt.rn.f64.s16 %out, %a",
        "out_f64",
    ),
    (
        "cvt_sat_u8_s8_of_wide",
        "a_b32",
        "cvt.sat.u8.s8 %out, %a",
        "out_u32",
    ),
];

pub(super) const CARRIES: &[Case<'static>] = &[
    (
        "add_with_carry_u32",
        "a_u32 b_u32 c_u32",
        "add.cc.u32 %p, %a, %b\naddc.cc.u32 %q, %b, %c\naddc.u32 %r, %c, %a",
        "out_p_u32 out_q_u32 out_r_u32",
    ),
    (
        "add_with_carry_s32",
        "a_s32 b_s32 c_s32",
        "add.cc.s32 %p, %a, %b\nxor.b32 %t0, %a, %b\naddc.s32 %q, %t0, %c",
        "out_p_s32 out_q_s32",
    ),
    (
        "mad_cc_u32",
        "a_u32 b_u32 c_u32",
        "mad.lo.cc.u32 %p, %a, %b, %c\nmadc.hi.cc.u32 %q, %a, %b, %c\nmadc.lo.u32 %r, %b, %c, %a",
        "out_p_u32 out_q_u32 out_r_u32",
    ),
    (
        "mad_hi_cc_u32",
        "a_u32 b_u32 c_u32",
        "mad.hi.cc.u32 %p, %a, %b, %c\nmadc.lo.cc.u32 %q, %c, %b, %b\nmadc.hi.u32 %r, %b, %c, %a",
        "out_p_u32 out_q_u32 out_r_u32",
    ),
    (
        "mad_cc_s32",
        "a_s32 b_s32 c_s32",
        "mad.lo.cc.s32 %p, %a, %b, %c\nmadc.hi.cc.s32 %q, %a, %b, %c\nmadc.lo.s32 %r, %b, %c, %a",
        "out_p_s32 out_q_s32 out_r_s32",
    ),
    (
        "mad_hi_cc_s32",
        "a_s32 b_s32 c_s32",
        "mad.hi.cc.s32 %p, %a, %b, %c\nmadc.lo.cc.s32 %q, %c, %b, %b\nmadc.hi.s32 %r, %b, %c, %a",
        "out_p_s32 out_q_s32 out_r_s32",
    ),
    (
        "mad_cc_u64",
        "a_u64 b_u64 c_u64",
        "mad.lo.cc.u64 %p, %a, %b, %c\nmadc.hi.cc.u64 %q, %a, %b, %c\nmadc.lo.u64 %r, %b, %c, %a",
        "out_p_u64 out_q_u64 out_r_u64",
    ),
    (
        "mad_hi_cc_u64",
        "a_u64 b_u64 c_u64",
        "mad.hi.cc.u64 %p, %a, %b, %c\nmadc.lo.cc.u64 %q, %c, %b, %b\nmadc.hi.u64 %r, %b, %c, %a",
        "out_p_u64 out_q_u64 out_r_u64",
    ),
    (
        "mad_cc_s64",
        "a_s64 b_s64 c_s64",
        "mad.lo.cc.s64 %p, %a, %b, %c\nmadc.hi.cc.s64 %q, %a, %b, %c\nmadc.lo.s64 %r, %b, %c, %a",
        "out_p_s64 out_q_s64 out_r_s64",
    ),
    (
        "mad_hi_cc_s64",
        "a_s64 b_s64 c_s64",
        "mad.hi.cc.s64 %p, %a, %b, %c\nmadc.lo.cc.s64 %q, %c, %b, %b\nmadc.hi.s64 %r, %b, %c, %a",
        "out_p_s64 out_q_s64 out_r_s64",
    ),
    (
        "add_with_carry_u64",
        "a_u64 b_u64 c_u64",
        "add.cc.u64 %p, %a, %b\naddc.cc.u64 %q, %b, %c\naddc.u64 %r, %c, %a",
        "out_p_u64 out_q_u64 out_r_u64",
    ),
    (
        "carry_u32",
        "a_u32 b_u32",
        "add.cc.u32 %t0, %a, %b\naddc.u32 %out, 0, 0",
        "out_u32",
    ),
    (
        "carry_of_a_carry_u32",
        "a_u32 b_u32",
        "add.cc.u32 %t0, %a, %b\naddc.cc.u32 %t1, %a, -1\naddc.u32 %out, 0, 0",
        "out_u32",
    ),
    (
        "subtract_with_borrow_u32",
        "a_u32 b_u32 c_u32",
        "sub.cc.u32 %p, %a, %b\nsubc.cc.u32 %q, %b, %c\nsubc.u32 %r, %c, %a",
        "out_p_u32 out_q_u32 out_r_u32",
    ),
    (
        "subtract_with_borrow_s64",
        "a_s64 b_s64 c_s64",
        "sub.cc.s64 %p, %a, %b\nsubc.cc.s64 %q, %b, %c\nsubc.s64 %r, %c, %a",
        "out_p_s64 out_q_s64 out_r_s64",
    ),
    (
        "borrow_u32",
        "a_u32 b_u32",
        "sub.cc.u32 %t0, %a, %b\nsubc.u32 %out, 0, 0",
        "out_u32",
    ),
    (
        "borrow_of_a_borrow_u32",
        "a_u32 b_u32",
        "sub.cc.u32 %t0, %a, %b\nsubc.cc.u32 %t1, %a, %a\nsubc.u32 %out, 0, 0",
        "out_u32",
    ),
    (
        "guarded_carry_u32",
        "a_u32 b_u32 c_pred",
        "add.cc.u32 %t0, %a, %b\n@%c add.cc.u32 %t1, -1, 1\naddc.u32 %out, %a, 0",
        "out_u32",
    ),
];
