//! Child process of the emulator. `sim/emulator/rig/README.md` lists its requests.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread::{self, JoinHandle},
};

use serde_json::{Value, json};

use crate::Error;

/// Version of the request protocol.
const PROTOCOL: u64 = 1;

/// Robot around the chip: what is connected to its pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Board {
    /// Pololu Zumo 2040.
    #[default]
    Zumo2040,
    /// Pico with two H-bridges and three analogue distance sensors.
    Pico,
}

/// Location of the rig and its interpreter.
#[derive(Clone, Debug)]
pub struct Setup {
    /// JavaScript runtime.
    pub node: String,
    /// Folder with `rig.js` and its packages.
    pub folder: PathBuf,
    /// Robot around the chip.
    pub board: Board,
    /// Runs every instruction in rp2040js, which is slower: to check the rig against it.
    pub stock_core: bool,
}

impl Default for Setup {
    /// Rig of this repository, run by `node` from the search path.
    fn default() -> Self {
        Self {
            node: "node".to_owned(),
            folder: PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/rig")),
            board: Board::Zumo2040,
            stock_core: false,
        }
    }
}

impl Setup {
    /// Checks that the required package is installed in the right version.
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

/// Running rig; ends when dropped.
pub(crate) struct Rig {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Standard error of the rig, once it has ended.
    stderr: Option<JoinHandle<String>>,
}

impl Rig {
    pub fn start(setup: &Setup) -> Result<Self, Error> {
        setup.check()?;
        let mut child = Command::new(&setup.node)
            .arg(setup.folder.join("rig.js"))
            .args(setup.stock_core.then_some("--stock-core"))
            .args((setup.board == Board::Pico).then_some("--pico"))
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
        let stderr = thread::spawn(move || {
            let mut text = Vec::new();
            // What was read up to an error is still worth telling.
            let _ = stderr.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut rig = Self {
            child,
            requests,
            answers: BufReader::new(answers),
            stderr: Some(stderr),
        };
        let hello = rig.ask(json!({ "do": "hello" }))?;
        if hello["protocol"].as_u64() != Some(PROTOCOL) {
            return Err(Error::Answer(format!("protocol {}", hello["protocol"])));
        }
        Ok(rig)
    }

    /// Sends a request and returns its answer.
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

    /// Sends a request whose answer says no more than that it is done.
    pub fn tell(&mut self, request: Value) -> Result<(), Error> {
        self.ask(request).map(drop)
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Error after the rig has ended: its status and last message.
    fn ended(&mut self) -> Error {
        // It may only have closed its output.
        let _ = self.child.kill();
        let mut how = match self.child.wait() {
            Ok(status) => format!(": {status}"),
            Err(error) => format!(": {error}"),
        };
        let stderr = self.stderr.take().and_then(|thread| thread.join().ok());
        let text = stderr.unwrap_or_default();
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
