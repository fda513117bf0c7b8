//! The reviewed file of facts about control flow that an image does not tell: bounds of loops, budgets, what never
//! happens. Each is keyed by the text of a source line, so that it survives edits elsewhere, and has its reason.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result, anyhow, bail, ensure};
use planner_core::rtd::LocalRatio;
use serde::Deserialize;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Values that expressions may use besides `limit` and `local_ratio`; each may use those before it.
    #[serde(default)]
    pub parameter: Vec<Parameter>,
    pub root: Vec<Root>,
    #[serde(default, rename = "loop")]
    pub loops: Vec<LoopFact>,
    #[serde(default)]
    pub budget: Vec<Budget>,
    #[serde(default)]
    pub call: Vec<Call>,
    #[serde(default)]
    pub never: Vec<Never>,
    #[serde(default)]
    pub primitive: Vec<Primitive>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    pub name: String,
    pub value: Value,
    #[expect(dead_code, reason = "for people")]
    pub why: String,
}

/// A function whose time is bounded.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Root {
    pub name: String,
    /// Part of the demangled name.
    pub function: String,
    /// Cycles in which it must end, by limit.
    #[serde(default)]
    pub target: BTreeMap<String, u64>,
}

/// A location in the sources: a file and the text of a line in it, or for sources that are not here its number; or
/// the n-th loop of a function by address, for code without lines.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SourceLocation {
    /// Part of the demangled name of the function in the image: one that the line may be inlined into.
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<LineKey>,
    /// Counts from 1.
    pub nth: Option<usize>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum LineKey {
    Number(u32),
    Text(String),
}

/// A number or an expression.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Number(i64),
    Expression(String),
}

/// A bound of the iterations of a loop, each time it is entered.
#[derive(Clone, Debug, Deserialize)]
pub struct LoopFact {
    #[serde(flatten)]
    pub location: SourceLocation,
    /// Without, its iterations are charged to budgets.
    pub at_most: Option<Value>,
    #[expect(dead_code, reason = "for people")]
    pub why: String,
}

/// A number of units that several loops share.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    pub name: String,
    pub at_most: Value,
    /// The function that has the budget for each of its calls; without, the root has it.
    pub scope: Option<String>,
    pub charge: Vec<Charge>,
    #[expect(dead_code, reason = "for people")]
    pub why: String,
}

/// Units that a line is charged each time that its branch, call or store is executed.
#[derive(Clone, Debug, Deserialize)]
pub struct Charge {
    #[serde(flatten)]
    pub location: SourceLocation,
    pub by: By,
    #[serde(default)]
    pub units: i64,
    /// Instructions that must be found in each function that has any; 1 unless told, 0 for any number: the compiler
    /// may make several of one. It is then checked that no path is charged by two of them for one.
    pub marks: Option<usize>,
    /// A line that is inlined at that line, and that the store is of.
    pub of: Option<SourceLocation>,
}

/// The instruction that marks the execution of a line: one that no compiler executes ahead of time.
///
/// A branch counts when it stays in the loop that it is in, so that a test that fails and leaves is not charged.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    Branch,
    Call,
    Store,
    /// Each further iteration of the loop at that line.
    Loop,
    /// The entry of the function.
    Entry,
}

/// Values of parameters in a called function.
#[derive(Clone, Debug, Deserialize)]
pub struct Call {
    #[serde(flatten)]
    pub location: SourceLocation,
    /// Part of the demangled name.
    pub to: String,
    pub set: BTreeMap<String, Value>,
    #[expect(dead_code, reason = "for people")]
    pub why: String,
}

/// A line that is never executed, by a branch, call or store; or a function that is never called.
#[derive(Clone, Debug, Deserialize)]
pub struct Never {
    #[serde(flatten)]
    pub location: SourceLocation,
    pub by: By,
    #[expect(dead_code, reason = "for people")]
    pub why: String,
}

/// A part of a root with a bound of its own.
#[derive(Clone, Debug, Deserialize)]
pub struct Primitive {
    pub name: String,
    /// A function, or else an iteration of the loop at `location`.
    pub function_only: Option<String>,
    #[serde(flatten)]
    pub location: SourceLocation,
    /// Lines of which an iteration executes one.
    #[serde(default)]
    pub via: Vec<Charge>,
}

