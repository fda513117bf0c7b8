//! Compilers for C and an emulator of Cortex-M cores, and how set-up gets them.

use std::{ffi::OsStr, iter, process::Command};

use anyhow::{Context, Result, ensure};

use crate::cargo::{root, tool};

/// A program that comes with a distribution.
pub struct Program {
    /// As it is called.
    pub name: &'static str,
    /// Packages of Debian and Ubuntu.
    packages: &'static [&'static str],
    /// A file of another package that it must find, as compilers name it; empty if there is none.
    library: &'static str,
    /// The task that is left out without it.
    task: &'static str,
}

pub const CC: Program = Program {
    name: "cc",
    packages: &["gcc"],
    library: "",
    task: "the C library on the host",
};
pub const CXX: Program = Program {
    name: "c++",
    packages: &["g++"],
    library: "",
    task: "the C library in C++ programs",
};
pub const ARM_GCC: Program = Program {
    name: "arm-none-eabi-gcc",
    packages: &[
        "gcc-arm-none-eabi",
        "libnewlib-arm-none-eabi",
        "libstdc++-arm-none-eabi-newlib",
    ],
    library: "rdimon.specs",
    task: "the C library in C programs for Cortex-M",
};
pub const ARM_GXX: Program = Program {
    name: "arm-none-eabi-g++",
    library: "libstdc++.a",
    task: "the C library in C++ programs for Cortex-M",
    ..ARM_GCC
};
pub const QEMU: Program = Program {
    name: "qemu-system-arm",
    packages: &["qemu-system-arm"],
    library: "",
    task: "the C library on emulated Cortex-M cores",
};

const ALL: [Program; 5] = [CC, CXX, ARM_GCC, ARM_GXX, QEMU];

/// Installs what is missing with apt where that needs no password; otherwise says what to type and what is left out.
pub fn setup() {
    for program in ALL.iter().filter(|program| !program.is_present()) {
        if is_root() && tool("apt-get", "--version").succeeds() {
            program.install();
        }
    }
    for program in &ALL {
        match program.is_present() {
            true => println!("{}: installed", program.name),
            false => println!("{}", program.advice()),
        }
    }
}

impl Program {
    /// Returns whether it can be started and finds its library.
    fn is_present(&self) -> bool {
        if self.library.is_empty() {
            return tool(self.name, "--version").succeeds();
        }
        // A compiler prints the name alone if it does not find the file.
        let found = tool(self.name, format!("-print-file-name={}", self.library)).output();
        found.is_some_and(|path| path != self.library)
    }

    /// The same; says what is left out if not.
    pub fn is_present_or_skipped(&self) -> bool {
        let is_present = self.is_present();
        if !is_present {
            println!("skipped: {}", self.advice());
        }
        is_present
    }

    fn advice(&self) -> String {
        format!(
            "{} is missing, so there are no checks of {}; to install it (Debian, Ubuntu): sudo apt install {}",
            self.name,
            self.task,
            self.packages.join(" ")
        )
    }

    /// Failure is reported by the caller, which looks for the program again.
    fn install(&self) {
        let packages = self.packages.join(" ");
        let install = tool(
            "apt-get",
            format!("install --yes --quiet --no-install-recommends {packages}"),
        );
        if install.run().is_err() && tool("apt-get", "update --quiet").run().is_ok() {
            let _ = install.run();
        }
    }

    /// A command that starts it.
    pub fn command(&self) -> Command {
        Command::new(self.name)
    }
}

/// Runs a command in the root of the workspace; returns its standard output, or fails with all that it printed.
pub fn run(command: &mut Command) -> Result<String> {
    let words: Vec<_> = iter::once(command.get_program())
        .chain(command.get_args())
        .collect();
    let line = words.join(OsStr::new(" "));
    let line = line.display();
    println!("$ {line}");
    let output = command.current_dir(root()).output();
    let output = output.with_context(|| format!("cannot start {line}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(
        output.status.success(),
        "{line}: {}\n{}{}",
        output.status,
        last_lines(&stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(stdout)
}

/// The end of a long output, where the failure is.
fn last_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    let mut end = lines[lines.len().saturating_sub(20)..].join("\n");
    end.push('\n');
    end
}

fn is_root() -> bool {
    tool("id", "-u").output().as_deref() == Some("0")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MISSING: Program = Program {
        name: "no-such-compiler",
        packages: &["one", "two"],
        library: "",
        task: "a test",
    };

    #[test]
    fn missing_program_is_reported_with_what_to_type() {
        assert!(!MISSING.is_present_or_skipped());
        let advice = MISSING.advice();
        assert!(advice.ends_with("sudo apt install one two"), "{advice}");
    }

    #[test]
    fn compiler_without_its_library_is_missing() {
        let library = "no-such-file.specs";
        assert!(!Program { library, ..CC }.is_present());
    }

    #[test]
    fn failure_carries_what_the_program_printed() {
        let rustc = |option| run(Command::new("rustc").arg(option));
        let error = rustc("--no-such-option").unwrap_err().to_string();
        assert!(error.contains("no-such-option"), "{error}");
        assert!(rustc("--version").unwrap().starts_with("rustc"));
    }
}
