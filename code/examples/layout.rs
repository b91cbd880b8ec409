//! Multiplies two row-major matrices with cuBLAS, which reads them as column-major.

use anyhow::{ensure, Result};
use cudarc::cublas::sys::cublasOperation_t::CUBLAS_OP_N;
use cudarc::cublas::{CudaBlas, Gemm, GemmConfig};
use cudarc::driver::CudaContext;

const N: usize = 3;

/// The product as a row-major programmer means it.
fn multiply(a: &[f32], b: &[f32]) -> Vec<f32> {
    let cell = |i: usize| (0..N).map(|k| a[i / N * N + k] * b[k * N + i % N]).sum();
    (0..N * N).map(cell).collect()
}

pub fn main() -> Result<()> {
    warpwise::gpu::require_driver()?;
    warpwise::gpu::require_cublas()?;
    let stream = CudaContext::new(0)?.default_stream();
    let blas = CudaBlas::new(stream.clone())?;
    let a: Vec<f32> = (1..=9).map(|i| i as f32).collect();
    let b: Vec<f32> = [2.0, 0.0, 1.0, 0.0, 3.0, 0.0, 1.0, 0.0, 1.0].to_vec();
    let (device_a, device_b) = (stream.clone_htod(&a)?, stream.clone_htod(&b)?);
    let mut device_c = stream.alloc_zeros::<f32>(N * N)?;

    let n = N as i32;
    let plain = GemmConfig {
        transa: CUBLAS_OP_N,
        transb: CUBLAS_OP_N,
        m: n,
        n,
        k: n,
        alpha: 1.0,
        lda: n,
        ldb: n,
        beta: 0.0,
        ldc: n,
    };
    // SAFETY: all three matrices are N x N with leading dimension N.
    unsafe { blas.gemm(plain, &device_a, &device_b, &mut device_c) }?;
    let as_they_are = stream.clone_dtoh(&device_c)?;
    // SAFETY: as above.
    unsafe { blas.gemm(plain, &device_b, &device_a, &mut device_c) }?;
    let exchanged = stream.clone_dtoh(&device_c)?;

    ensure!(
        as_they_are == multiply(&b, &a),
        "A, B handed over as they are should give B * A"
    );
    ensure!(exchanged == multiply(&a, &b), "B, A should give A * B");
    println!("asked for A * B, read as row-major: {as_they_are:?}, which is B * A");
    println!("asked for B * A, read as row-major: {exchanged:?}, which is A * B");
    Ok(())
}
