//! Facts to be compared with runs: what is counted, and how much of it they allow.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use anyhow::{Context, Result, bail, ensure};
use emulator::{Add, Counter};

use super::{Analysis, Arguments, LENGTH, length_register, matches};
use crate::wcet::{
    cfg::Cfg,
    facts::{By, SourceLocation, Value},
    path::{Bound, Facts},
    thumb::Flow,
};

/// All facts about what is never executed.
pub const NEVER: &str = "what never happens";

/// A fact at one place in an image.
pub struct Check {
    /// The fact, as the file has it.
    pub fact: String,
    /// The place.
    pub place: String,
    pub counter: Counter,
    at_most: AtMost,
}

enum AtMost {
    Number(i64),
    /// Back edges of a loop whose iterations depend on the length of the block of memory, by which they are counted.
    ByLength {
        value: Value,
        cfg: Rc<Cfg>,
        index: usize,
    },
}

/// A budget, and the number of one of its charges or all of them.
type Part = (usize, Option<usize>);

impl Analysis<'_> {
    /// The roots that the image has.
    pub fn roots(&self) -> Result<Vec<u32>> {
        let roots = self.file.root.iter();
        roots
            .filter_map(|root| self.find_if_present(&root.function).transpose())
            .collect()
    }

    /// The functions in whose calls is counted: the roots, and functions of libraries that facts are about, whose facts
    /// hold for every call.
    pub fn counted(&self) -> Result<Vec<u32>> {
        let mut counted = self.roots()?;
        for root in self.roots()? {
            for location in self.file.loops.iter().map(|fact| &fact.location) {
                if let (Some(name), None) = (&location.function, &location.file) {
                    counted.extend(self.named(root, name)?);
                }
            }
        }
        counted.sort_unstable();
        counted.dedup();
        Ok(counted)
    }

    /// All facts about loops, budgets, lengths and what never happens, at each place below the roots.
    pub fn checks(&self) -> Result<Vec<Check>> {
        let mut functions = BTreeSet::new();
        for root in self.roots()? {
            functions.extend(self.closure(root)?);
        }
        let mut checks = Vec::new();
        let mut charged = BTreeMap::<Part, Vec<Add>>::new();
        for &at in &functions {
            let cfg = self.cfg(at)?;
            // Facts do not depend on the length but by the number of iterations, which is evaluated later.
            let arguments = Arguments::from([(LENGTH.to_owned(), 0)]);
            let facts = &self.body(at, &arguments)?.facts;
            self.check_loops(&cfg, facts, &mut checks)?;
            self.check_lengths(&cfg, &mut checks)?;
            for &block in &facts.never {
                let start = cfg.blocks[block].start();
                let adds = vec![add(None, start, 1)];
                checks.push(Check {
                    fact: NEVER.to_owned(),
                    place: format!("{start:#x} in {}", cfg.name),
                    counter: Counter {
                        per_call: true,
                        adds,
                        ..Counter::default()
                    },
                    at_most: AtMost::Number(0),
                });
            }
            for (part, adds) in self.adds(&cfg, facts)? {
                if self.file.budget[part.0].scope.is_none() {
                    charged.entry(part).or_default().extend(adds);
                    continue;
                }
                let begins = vec![cfg.blocks[0].start()];
                let counter = Counter {
                    begins,
                    adds,
                    ..Counter::default()
                };
                checks.push(self.check_budget(part, cfg.name.clone(), counter)?);
            }
        }
        for (part, adds) in charged {
            let counter = Counter {
                per_call: true,
                adds,
                ..Counter::default()
            };
            checks.push(self.check_budget(part, "a root".to_owned(), counter)?);
        }
        Ok(checks)
    }

    /// A budget, or one of its charges, of which there cannot be more.
    fn check_budget(&self, (budget, part): Part, place: String, counter: Counter) -> Result<Check> {
        let budget = &self.file.budget[budget];
        let mut fact = format!("budget {}", budget.name);
        if let Some(part) = part {
            fact = format!("{fact}, charge {}", label(&budget.charge[part].location));
        }
        let at_most = AtMost::Number(budget.at_most.evaluate(&self.parameters)?);
        Ok(Check {
            fact,
            place,
            counter,
            at_most,
        })
    }

    /// What a function is charged, by budget, and by charge where a budget has several.
    fn adds(&self, cfg: &Cfg, facts: &Facts) -> Result<BTreeMap<Part, Vec<Add>>> {
        let mut adds = BTreeMap::<Part, Vec<Add>>::new();
        for charged in &facts.charged {
            let block = &cfg.blocks[charged.block];
            let add = match charged.to {
                None => add(None, block.start(), charged.units),
                Some(to) => {
                    let last = block.instructions.last();
                    let last = last.context("a block without instructions")?;
                    ensure!(
                        !matches!(last.flow, Flow::Call(_)),
                        "{}: the way from a call at {:#x} cannot be counted",
                        cfg.name,
                        last.at
                    );
                    add(Some(last.at), cfg.blocks[to].start(), charged.units)
                }
            };
            adds.entry((charged.budget, None)).or_default().push(add);
            let charges = &self.file.budget[charged.budget].charge;
            // Lines of loops stand for each other.
            if charges.len() > 1 && charges[charged.part].by != By::Loop {
                let part = (charged.budget, Some(charged.part));
                adds.entry(part).or_default().push(add);
            }
        }
        Ok(adds)
    }

    /// Loops with a number of iterations.
    fn check_loops(&self, cfg: &Rc<Cfg>, facts: &Facts, checks: &mut Vec<Check>) -> Result<()> {
        for (index, l) in cfg.loops.iter().enumerate() {
            let Some(Bound::Times(times)) = facts.bounds.get(&index) else {
                continue;
            };
            let header = cfg.blocks[l.header].start();
            let place = format!("the loop at {header:#x} in {}", cfg.name);
            ensure!(
                l.header != 0,
                "{place} begins with the function: its entries cannot be told from its iterations"
            );
            let before = cfg.blocks.iter().enumerate().filter(|(block, from)| {
                !l.blocks.contains(block) && from.edges.iter().any(|edge| edge.to == l.header)
            });
            let mut counter = Counter {
                begins: before.map(|(_, block)| block.start()).collect(),
                first: -1,
                adds: vec![add(None, header, 1)],
                ..Counter::default()
            };
            let mut at_most = AtMost::Number(*times);
            let own = facts.sources.get(&index).map_or(&[][..], Vec::as_slice);
            let own = own.iter().map(|&number| &self.file.loops[number]);
            for value in own.clone().filter_map(|fact| fact.at_most.as_ref()) {
                if value.evaluate(&self.parameters).is_err() {
                    counter.by = Some((cfg.blocks[0].start(), length_register(&cfg.name)));
                    at_most = AtMost::ByLength {
                        value: value.clone(),
                        cfg: cfg.clone(),
                        index,
                    };
                }
            }
            let names: Vec<String> = own.map(|fact| label(&fact.location)).collect();
            checks.push(Check {
                fact: format!("loop, {}", names.join("; ")),
                place,
                counter,
                at_most,
            });
        }
        Ok(())
    }

    /// Lengths of blocks of memory that calls pass.
    fn check_lengths(&self, cfg: &Cfg, checks: &mut Vec<Check>) -> Result<()> {
        for instruction in cfg.blocks.iter().flat_map(|block| &block.instructions) {
            let Flow::Call(to) = instruction.flow else {
                continue;
            };
            let callee = self.program.function(to).map_or("", |f| f.name.as_str());
            for call in &self.file.call {
                if !matches(callee, &call.to) || !self.is_at(&call.location, instruction.at)? {
                    continue;
                }
                for (name, value) in &call.set {
                    if name != LENGTH {
                        bail!("{name} of calls of {} cannot be counted", call.to);
                    }
                    checks.push(Check {
                        fact: format!("call of {}, {}", call.to, label(&call.location)),
                        place: format!("{:#x} in {}", instruction.at, cfg.name),
                        counter: Counter {
                            value: Some((instruction.at, length_register(callee))),
                            ..Counter::default()
                        },
                        at_most: AtMost::Number(value.evaluate(&self.parameters)?),
                    });
                }
            }
        }
        Ok(())
    }

    /// What a fact allows, for the value by which it is counted.
    pub fn allowed(&self, check: &Check, key: u32) -> Result<i64> {
        match &check.at_most {
            AtMost::Number(number) => Ok(*number),
            AtMost::ByLength { value, cfg, index } => {
                let mut parameters = self.parameters.clone();
                parameters.insert(LENGTH.to_owned(), key.into());
                Ok(self.back_edges(cfg, *index, value.evaluate(&parameters)?))
            }
        }
    }
}

fn label(location: &SourceLocation) -> String {
    location.to_string().trim().to_owned()
}

fn add(from: Option<u32>, at: u32, amount: i64) -> Add {
    Add { from, at, amount }
}
