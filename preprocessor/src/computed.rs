//! Figures from crate `warpwise`: computed now, or recorded as evidence.

use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

use warpwise::args::Args;
use warpwise::evidence::Archive;
use warpwise::figures::Figures;
use warpwise::kernels::Shape;
use warpwise::table::Table;
use warpwise::{cli, drawing};

use crate::source::{Example, Source, SourceError};

/// Answers directives by calling crate `warpwise` in this process. Each kernel runs once a shape.
pub struct Computed {
    /// Where the files are that a command on a page names.
    root: PathBuf,
    figures: Figures,
    /// What is wrong with the evidence. It only stops chapters that show some.
    trouble: Option<SourceError>,
    /// Of code and evidence; none where there is no evidence at all.
    version: Option<u64>,
}

impl Computed {
    /// A source for the book at `root`, with the evidence in its folder `evidence`.
    pub fn new(root: impl AsRef<Path>) -> Self {
        let root = root.as_ref();
        let (archive, trouble) = match Archive::load(&root.join("evidence")) {
            Ok(archive) => (archive, None),
            Err(error) => {
                // A path from the root is what everything else here names.
                let inside = format!("{}{}", root.display(), std::path::MAIN_SEPARATOR);
                (
                    Archive::default(),
                    Some(SourceError(error.to_string().replace(&inside, ""))),
                )
            }
        };
        Computed {
            root: root.to_owned(),
            figures: Figures::new(archive),
            trouble,
            version: version(&root.join("evidence")).ok(),
        }
    }

    /// The figures, if the evidence behind them is whole.
    fn recorded(&self) -> Result<&Figures, SourceError> {
        self.trouble.clone().map_or(Ok(&self.figures), Err)
    }
}

/// One number for the code that answers and for the evidence it answers from.
fn version(evidence: &Path) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    env!("WARPWISE_COMPUTED_BY").hash(&mut hasher);
    let mut folders = vec![evidence.to_path_buf()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { &mut folders } else { &mut files }.push(path);
        }
    }
    files.sort();
    for file in files {
        fs::read(file)?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

fn refused(error: impl Display) -> SourceError {
    SourceError(error.to_string())
}

/// Why a command does not belong on a page: it must print the same on every machine.
fn differs(args: &[String]) -> Option<&'static str> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let on_machine =
        words.windows(2).any(|pair| pair == ["--device", "machine"]) || words.contains(&"--device=machine");
    match words.first() {
        Some(&("list" | "order" | "trace" | "verify")) => None,
        // Storage runs on the CPU model everywhere.
        Some(&"run") if words.get(1) == Some(&"storage") || on_machine => None,
        Some(&"run") => Some("it takes the GPU where there is one; write --device machine"),
        _ => Some("it is not the same on every machine; show its evidence instead"),
    }
}

impl Source for Computed {
    fn version(&self) -> Option<u64> {
        self.version
    }

    fn run(&self, args: &[String]) -> Result<String, SourceError> {
        let command = format!("warpwise {}", args.join(" "));
        if let Some(why) = differs(args) {
            return Err(SourceError(format!("`{command}` can not stand on a page: {why}")));
        }
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = cli::run_in(&self.root, args, &mut out, &mut err);
        if code != cli::SUCCESS {
            let said = String::from_utf8_lossy(&err);
            return Err(SourceError(format!(
                "`{command}` ended with exit code {code}: {}",
                said.trim()
            )));
        }
        String::from_utf8(out).map_err(refused)
    }

    fn value(&self, name: &str, args: &Args) -> Result<String, SourceError> {
        self.figures.value(name, args).map_err(refused)
    }

    fn table(&self, name: &str, args: &Args) -> Result<Table, SourceError> {
        self.figures.table(name, args).map_err(refused)
    }

    fn evidence(&self, kernel: &str, shape: Shape, field: &str) -> Result<String, SourceError> {
        self.recorded()?.evidence(kernel, shape, field).map_err(refused)
    }

    fn device(&self) -> Result<String, SourceError> {
        self.recorded()?.device().map_err(refused)
    }

    fn evidence_table(&self, lesson: &str, shape: Shape) -> Result<Table, SourceError> {
        self.recorded()?.evidence_table(lesson, shape).map_err(refused)
    }

    fn predictions(&self, lesson: &str, beyond: bool) -> Result<Table, SourceError> {
        let figures = self.recorded()?;
        let table = if beyond {
            figures.beyond(lesson)
        } else {
            figures.predictions(lesson)
        };
        table.map_err(refused)
    }

    fn sanitizer(&self, kernel: &str) -> Result<String, SourceError> {
        let report = self.recorded()?.sanitizer(kernel).map_err(refused)?;
        Ok(report.join("\n"))
    }

    fn lines(&self, kernel: &str, shape: Shape) -> Result<Table, SourceError> {
        self.figures.lines(kernel, shape).map_err(refused)
    }

    fn example(&self, name: &str) -> Result<Example, SourceError> {
        let printed = self.recorded()?.printed(name).map_err(refused)?;
        Ok(Example {
            path: PathBuf::from(format!("code/examples/{name}.rs")),
            stdout: printed.stdout,
            device: printed.device,
            recorded: printed.recorded,
        })
    }

    fn figure(&self, name: &str, args: &Args) -> Result<String, SourceError> {
        drawing::draw(name, args).map_err(refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(command: &str) -> Result<String, SourceError> {
        let args: Vec<String> = command.split(' ').map(str::to_string).collect();
        Computed::new("no/such/folder").run(&args)
    }

    #[test]
    fn commands_run_in_this_process() {
        assert_eq!(run("order zigzag --rows 2 --cols 2").as_deref(), Ok("0 1 2 3\n"));
        assert!(run("order zigzag --rows 2")
            .unwrap_err()
            .0
            .contains("exit code 2: warpwise: "));
    }

    #[test]
    fn files_are_seen_from_the_books_root() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("kernels")).unwrap();
        let ptx = root.path().join("kernels/grid.ptx");
        fs::write(ptx, warpwise::source::GRID.ptx).unwrap();
        fs::write(root.path().join("values.txt"), "1 2").unwrap();
        let command = "trace kernels/grid.ptx --kernel grid_fill --grid 1 --block 2 \
                       --arg in:u32:@values.txt --arg u64:1 --arg u64:2";
        let args: Vec<String> = command.split_whitespace().map(str::to_string).collect();
        let said = Computed::new(root.path()).run(&args).unwrap();
        assert!(said.contains("grid.cu line"), "{said}");
    }

    #[test]
    fn only_commands_that_print_the_same_everywhere() {
        assert!(run("run transpose")
            .unwrap_err()
            .0
            .contains("write --device machine"));
        assert!(run("run transpose --device gpu")
            .unwrap_err()
            .0
            .contains("write --device machine"));
        assert!(run("record").unwrap_err().0.contains("show its evidence"));
        assert_eq!(differs(&["run".into(), "storage".into()]), None);
    }
}