impl File {
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }

    /// The values of all parameters for a limit.
    pub fn parameters(&self, limit: u32) -> Result<BTreeMap<String, i64>> {
        let mut values = BTreeMap::from([
            ("limit".to_owned(), i64::from(limit)),
            ("local_ratio".to_owned(), LocalRatio::PRESET_PERCENT.into()),
        ]);
        for parameter in &self.parameter {
            let value = parameter.value.evaluate(&values)?;
            values.insert(parameter.name.clone(), value);
        }
        Ok(values)
    }
}

impl SourceLocation {
    /// The numbers of its line in the sources below `root`. Fails if there is none: the fact is out of date.
    pub fn lines(&self, root: &Path) -> Result<Vec<u32>> {
        let (Some(file), Some(line)) = (&self.file, &self.line) else {
            return Ok(Vec::new());
        };
        let text = match line {
            LineKey::Number(number) => return Ok(vec![*number]),
            LineKey::Text(text) => text,
        };
        let path = root.join(file);
        let source = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let lines: Vec<u32> = source
            .lines()
            .zip(1..)
            .filter(|(line, _)| line.trim() == text.trim())
            .map(|(_, number)| number)
            .collect();
        ensure!(!lines.is_empty(), "{file} has no line `{}`", text.trim());
        Ok(lines)
    }
}

impl std::fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(file) = &self.file {
            match &self.line {
                Some(LineKey::Number(number)) => write!(f, "{file}:{number}")?,
                Some(LineKey::Text(text)) => write!(f, "{file}, `{}`", text.trim())?,
                None => write!(f, "{file}")?,
            }
        }
        if let Some(function) = &self.function {
            write!(f, " in {function}")?;
        }
        self.nth.map_or(Ok(()), |nth| write!(f, " loop {nth}"))
    }
}

impl Value {
    pub fn evaluate(&self, parameters: &BTreeMap<String, i64>) -> Result<i64> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Expression(text) => {
                let mut parser = Parser {
                    rest: text,
                    parameters,
                };
                let value = parser.sum().with_context(|| format!("`{text}`"))?;
                ensure!(
                    parser.rest.trim().is_empty(),
                    "`{text}`: what is `{}`?",
                    parser.rest
                );
                Ok(value)
            }
        }
    }
}

/// Sums, products and quotients of whole numbers and parameters, and `min(a, b)` and `max(a, b)`. Quotients are
/// rounded up.
struct Parser<'a> {
    rest: &'a str,
    parameters: &'a BTreeMap<String, i64>,
}

impl Parser<'_> {
    fn next_is(&mut self, symbol: char) -> bool {
        match self.rest.trim_start().strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, symbol: char) -> Result<()> {
        ensure!(
            self.next_is(symbol),
            "`{symbol}` is missing before `{}`",
            self.rest
        );
        Ok(())
    }

    fn sum(&mut self) -> Result<i64> {
        let mut value = self.product()?;
        loop {
            if self.next_is('+') {
                value += self.product()?;
            } else if self.next_is('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<i64> {
        let mut value = self.factor()?;
        loop {
            if self.next_is('*') {
                value *= self.factor()?;
            } else if self.next_is('/') {
                let by = self.factor()?;
                ensure!(by > 0, "a division by {by}");
                value = value.div_euclid(by) + i64::from(value.rem_euclid(by) > 0);
            } else {
                return Ok(value);
            }
        }
    }

    fn factor(&mut self) -> Result<i64> {
        if self.next_is('(') {
            let value = self.sum()?;
            self.expect(')')?;
            return Ok(value);
        }
        let text = self.rest.trim_start();
        let end = text
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        if let Ok(number) = word.parse() {
            return Ok(number);
        }
        if word == "min" || word == "max" {
            self.expect('(')?;
            let first = self.sum()?;
            self.expect(',')?;
            let second = self.sum()?;
            self.expect(')')?;
            return Ok(if word == "min" {
                first.min(second)
            } else {
                first.max(second)
            });
        }
        if word.is_empty() {
            bail!("a value is missing before `{rest}`");
        }
        let value = self.parameters.get(word).copied();
        value.ok_or_else(|| anyhow!("`{word}` has no value here"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<i64> {
        let parameters = BTreeMap::from([("limit".to_owned(), 30)]);
        Value::Expression(text.to_owned()).evaluate(&parameters)
    }

    #[test]
    fn expressions_are_of_whole_numbers_and_round_up() {
        assert_eq!(value("4 * limit + 1").unwrap(), 121);
        assert_eq!(value("limit / 4 - (2 + 1)").unwrap(), 5);
        assert_eq!(value("max(8, limit) * min(2, 3)").unwrap(), 60);
        for wrong in ["", "4 *", "units", "1 / 0", "(1", "1 2", "max(1)"] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
    }
}
