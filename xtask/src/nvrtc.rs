//! NVIDIA's run-time compiler, from the package that NVIDIA publishes on PyPI: no CUDA toolkit, no GPU.

// Calls into a C library can not be checked by the compiler. This is the only module that makes any; each says why
// it is sound. The library and its signatures are pinned by `PACKAGE`.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};

use anyhow::{bail, Context, Result};
use libloading::Library;

/// The oldest release that serves: it writes PTX 7.7, which drivers from 515 on accept.
const PACKAGE: &str = "nvidia-cuda-nvrtc-cu11==11.7.99";

/// The compiler, loaded. `_builtins` has to stay loaded as long as it.
pub struct Nvrtc {
    library: Library,
    _builtins: Library,
}

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Get = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;

impl Nvrtc {
    /// Loads the compiler from `folder`, and has pip fetch it there first if need be.
    ///
    /// # Errors
    /// A system that NVIDIA publishes no package for, no pip, or no network.
    pub fn fetch(folder: &Path) -> Result<Nvrtc> {
        let libraries = folder.join(PACKAGE.replace("==", "-"));
        let find = |word: &str| library(&libraries, word);
        if find("builtins").is_none() {
            if !cfg!(any(target_os = "linux", windows)) {
                bail!("NVIDIA publishes {PACKAGE} for Linux and Windows only; compile the kernels there, or in a container");
            }
            pip(&libraries)?;
        }
        let (Some(builtins), Some(compiler)) = (find("builtins"), find("compiler")) else {
            bail!(
                "{PACKAGE} holds no NVRTC for this system; delete {} and try again",
                folder.display()
            );
        };
        // SAFETY: both are NVIDIA's own libraries, whose initialisers have no demands. The compiler asks the loader for
        // its builtins by bare name, and gets them because they are loaded already, for all to see.
        unsafe {
            Ok(Nvrtc {
                _builtins: open(&builtins)?,
                library: open(&compiler)?,
            })
        }
    }

    /// Compiles CUDA C to PTX with line information. `name` is what `.file` says.
    ///
    /// # Errors
    /// What the compiler says of the source.
    pub fn compile(&self, source: &str, name: &str, architecture: &str) -> Result<String> {
        let (source, name) = (CString::new(source)?, CString::new(name)?);
        let options = [
            format!("--gpu-architecture={architecture}"),
            "--generate-line-info".to_string(),
        ];
        let options = options
            .into_iter()
            .map(CString::new)
            .collect::<Result<Vec<_>, _>>()?;
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the types are those of nvrtc.h, every pointer outlives its call, buffers are as long as the library
        // said, and the program is destroyed once, after its last use.
        unsafe {
            let create = self.library.get::<Create>(b"nvrtcCreateProgram\0")?;
            let compile = self.library.get::<Compile>(b"nvrtcCompileProgram\0")?;
            let destroy = self.library.get::<Destroy>(b"nvrtcDestroyProgram\0")?;
            let mut program: Program = null_mut();
            if create(&mut program, source.as_ptr(), name.as_ptr(), 0, null(), null()) != 0 {
                bail!("NVRTC did not take the source");
            }
            let failed = compile(program, options.len() as c_int, options.as_ptr()) != 0;
            let log = self.text(program, b"nvrtcGetProgramLogSize\0", b"nvrtcGetProgramLog\0");
            let ptx = self.text(program, b"nvrtcGetPTXSize\0", b"nvrtcGetPTX\0");
            destroy(&mut program);
            // Warnings count: a kernel of this book compiles without any.
            match log?.trim() {
                "" if !failed => ptx,
                log => bail!("{log}"),
            }
        }
    }

    /// Asks for a text of `program` in the library's two steps.
    ///
    /// # Safety
    /// `program` is alive, and the two names belong to functions of types `Size` and `Get`.
    unsafe fn text(&self, program: Program, size: &[u8], get: &[u8]) -> Result<String> {
        let mut bytes = 0;
        let code = self.library.get::<Size>(size)?(program, &mut bytes);
        // Never empty: a text ends with a NUL, also where there is none.
        let mut buffer = vec![0u8; bytes.max(1)];
        if code != 0 || self.library.get::<Get>(get)?(program, buffer.as_mut_ptr().cast()) != 0 {
            return Ok(String::new());
        }
        Ok(CStr::from_bytes_until_nul(&buffer)?.to_str()?.to_string())
    }
}

/// Loads a library so that others find its symbols.
///
/// # Safety
/// Its initialisers must be sound to run.
unsafe fn open(path: &Path) -> Result<Library> {
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
        let library = Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL);
        Ok(library.with_context(|| path.display().to_string())?.into())
    }
    #[cfg(not(unix))]
    Ok(Library::new(path).with_context(|| path.display().to_string())?)
}

/// The library in the unpacked package: its builtins, or the compiler itself.
fn library(libraries: &Path, which: &str) -> Option<PathBuf> {
    let inside = libraries.join("nvidia").join("cuda_nvrtc");
    let entries =
        ["lib", "bin"].map(|folder| fs::read_dir(inside.join(folder)).into_iter().flatten().flatten());
    let mut found: Vec<PathBuf> = entries.into_iter().flatten().map(|entry| entry.path()).collect();
    found.retain(|path| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let nvrtc = name.starts_with("libnvrtc") || name.starts_with("nvrtc") && name.ends_with(".dll");
        nvrtc && name.contains("builtins") == (which == "builtins")
    });
    found.sort();
    found.into_iter().next()
}

fn pip(folder: &Path) -> Result<()> {
    eprintln!("fetching {PACKAGE} with pip");
    let arguments = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--disable-pip-version-check",
        "--target",
    ];
    for python in ["python3", "python"] {
        let run = Command::new(python)
            .args(arguments)
            .arg(folder)
            .arg(PACKAGE)
            .status();
        match run {
            Ok(status) if status.success() => return Ok(()),
            Ok(_) => bail!("pip could not fetch {PACKAGE}; see above"),
            Err(_) => continue,
        }
    }
    bail!("no Python was found; install Python 3 with pip, which fetches {PACKAGE}")
}
