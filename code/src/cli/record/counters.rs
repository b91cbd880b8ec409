//! Hardware counters through ncu.

use super::tools;
use crate::kernels::{KernelSpec, Shape};
use crate::plan::Plan;
use anyhow::{bail, ensure, Context, Result};
use std::collections::BTreeMap;
use std::process::Command;

/// A metric of ncu and the name that evidence gives it. The first six are what the machine predicts; the others
/// explain times.
const METRICS: [(&str, &str); 15] = [
    (
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "global_load_requests",
    ),
    (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "global_load_sectors",
    ),
    (
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        "global_store_requests",
    ),
    (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "global_store_sectors",
    ),
    (
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "shared_load_wavefronts",
    ),
    (
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "shared_store_wavefronts",
    ),
    (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
        "l1_load_sector_hits",
    ),
    ("lts__t_sectors_op_read.sum", "l2_read_sectors"),
    ("lts__t_sectors_op_write.sum", "l2_write_sectors"),
    (
        "lts__t_sectors_op_write_lookup_miss.sum",
        "l2_write_sector_misses",
    ),
    ("dram__bytes_read.sum", "dram_read_bytes"),
    ("dram__bytes_write.sum", "dram_write_bytes"),
    ("smsp__inst_executed.sum", "warp_instructions"),
    ("sm__cycles_active.sum", "active_cycles"),
    ("sm__warps_active.sum", "active_warp_cycles"),
];

/// The counters of one run, summed over its launches.
pub(super) struct Counted {
    pub(super) plan: Plan,
    pub(super) counters: BTreeMap<String, u64>,
}

/// Returns the counters of each kernel on its shape, or `None` where ncu is not installed.
pub(super) fn count(wanted: &[(&'static KernelSpec, Shape)]) -> Result<Option<Vec<Counted>>> {
    let Some(ncu) = tools::tool("ncu") else {
        return Ok(None);
    };
    let metrics: Vec<&str> = METRICS.iter().map(|m| m.0).collect();
    let ran = Command::new(ncu)
        .args([
            "--clock-control",
            "none",
            "--csv",
            "--print-units",
            "base",
            "--metrics",
            &metrics.join(","),
        ])
        .arg(tools::this_program().get_program())
        .arg("launch")
        .args(
            wanted
                .iter()
                .map(|(kernel, shape)| format!("{}:{shape}", kernel.name)),
        )
        .output()
        .context("running ncu")?;
    let text = String::from_utf8_lossy(&ran.stdout);
    if !ran.status.success() {
        let errors = text
            .lines()
            .filter(|l| l.starts_with("==ERROR=="))
            .collect::<Vec<_>>()
            .join(" ");
        bail!(
            "ncu could not count: {errors} {}; see its output, or record with --no-counters",
            String::from_utf8_lossy(&ran.stderr).trim()
        );
    }
    let mut launches = parse(&text)?.into_iter();
    let mut all = Vec::new();
    for &(kernel, shape) in wanted {
        let plan = Plan::new(kernel, shape, None, true)?;
        let mut counters = BTreeMap::new();
        for _ in plan.steps() {
            let launch = launches
                .next()
                .context("ncu saw fewer launches than there were")?;
            ensure!(
                launch.kernel == kernel.name,
                "ncu saw {} where {} was launched",
                launch.kernel,
                kernel.name
            );
            for (name, value) in launch.values {
                *counters.entry(name).or_insert(0) += value;
            }
        }
        all.push(Counted { plan, counters });
    }
    ensure!(launches.next().is_none(), "ncu saw more launches than there were");
    Ok(Some(all))
}

#[derive(Debug, PartialEq)]
struct Launch {
    kernel: String,
    values: Vec<(String, u64)>,
}

/// Reads ncu's CSV: one line a launch and metric, launches in order, after whatever else it printed.
fn parse(text: &str) -> Result<Vec<Launch>> {
    let start = text
        .find("\"ID\"")
        .context("ncu printed no table; run it by hand to see why")?;
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(&text.as_bytes()[start..]);
    let heads = reader.headers().context("reading ncu's table")?.clone();
    let column = |name: &str| {
        heads
            .iter()
            .position(|h| h == name)
            .with_context(|| format!("ncu's table has no {name}"))
    };
    let columns = [
        column("ID")?,
        column("Kernel Name")?,
        column("Metric Name")?,
        column("Metric Value")?,
    ];
    let mut launches: Vec<(String, Launch)> = Vec::new();
    for line in reader.records() {
        let line = line.context("reading ncu's table")?;
        let [Some(id), Some(kernel), Some(metric), Some(value)] = columns.map(|i| line.get(i)) else {
            continue;
        };
        let Some((_, name)) = METRICS.iter().find(|(m, _)| *m == metric) else {
            continue;
        };
        if launches.last().is_none_or(|(last, _)| last != id) {
            let kernel = kernel.split('(').next().unwrap_or(kernel).to_owned();
            launches.push((
                id.to_owned(),
                Launch {
                    kernel,
                    values: Vec::new(),
                },
            ));
        }
        // A metric that this card lacks is "n/a": it is left out, and not taken for zero.
        let value: Option<f64> = value.replace(',', "").parse().ok();
        if let (Some((_, launch)), Some(value)) = (launches.last_mut(), value) {
            launch.values.push(((*name).to_owned(), value.round() as u64));
        }
    }
    Ok(launches.into_iter().map(|(_, launch)| launch).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = r#"==PROF== Connected
"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"
"0","7","copy","Command line","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","","32,768"
"0","7","copy","Command line","dram__bytes_read.sum","byte","n/a"
"0","7","copy","Command line","sm__cycles_active.avg","","1.5"
"1","7","copy(const unsigned int *)","Command line","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","","7"
"#;

    #[test]
    fn launches_are_kept_apart_and_thousands_read() {
        let launches = parse(TABLE).unwrap();
        let launch = |n| Launch {
            kernel: "copy".to_owned(),
            values: vec![("global_load_requests".to_owned(), n)],
        };
        assert_eq!(launches, vec![launch(32_768), launch(7)]);
    }

    #[test]
    fn no_table_is_an_error() {
        assert!(parse("==ERROR== no permission")
            .unwrap_err()
            .to_string()
            .contains("ncu"));
    }

    #[test]
    fn what_the_machine_predicts_comes_first() {
        let names: Vec<_> = METRICS.iter().map(|m| m.1).take(6).collect();
        assert_eq!(names, crate::evidence::PREDICTED);
    }
}
