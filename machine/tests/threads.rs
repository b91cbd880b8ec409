//! Several threads of the host change nothing: not what kernels write, not what observers report.

use warpwise_machine::observe::{Coverage, Watch};
use warpwise_machine::{Arg, Launch, Memory, Module, Options, Order};

/// Where blocks write the same cells, read what others write, or read what they wrote themselves.
const PTX: &str = "
.version 8.0
.target sm_90
.address_size 64

// Every block writes its number to the same 32 cells, 8 bytes apart.
.visible .entry overwrite(.param .u64 out, .param .u64 in)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    ld.global.u32 %r3, [%rd2];
    add.u32 %r3, %r3, %r1;
    mul.wide.u32 %rd3, %r2, 8;
    add.s64 %rd4, %rd1, %rd3;
    st.global.u32 [%rd4], %r3;
    ret;
}

// Each block adds one to what the block before it left.
.visible .entry chain(.param .u64 out, .param .u64 in)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 8;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.u32 %r3, [%rd4];
    mad.lo.u32 %r3, %r3, 3, %r1;
    st.global.u32 [%rd4], %r3;
    ret;
}

// As overwrite, until block 700 reads the output.
.visible .entry late(.param .u64 out, .param .u64 in)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 8;
    add.s64 %rd4, %rd1, %rd3;
    mov.u32 %r3, %r1;
    setp.eq.u32 %p1, %r1, 700;
    @%p1 ld.global.u32 %r3, [%rd4];
    @%p1 add.u32 %r3, %r3, 100000;
    and.b32 %r4, %r1, %r2;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 st.global.u32 [%rd4], %r3;
    ret;
}

// Traps in block 900.
.visible .entry traps(.param .u64 out, .param .u64 in)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    st.global.u32 [%rd1], %r1;
    setp.eq.u32 %p1, %r1, 900;
    @%p1 trap;
    ret;
}
";

#[test]
fn threads_change_nothing() {
    let module = Module::parse(PTX).unwrap();
    for kernel in module.kernels() {
        for order in [Order::Forward, Order::Reverse, Order::Shuffle(5)] {
            let outcome = |threads: usize| {
                let mut memory = Memory::new();
                let out = memory.alloc(256).unwrap();
                let input = memory.alloc_from(vec![9; 4]);
                let args = vec![Arg::Buffer(out), Arg::Buffer(input)];
                let launch = Launch {
                    grid: [1500, 1, 1],
                    block: [32, 1, 1],
                    shared_bytes: 0,
                    args,
                };
                // Some of these cells are never written, and some more than once.
                let mut watch = Watch::new([Coverage::new(out, 40, 4)], false);
                let options = Options {
                    order,
                    threads,
                    ..Options::default()
                };
                let result = watch.run(kernel, &launch, &mut memory, &options);
                let counts: Vec<_> = watch.counts().by_instruction().collect();
                let coverage = &watch.coverage()[0];
                let cells = (coverage.never_written(), coverage.written_twice());
                (
                    result,
                    memory.bytes(out).to_vec(),
                    counts,
                    cells,
                    watch.findings(),
                )
            };
            let one = outcome(1);
            for threads in [2, 3, 7] {
                let name = kernel.name();
                assert_eq!(
                    outcome(threads),
                    one,
                    "{name} in {order:?} order on {threads} threads"
                );
            }
        }
    }
}

#[test]
fn transposes_on_threads() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels/transpose.ptx");
    let module = Module::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    for (name, tall) in [
        ("transpose_naive", 32),
        ("transpose_tiled", 32),
        ("transpose_padded", 8),
    ] {
        let (rows, cols) = (301u64, 259u64);
        let outcome = |threads: usize| {
            let mut memory = Memory::new();
            let input = memory.alloc_from((0..rows * cols).flat_map(|i| (i as u32).to_le_bytes()).collect());
            let output = memory.alloc(rows * cols * 4).unwrap();
            let args = vec![
                Arg::Buffer(input),
                Arg::Buffer(output),
                Arg::U64(rows),
                Arg::U64(cols),
            ];
            let grid = [cols.div_ceil(32) as u32, rows.div_ceil(32) as u32, 1];
            let launch = Launch {
                grid,
                block: [32, tall, 1],
                shared_bytes: 0,
                args,
            };
            let mut watch = Watch::new([Coverage::new(output, rows * cols, 4)], false);
            let options = Options {
                threads,
                ..Options::default()
            };
            watch
                .run(module.kernel(name).unwrap(), &launch, &mut memory, &options)
                .unwrap();
            assert!(watch.written_once(), "{name} on {threads} threads");
            (memory.into_bytes(output), watch.counts().total())
        };
        let one = outcome(1);
        for threads in [2, 5, 300] {
            assert!(outcome(threads) == one, "{name} on {threads} threads");
        }
        for r in 0..rows {
            for c in 0..cols {
                let at = ((c * rows + r) * 4) as usize;
                assert_eq!(one.0[at..at + 4], ((r * cols + c) as u32).to_le_bytes(), "{name}");
            }
        }
    }
}
