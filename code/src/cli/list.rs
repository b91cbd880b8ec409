//! `warpwise list`.

use super::{write_json, Output, SUCCESS};
use crate::examples::EXAMPLES;
use crate::kernels;
use crate::lessons::LESSONS;
use crate::table::Table;
use anyhow::Result;
use serde::Serialize;

#[derive(Serialize)]
struct List {
    lessons: Vec<LessonRow>,
    examples: Vec<ExampleRow>,
}

#[derive(Serialize)]
struct LessonRow {
    lesson: &'static str,
    title: &'static str,
    rows: u64,
    cols: u64,
    gpu_rows: u64,
    gpu_cols: u64,
    devices: &'static [&'static str],
    kernels: Vec<KernelRow>,
}

#[derive(Serialize)]
struct KernelRow {
    kernel: &'static str,
    about: &'static str,
    wrong_on_purpose: bool,
    block: [u32; 3],
    devices: &'static [&'static str],
}

#[derive(Serialize)]
struct ExampleRow {
    example: &'static str,
    devices: &'static [&'static str],
}

const KERNEL_DEVICES: &[&str] = &["machine", "gpu"];

pub(super) fn list(json: bool, output: &mut Output) -> Result<u8> {
    let lessons: Vec<LessonRow> = LESSONS
        .iter()
        .map(|lesson| {
            let kernels: Vec<KernelRow> = kernels::of_lesson(lesson.name)
                .map(|k| KernelRow {
                    kernel: k.name,
                    about: k.about,
                    wrong_on_purpose: k.wrong_on_purpose,
                    block: k.block(),
                    devices: KERNEL_DEVICES,
                })
                .collect();
            LessonRow {
                lesson: lesson.name,
                title: lesson.title,
                rows: lesson.shape.rows,
                cols: lesson.shape.cols,
                gpu_rows: lesson.gpu_shape.rows,
                gpu_cols: lesson.gpu_shape.cols,
                devices: if kernels.is_empty() {
                    &["cpu"]
                } else {
                    KERNEL_DEVICES
                },
                kernels,
            }
        })
        .collect();
    let examples = EXAMPLES
        .iter()
        .map(|e| ExampleRow {
            example: e.name,
            devices: &["gpu"],
        })
        .collect();
    let list = List { lessons, examples };
    if json {
        write_json(&list, output.out)?;
        return Ok(SUCCESS);
    }
    for lesson in &list.lessons {
        let LessonRow {
            lesson: name,
            title,
            rows,
            cols,
            devices,
            ..
        } = lesson;
        writeln!(
            output.out,
            "{name}: {title} ({rows}x{cols}; {})",
            devices.join(" or ")
        )?;
        let mut table = Table::new("", &["", "", ""]);
        for kernel in &lesson.kernels {
            let wrong = if kernel.wrong_on_purpose {
                "wrong on purpose: "
            } else {
                ""
            };
            table.row([
                String::new(),
                kernel.kernel.to_owned(),
                format!("{wrong}{}", kernel.about),
            ]);
        }
        let text = table.to_text();
        write!(
            output.out,
            "{}",
            text.lines().skip(1).map(|l| format!("{l}\n")).collect::<String>()
        )?;
    }
    let names: Vec<_> = list.examples.iter().map(|e| e.example).collect();
    writeln!(output.out, "examples (need a GPU): {}", names.join(", "))?;
    Ok(SUCCESS)
}
