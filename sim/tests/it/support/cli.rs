//! The program `sim`, as people and scripts run it.

use std::{ffi::OsStr, fs, path::Path};

use assert_cmd::{Command, cargo::cargo_bin_cmd};
use serde_json::Value;
use tempfile::TempDir;

/// A call of `sim`.
pub struct Sim(pub Command);

/// A call with these words, separated by spaces.
pub fn sim(words: &str) -> Sim {
    Sim(cargo_bin_cmd!("sim")).words(words)
}

impl Sim {
    /// Adds words, separated by spaces.
    pub fn words(mut self, words: &str) -> Self {
        self.0.args(words.split_whitespace());
        self
    }

    /// Adds a word that may hold spaces.
    pub fn arg(mut self, word: impl AsRef<OsStr>) -> Self {
        self.0.arg(word);
        self
    }

    /// Gives it standard input.
    pub fn stdin(mut self, bytes: &[u8]) -> Self {
        self.0.write_stdin(bytes);
        self
    }

    /// Runs in a folder.
    pub fn within(mut self, folder: impl AsRef<Path>) -> Self {
        self.0.current_dir(folder);
        self
    }

    /// Runs, expecting an exit code, and returns standard output and standard error.
    pub fn exits(mut self, code: i32) -> (String, String) {
        let output = self.0.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{:?}: {out}{err}", self.0);
        (out, err)
    }

    /// Runs, expecting success and nothing on standard error, and returns standard output.
    pub fn text(self) -> String {
        let (out, err) = self.exits(0);
        assert_eq!(err, "", "{out}");
        out
    }

    /// The JSON objects printed, one per line.
    pub fn objects(self) -> Vec<Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap();
        self.text().lines().map(parse).collect()
    }

    /// The one JSON object printed.
    pub fn object(self) -> Value {
        let [object] = self.objects().try_into().unwrap();
        object
    }

    /// Runs, expecting the failure `code` with one line on standard error, and returns that line.
    pub fn fails(self, code: i32) -> String {
        let (out, err) = self.exits(code);
        assert!(out.is_empty() && err.starts_with("error: "), "{out}{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
        err
    }

    /// The one line of complaint about bad input.
    pub fn complaint(self) -> String {
        self.fails(2)
    }
}

/// A folder with these files.
pub fn folder(files: &[(&str, impl AsRef<[u8]>)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// The names of an object's fields, sorted.
pub fn fields(object: &Value) -> Vec<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// Words, sorted.
pub fn sorted(words: &str) -> Vec<&str> {
    let mut words: Vec<&str> = words.split_whitespace().collect();
    words.sort_unstable();
    words
}
