//! The child process, and its questions and answers. `sim/emulator/rig/README.md` lists them.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread::{self, JoinHandle},
};

use serde_json::{Value, json};

use crate::Error;

/// The version of the rig's requests and answers that this side speaks.
const PROTOCOL: u64 = 1;

/// Where the rig is, and what runs it.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The program that runs JavaScript.
    pub node: String,
    /// The folder with `rig.js` and its packages.
    pub folder: PathBuf,
    /// Leave every instruction to rp2040js, which takes longer: to check the rig against it.
    pub stock_core: bool,
}

impl Default for Setup {
    /// The rig of this repository, run by the `node` that a shell would find.
    fn default() -> Self {
        Self {
            node: "node".to_owned(),
            folder: PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/rig")),
            stock_core: false,
        }
    }
}

impl Setup {
    /// Fails unless the package that the rig needs is there, in the version it was made for.
    fn check(&self) -> Result<(), Error> {
        let version = |path: PathBuf, field: &[&str]| {
            let text = fs::read_to_string(path).ok()?;
            let json: Value = serde_json::from_str(&text).ok()?;
            let value = field.iter().fold(&json, |json, name| &json[*name]);
            value.as_str().map(str::to_owned)
        };
        let wanted = version(
            self.folder.join("package.json"),
            &["dependencies", "rp2040js"],
        );
        let package = self.folder.join("node_modules/rp2040js/package.json");
        if wanted.is_none() || version(package, &["version"]) != wanted {
            return Err(Error::NoPackage {
                folder: self.folder.clone(),
                wanted: wanted.unwrap_or_default(),
            });
        }
        Ok(())
    }
}

/// The running rig. It ends when this is dropped.
pub(crate) struct Rig {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// What the rig writes to standard error, once it has ended.
    complaints: Option<JoinHandle<String>>,
}

impl Rig {
    pub fn start(setup: &Setup) -> Result<Self, Error> {
        setup.check()?;
        let mut child = Command::new(&setup.node)
            .arg(setup.folder.join("rig.js"))
            .args(setup.stock_core.then_some("--stock-core"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|cause| Error::NoNode {
                command: setup.node.clone(),
                cause,
            })?;
        let (Some(requests), Some(answers), Some(mut stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Error::Ended {
                how: ": it has no pipes".to_owned(),
            });
        };
        let complaints = thread::spawn(move || {
            let mut text = Vec::new();
            // What was read up to an error is still worth telling.
            let _ = stderr.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut rig = Self {
            child,
            requests,
            answers: BufReader::new(answers),
            complaints: Some(complaints),
        };
        let hello = rig.ask(json!({ "do": "hello" }))?;
        if hello["protocol"].as_u64() != Some(PROTOCOL) {
            return Err(Error::Answer(format!("protocol {}", hello["protocol"])));
        }
        Ok(rig)
    }

    /// One request, one answer.
    pub fn ask(&mut self, request: Value) -> Result<Value, Error> {
        let sent = writeln!(self.requests, "{request}").and_then(|()| self.requests.flush());
        let mut line = String::new();
        if sent.is_err() || !matches!(self.answers.read_line(&mut line), Ok(1..)) {
            return Err(self.ended());
        }
        let mut answer: Value =
            serde_json::from_str(&line).map_err(|error| Error::Answer(error.to_string()))?;
        match answer["error"].take() {
            Value::String(error) => Err(Error::Refused(error)),
            _ => Ok(answer),
        }
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Why there is no answer: the status, and the last words.
    fn ended(&mut self) -> Error {
        // It may only have closed its output.
        let _ = self.child.kill();
        let mut how = match self.child.wait() {
            Ok(status) => format!(": {status}"),
            Err(error) => format!(": {error}"),
        };
        let complaints = self.complaints.take().and_then(|thread| thread.join().ok());
        let text = complaints.unwrap_or_default();
        let error = text.lines().find(|line| line.contains("Error"));
        if let Some(error) = error.or_else(|| text.lines().last()) {
            how = format!("{how}: {}", error.trim());
        }
        Error::Ended { how }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        // Already ended is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
