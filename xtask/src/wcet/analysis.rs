//! Bounds of time and stack of functions of an image.

mod checks;

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet, HashMap},
    hash::Hash,
    path::Path,
    rc::Rc,
};

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::{
    cfg::{self, Block, Cfg},
    facts::{By, Charge, File, Primitive, SourceLocation},
    path::{Body, Bound, Charged, Cost, Facts, Longest, Stop, cheapest},
    program::{Line, Program},
    thumb::{Flow, Instruction, Op},
};
pub use checks::{Check, NEVER};

/// Values of parameters in a call.
type Arguments = BTreeMap<String, i64>;

/// Everything that is known of an image, for one limit.
pub struct Analysis<'a> {
    program: &'a Program,
    file: &'a File,
    parameters: BTreeMap<String, i64>,
    /// The folder of the sources that facts name.
    sources: &'a Path,
    /// Numbers of the lines that facts name.
    numbers: RefCell<HashMap<String, Rc<Vec<u32>>>>,
    cfgs: RefCell<HashMap<u32, Rc<Cfg>>>,
    /// Facts of the file that matched something.
    used: RefCell<BTreeSet<String>>,
    lines: RefCell<HashMap<u32, Rc<Vec<Line>>>>,
    bodies: RefCell<HashMap<(u32, Arguments), Rc<Body>>>,
    /// Functions under way, to refuse recursion.
    depth: Cell<u32>,
    /// True if costs have their paths, which takes longer.
    is_traced: Cell<bool>,
}

/// A bound of time.
pub struct Time {
    pub cycles: i64,
    /// Cycles that a unit of each budget costs.
    pub prices: Vec<i64>,
}

/// The most work that a budget pays for.
pub struct Paid<'a> {
    pub name: &'a str,
    pub units: i64,
    /// Cycles per unit.
    pub price: i64,
}

/// Returns what is known by a key, or makes it.
fn cached<K: Eq + Hash, V>(
    known: &RefCell<HashMap<K, Rc<V>>>,
    key: K,
    make: impl FnOnce() -> Result<V>,
) -> Result<Rc<V>> {
    if let Some(value) = known.borrow().get(&key) {
        return Ok(value.clone());
    }
    let value = Rc::new(make()?);
    known.borrow_mut().insert(key, value.clone());
    Ok(value)
}

/// The parameter that is the length of a block of memory.
const LENGTH: &str = "bytes";

/// The register in which a function gets the length of a block of memory.
fn length_register(function: &str) -> u8 {
    match function
        .trim_start_matches(cfg::THUNK)
        .strip_prefix("__aeabi_mem")
    {
        Some(kind) if !kind.starts_with("cpy") && !kind.starts_with("move") => 1,
        _ => 2,
    }
}

/// Deeper calls are a recursion.
const DEEPEST: u32 = 64;

impl<'a> Analysis<'a> {
    pub fn new(
        program: &'a Program,
        file: &'a File,
        sources: &'a Path,
        limit: u32,
    ) -> Result<Self> {
        Ok(Self {
            program,
            file,
            parameters: file.parameters(limit)?,
            sources,
            numbers: RefCell::default(),
            cfgs: RefCell::default(),
            used: RefCell::default(),
            lines: RefCell::default(),
            bodies: RefCell::default(),
            depth: Cell::new(0),
            is_traced: Cell::new(false),
        })
    }

    /// The address of the one function whose name contains a text.
    pub fn find(&self, name: &str) -> Result<u32> {
        self.find_if_present(name)?
            .ok_or_else(|| anyhow!("the image has no function {name}"))
    }

    /// As [`find`](Self::find); `None` if the image does not have it.
    pub fn find_if_present(&self, name: &str) -> Result<Option<u32>> {
        let mut found = self.program.functions().filter(|f| matches(&f.name, name));
        let first = found.next();
        ensure!(
            found.next().is_none(),
            "the image has several functions {name}"
        );
        Ok(first.map(|function| function.range.start))
    }

    fn lines(&self, at: u32) -> Rc<Vec<Line>> {
        let mut lines = self.lines.borrow_mut();
        let lines = lines.entry(at);
        lines
            .or_insert_with(|| self.program.lines(at).into())
            .clone()
    }

    pub fn cfg(&self, at: u32) -> Result<Rc<Cfg>> {
        cached(&self.cfgs, at, || {
            let function = self.program.function(at);
            let function = function.with_context(|| format!("no function begins at {at:#x}"))?;
            Cfg::new(self.program, function)
        })
    }

    /// The functions that a function leads to, itself included, by address.
    pub fn closure(&self, root: u32) -> Result<BTreeSet<u32>> {
        let mut found = BTreeSet::new();
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            if cfg::diverges(self.program, at) || !found.insert(at) {
                continue;
            }
            for block in &self.cfg(at)?.blocks {
                open.extend(&block.calls);
            }
        }
        Ok(found)
    }

    /// The functions that a function leads to whose names contain a text.
    pub fn named(&self, root: u32, name: &str) -> Result<Vec<u32>> {
        let mut found = Vec::new();
        for at in self.closure(root)? {
            if matches(&self.cfg(at)?.name, name) {
                found.push(at);
            }
        }
        Ok(found)
    }

    /// Bounds the time of the function at an address.
    pub fn time(&self, at: u32) -> Result<Time> {
        let budgets = self.file.budget.len();
        let bound = |prices: &[i64]| -> Result<i64, Stop> {
            let known = RefCell::default();
            let cost = self.function(at, &Arguments::new(), prices, &known)?;
            let cost = cost.ok_or_else(|| anyhow!("it never returns"))?;
            let mut cycles = cost.rest(prices);
            for (budget, price) in self.file.budget.iter().zip(prices) {
                if budget.scope.is_none() {
                    cycles += price * budget.at_most.evaluate(&self.parameters)?;
                }
            }
            Ok(cycles)
        };
        let (cycles, prices) = cheapest(budgets, &bound)?;
        Ok(Time { cycles, prices })
    }

    /// The longest path of a function at some prices, without what budgets pay.
    pub fn longest(&self, at: u32, prices: &[i64]) -> Result<Option<Cost>> {
        self.is_traced.set(true);
        let cost = self.primitive_cost(at, None, &[], prices);
        self.is_traced.set(false);
        cost
    }

    /// The lines of the sources that take most of a path: cycles, location and text.
    pub fn lines_of(&self, cost: &Cost) -> Vec<(i64, String)> {
        let counts = cost.trace.as_ref().map(|trace| trace.counts());
        let mut lines = BTreeMap::<String, i64>::new();
        for (block, times) in counts.unwrap_or_default() {
            for instruction in self.block(block) {
                let frames = self.lines(instruction.at);
                let own = frames.iter().find_map(|(path, line)| {
                    let file = Path::new(path).strip_prefix(self.sources).ok()?;
                    Some(format!("{}:{line}", file.display()))
                });
                let location = own.unwrap_or_else(|| {
                    let function = self.program.function_around(block);
                    function.map_or_else(String::new, |function| function.name.clone())
                });
                *lines.entry(location).or_default() += times * i64::from(instruction.cycles);
            }
        }
        let mut lines: Vec<_> = lines
            .into_iter()
            .map(|(location, cycles)| (cycles, location))
            .collect();
        lines.sort_by(|a, b| b.cmp(a));
        lines
    }

    /// The instructions of the block at an address.
    fn block(&self, at: u32) -> Vec<Instruction> {
        let cfgs = self.cfgs.borrow();
        let mut blocks = cfgs.values().flat_map(|cfg| &cfg.blocks);
        let block = blocks.find(|block| block.start() == at);
        block.map_or_else(Vec::new, |block| block.instructions.clone())
    }

    /// The most work that the budgets of a root pay for.
    pub fn paid(&self, time: &Time) -> Result<Vec<Paid<'_>>> {
        let budgets = self.file.budget.iter().zip(&time.prices);
        budgets
            .filter(|(budget, price)| budget.scope.is_none() && **price > 0)
            .map(|(budget, &price)| {
                Ok(Paid {
                    name: &budget.name,
                    units: budget.at_most.evaluate(&self.parameters)?,
                    price,
                })
            })
            .collect()
    }

    /// Bounds of a function and of all that it calls, each for one call and without what budgets pay, longest first.
    pub fn functions(&self, root: u32, prices: &[i64]) -> Result<Vec<(i64, String)>> {
        let known = RefCell::default();
        if let Err(Stop::Failed(error)) = self.function(root, &Arguments::new(), prices, &known) {
            return Err(error);
        }
        let mut longest = BTreeMap::<u32, i64>::new();
        for ((at, _), cost) in known.into_inner() {
            let cycles = cost.map_or(0, |cost| cost.rest(prices));
            let entry = longest.entry(at).or_default();
            *entry = cycles.max(*entry);
        }
        let name = |at| {
            self.program
                .function(at)
                .map_or_else(String::new, |f| f.name.clone())
        };
        let mut longest: Vec<_> = longest
            .into_iter()
            .map(|(at, cycles)| (cycles, name(at)))
            .collect();
        longest.sort_by(|a, b| b.cmp(a));
        Ok(longest)
    }

    /// Bounds the time of a primitive, with the prices of units where it is paid from a budget of its own.
    pub fn primitive(
        &self,
        primitive: &Primitive,
        root: u32,
        prices: &[i64],
    ) -> Result<Option<Cost>> {
        self.is_traced.set(true);
        let mut worst: Option<Cost> = None;
        let mut longer = |cost: Option<Cost>| {
            let cycles = |cost: &Option<Cost>| cost.as_ref().map(|cost| cost.cycles);
            if cycles(&cost) > cycles(&worst) {
                worst = cost;
            }
        };
        for at in self.closure(root)? {
            let cfg = self.cfg(at)?;
            if let Some(name) = &primitive.function_only {
                if matches(&cfg.name, name) {
                    longer(self.primitive_cost(at, None, &[], prices)?);
                }
                continue;
            }
            for index in self.loops_at(&primitive.location, &cfg)? {
                let mut via = Vec::new();
                for charge in &primitive.via {
                    via.extend(self.charged(charge, &cfg)?);
                }
                if !primitive.via.is_empty() && via.is_empty() {
                    continue;
                }
                longer(self.primitive_cost(at, Some(index), &via, prices)?);
            }
        }
        self.is_traced.set(false);
        Ok(worst)
    }

    fn primitive_cost(
        &self,
        at: u32,
        iteration: Option<usize>,
        via: &[usize],
        prices: &[i64],
    ) -> Result<Option<Cost>> {
        let known = RefCell::default();
        let arguments = Arguments::new();
        let body = self.body(at, &arguments)?;
        let calls = |block: usize| self.calls(&body.cfg, block, &arguments, prices, &known);
        let longest = Longest {
            prices,
            is_traced: self.is_traced.get(),
            calls: &calls,
        };
        let cost = match iteration {
            Some(index) => longest.iteration(&body, index, via),
            None => longest.function(&body),
        };
        match cost {
            Ok(cost) => Ok(cost),
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::Underpaid { location, .. }) => bail!("{location} is underpaid"),
        }
    }

    fn function(
        &self,
        at: u32,
        arguments: &Arguments,
        prices: &[i64],
        known: &RefCell<HashMap<(u32, Arguments), Option<Cost>>>,
    ) -> Result<Option<Cost>, Stop> {
        let key = (at, arguments.clone());
        if let Some(cost) = known.borrow().get(&key) {
            return Ok(cost.clone());
        }
        if self.depth.get() > DEEPEST {
            return Err(anyhow!("functions call each other more than {DEEPEST} deep").into());
        }
        self.depth.set(self.depth.get() + 1);
        let body = self.body(at, arguments)?;
        let calls = |block: usize| self.calls(&body.cfg, block, arguments, prices, known);
        let cost = Longest {
            prices,
            is_traced: self.is_traced.get(),
            calls: &calls,
        }
        .function(&body);
        self.depth.set(self.depth.get() - 1);
        let cost = cost?;
        known.borrow_mut().insert(key, cost.clone());
        Ok(cost)
    }

    fn calls(
        &self,
        cfg: &Cfg,
        block: usize,
        arguments: &Arguments,
        prices: &[i64],
        known: &RefCell<HashMap<(u32, Arguments), Option<Cost>>>,
    ) -> Result<Cost, Stop> {
        let mut sum = Cost::zero(prices.len());
        let calls = cfg.blocks[block]
            .instructions
            .iter()
            .filter_map(|i| match i.flow {
                Flow::Call(to) => Some((i.at, to)),
                // Only a jump to another function is a call.
                Flow::Branch(to) if cfg.blocks[block].returns => Some((i.at, to)),
                _ => None,
            });
        for (at, to) in calls {
            if cfg::diverges(self.program, to) {
                continue;
            }
            let mut arguments = self.arguments(at, to, arguments)?;
            if let Some(bytes) = self.block_length(&cfg.blocks[block], at, to) {
                arguments.insert(LENGTH.to_owned(), bytes.into());
            }
            let cost = self.function(to, &arguments, prices, known);
            let cost = cost.map_err(|stop| match stop {
                Stop::Failed(error) => error.context(format!("called at {at:#x}")).into(),
                underpaid => underpaid,
            })?;
            if let Some(cost) = cost {
                sum.add(&cost, 1);
            }
        }
        Ok(sum)
    }

    /// The values of parameters in a call.
    fn arguments(&self, at: u32, to: u32, inherited: &Arguments) -> Result<Arguments> {
        let callee = self.program.function(to).map_or("", |f| f.name.as_str());
        let mut arguments = inherited.clone();
        for (number, call) in self.file.call.iter().enumerate() {
            if !matches(callee, &call.to) || !self.is_at(&call.location, at)? {
                continue;
            }
            self.used.borrow_mut().insert(format!("call {number}"));
            for (name, value) in &call.set {
                arguments.insert(name.clone(), value.evaluate(&self.parameters)?);
            }
        }
        Ok(arguments)
    }

    /// The constant number of bytes that a call copies or sets.
    fn block_length(&self, block: &Block, at: u32, to: u32) -> Option<u32> {
        let callee = &self.program.function(to)?.name;
        if !callee.starts_with("__aeabi_mem") {
            return None;
        }
        let before = block.instructions.iter().take_while(|i| i.at < at);
        let before: Vec<_> = before.copied().collect();
        self.constant(&before, length_register(callee))
    }

    /// The constant that is in a register after some instructions.
    fn constant(&self, instructions: &[Instruction], register: u8) -> Option<u32> {
        let last = instructions
            .iter()
            .rposition(|i| i.sets >> register & 1 != 0)?;
        let before = &instructions[..last];
        match instructions[last].op {
            Op::Constant { value, .. } => Some(value.into()),
            Op::Literal { from, .. } => self.program.word(from),
            Op::Copy { rm, .. } => self.constant(before, rm),
            Op::ShiftLeft { rm, by, .. } => self.constant(before, rm)?.checked_shl(by.into()),
            _ => None,
        }
    }

    fn numbers(&self, location: &SourceLocation) -> Result<Rc<Vec<u32>>> {
        cached(&self.numbers, location.to_string(), || {
            location.lines(self.sources)
        })
    }

    /// Returns whether an instruction is at a location.
    fn is_at(&self, location: &SourceLocation, at: u32) -> Result<bool> {
        if let Some(name) = &location.function {
            let function = self.program.function_around(at);
            if function.is_none_or(|function| !matches(&function.name, name)) {
                return Ok(false);
            }
        }
        let Some(file) = &location.file else {
            return Ok(true);
        };
        let numbers = self.numbers(location)?;
        let lines = self.lines(at);
        Ok(lines
            .iter()
            .any(|(path, line)| path.ends_with(file.as_str()) && numbers.contains(line)))
    }

    /// The loops of a function that are at a location: its line is one of their own, not only one of an inner loop.
    fn loops_at(&self, location: &SourceLocation, cfg: &Cfg) -> Result<Vec<usize>> {
        if let Some(name) = &location.function
            && !matches(&cfg.name, name)
        {
            return Ok(Vec::new());
        }
        if let Some(nth) = location.nth {
            let mut by_address: Vec<usize> = (0..cfg.loops.len()).collect();
            by_address.sort_by_key(|&index| cfg.blocks[cfg.loops[index].header].start());
            return Ok(by_address
                .get(nth.wrapping_sub(1))
                .copied()
                .into_iter()
                .collect());
        }
        let mut found = Vec::new();
        for index in 0..cfg.loops.len() {
            for at in self.own_instructions(cfg, index) {
                if self.is_at(location, at)? {
                    found.push(index);
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Addresses of the instructions of a loop that are in none of its inner loops.
    fn own_instructions<'c>(&self, cfg: &'c Cfg, index: usize) -> impl Iterator<Item = u32> + 'c {
        let blocks = cfg.loops[index].blocks.iter().copied();
        let own = blocks.filter(move |&block| cfg.loop_of(block) == Some(index));
        own.flat_map(|block| cfg.blocks[block].instructions.iter().map(|i| i.at))
    }

    /// The blocks of a function in which the instruction that marks a location is.
    fn blocks(&self, location: &SourceLocation, by: By, cfg: &Cfg) -> Result<Vec<usize>> {
        if let Some(name) = &location.function
            && !matches(&cfg.name, name)
        {
            return Ok(Vec::new());
        }
        match by {
            By::Entry => return Ok(vec![0]),
            // The blocks that lead back.
            By::Loop => {
                let loops = self.loops_at(location, cfg)?;
                // Of nested ones only the inner one is at the line.
                let Some(&index) = loops.first() else {
                    return Ok(Vec::new());
                };
                let l = &cfg.loops[index];
                let leads_back = |b: &usize| cfg.blocks[*b].edges.iter().any(|e| e.to == l.header);
                return Ok(l.blocks.iter().copied().filter(leads_back).collect());
            }
            By::Branch | By::Call | By::Store => {}
        }
        let mut found = Vec::new();
        for (number, block) in cfg.blocks.iter().enumerate() {
            for instruction in &block.instructions {
                let is_mark = match by {
                    By::Branch => matches!(instruction.flow, Flow::Conditional(_)),
                    By::Call => matches!(instruction.flow, Flow::Call(_)),
                    _ => instruction.op == Op::Store,
                };
                if is_mark && self.is_at(location, instruction.at)? {
                    found.push(number);
                    break;
                }
            }
        }
        Ok(found)
    }

    /// A function with the facts that are about it.
    fn body(&self, at: u32, arguments: &Arguments) -> Result<Rc<Body>> {
        cached(&self.bodies, (at, arguments.clone()), || {
            let cfg = self.cfg(at)?;
            let facts = self.facts(&cfg, arguments);
            let facts = Rc::new(facts.with_context(|| cfg.name.clone())?);
            Ok(Body { cfg, facts })
        })
    }

    /// The blocks that are charged.
    fn charged(&self, charge: &Charge, cfg: &Cfg) -> Result<Vec<usize>> {
        let blocks = self.blocks(&charge.location, charge.by, cfg)?;
        let Some(of) = &charge.of else {
            return Ok(blocks);
        };
        let mut charged = Vec::new();
        for block in blocks {
            if self.has(cfg, block, Op::Store, [&charge.location, of])? {
                charged.push(block);
            }
        }
        Ok(charged)
    }

    /// Returns whether a block has an instruction of a kind at two locations at once.
    fn has(
        &self,
        cfg: &Cfg,
        block: usize,
        op: Op,
        locations: [&SourceLocation; 2],
    ) -> Result<bool> {
        for instruction in &cfg.blocks[block].instructions {
            if instruction.op == op
                && self.is_at(locations[0], instruction.at)?
                && self.is_at(locations[1], instruction.at)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Checks that no path is charged twice for a line of which the compiler has made several copies: each is a store, and
    /// what is stored is computed beside it. So it is the charge itself, and has not been moved to where nothing is
    /// charged. A branch does not prove as much: that of another test may be attributed to the line.
    fn check_copies(&self, charge: &Charge, blocks: &[usize], cfg: &Cfg) -> Result<()> {
        ensure!(
            charge.by == By::Store,
            "{}: of several copies only stores can be told apart",
            charge.location
        );
        let of = charge.of.as_ref().unwrap_or(&charge.location);
        for &block in blocks {
            ensure!(
                self.has(cfg, block, Op::Add, [&charge.location, of])?,
                "{}: what is stored at {:#x} is not computed there",
                charge.location,
                cfg.blocks[block].start()
            );
        }
        Ok(())
    }

    fn facts(&self, cfg: &Cfg, arguments: &Arguments) -> Result<Facts> {
        let mut parameters = self.parameters.clone();
        parameters.extend(arguments.clone());
        let mut facts = Facts::default();
        for (number, never) in self.file.never.iter().enumerate() {
            let blocks = self.blocks(&never.location, never.by, cfg)?;
            if !blocks.is_empty() {
                self.used.borrow_mut().insert(format!("never {number}"));
            }
            facts.never.extend(blocks);
        }
        for (number, budget) in self.file.budget.iter().enumerate() {
            let scope = budget.scope.as_deref();
            let is_scope = scope.is_some_and(|scope| matches(&cfg.name, scope));
            // Lines that share a loop are charged once.
            let mut loops = BTreeSet::new();
            let mut is_charged = false;
            for (part, charge) in budget.charge.iter().enumerate() {
                let blocks = self.charged(charge, cfg)?;
                if !blocks.is_empty() {
                    self.used
                        .borrow_mut()
                        .insert(format!("budget {number}.{part}"));
                }
                if blocks.is_empty() {
                    continue;
                }
                is_charged = true;
                let marks = charge.marks.unwrap_or(1);
                ensure!(
                    charge.by == By::Loop || marks == 0 || blocks.len() == marks,
                    "{} marks of {} instead of {marks}",
                    blocks.len(),
                    charge.location
                );
                if marks == 0 {
                    self.check_copies(charge, &blocks, cfg)?;
                }
                // The loop that is charged: a block that leads back to it may be in an inner one.
                let charged = match charge.by {
                    By::Loop => self.loops_at(&charge.location, cfg)?.first().copied(),
                    _ => None,
                };
                if charged.is_some_and(|index| !loops.insert(index)) {
                    continue;
                }
                for block in blocks {
                    let units = (number, charge.units);
                    let mut charge_one = |to| {
                        facts.charged.push(Charged {
                            budget: number,
                            part,
                            block,
                            to,
                            units: charge.units,
                        });
                    };
                    let charged = charged.or_else(|| cfg.loop_of(block));
                    for to in charged_edges(cfg, charge.by, block, charged) {
                        charge_one(Some(to));
                        facts
                            .edge_charges
                            .entry((block, to))
                            .or_default()
                            .push(units);
                    }
                    if !matches!(charge.by, By::Branch | By::Loop) {
                        charge_one(None);
                        facts.charges.entry(block).or_default().push(units);
                    }
                }
            }
            if is_charged && is_scope {
                let units = budget.at_most.evaluate(&parameters)?;
                facts.scoped.push((number, units));
            }
            ensure!(
                is_scope || !is_charged || scope.is_none(),
                "the budget {} is charged outside of {}",
                budget.name,
                scope.unwrap_or_default()
            );
        }
        // Inner loops first: a line in front of a loop belongs to it, not to the one around.
        let mut candidates = vec![Vec::new(); cfg.loops.len()];
        for (number, fact) in self.file.loops.iter().enumerate() {
            for index in self.loops_at(&fact.location, cfg)? {
                candidates[index].push(number);
            }
        }
        let mut claimed = vec![BTreeSet::new(); cfg.loops.len()];
        for index in 0..cfg.loops.len() {
            let unclaimed = candidates[index]
                .iter()
                .filter(|n| !claimed[index].contains(*n));
            let own = self.closest(cfg, index, unclaimed.copied())?;
            let header = cfg.blocks[cfg.loops[index].header].start();
            let describe = || {
                let lines = self.lines(header);
                let lines: Vec<_> = lines.iter().map(|(f, l)| format!("{f}:{l}")).collect();
                format!("the loop at {header:#x} ({})", lines.join(", in "))
            };
            ensure!(!own.is_empty(), "{} has no bound", describe());
            let bounds: Vec<_> = own
                .iter()
                .map(|&number| {
                    self.used.borrow_mut().insert(format!("loop {number}"));
                    let value = &self.file.loops[number].at_most;
                    value
                        .as_ref()
                        .map(|value| value.evaluate(&parameters))
                        .transpose()
                })
                .collect::<Result<_>>()?;
            let agree = bounds.windows(2).all(|two| two[0] == two[1]);
            ensure!(
                agree,
                "{} has several bounds: {}",
                describe(),
                own.iter()
                    .map(|n| self.file.loops[*n].location.to_string())
                    .collect::<Vec<_>>()
                    .join("; ")
            );
            let bound = match bounds[0] {
                Some(times) => Bound::Times(self.back_edges(cfg, index, times)),
                None => Bound::Budget,
            };
            facts.bounds.insert(index, bound);
            facts.sources.insert(index, own.clone());
            let mut around = cfg.loops[index].parent;
            while let Some(outer) = around {
                claimed[outer].extend(own.iter().copied());
                around = cfg.loops[outer].parent;
            }
        }
        Ok(facts)
    }

    /// Of facts whose lines are in a loop those about the loop itself, not about what it is inlined into or about what
    /// is inlined into it: all its instructions share the calls that lead to the function that has the loop, and the
    /// fact is about the innermost of them, or about a line of that function.
    fn closest(
        &self,
        cfg: &Cfg,
        index: usize,
        candidates: impl Iterator<Item = usize>,
    ) -> Result<Vec<usize>> {
        let outermost_first = |at: u32| {
            let mut lines = self.lines(at).to_vec();
            lines.reverse();
            lines
        };
        let blocks = cfg.loops[index].blocks.iter();
        let instructions = blocks.flat_map(|&block| &cfg.blocks[block].instructions);
        let all: Vec<Vec<Line>> = instructions
            .map(|i| outermost_first(i.at))
            .filter(|lines| !lines.is_empty())
            .collect();
        let shared = all.split_first().map_or(0, |(first, others)| {
            (0..first.len())
                .take_while(|&depth| {
                    others
                        .iter()
                        .all(|lines| lines.get(depth) == first.get(depth))
                })
                .count()
        });
        let mut deepest = None;
        let mut closest = Vec::new();
        let mut moved = Vec::new();
        for number in candidates {
            let location = &self.file.loops[number].location;
            let Some(file) = &location.file else {
                closest.push((0, number));
                continue;
            };
            let numbers = self.numbers(location)?;
            let is_at =
                |(path, line): &Line| path.ends_with(file.as_str()) && numbers.contains(line);
            let depth = all
                .iter()
                .filter_map(|lines| lines.iter().take(shared + 1).rposition(is_at))
                .max();
            deepest = deepest.max(depth);
            closest.extend(depth.map(|depth| (depth, number)));
            // The calls that lead to the function with the line.
            let calls = all
                .iter()
                .find_map(|lines| Some(&lines[..lines.iter().rposition(is_at)?]));
            if let Some(calls) = calls {
                let inside = all.iter().filter(|lines| lines.starts_with(calls)).count();
                moved.push((4 * inside >= 3 * all.len(), number));
            }
        }
        // The compiler may move a few instructions into a loop from before it. Where there is only one fact, and most
        // of the loop is in its function, it is about this loop.
        if closest.is_empty()
            && let [(true, number)] = moved[..]
        {
            return Ok(vec![number]);
        }
        closest.retain(|(depth, _)| *depth == deepest.unwrap_or(0));
        Ok(closest.into_iter().map(|(_, number)| number).collect())
    }

    /// Executions of a loop's back edges in so many iterations: as many if it is left at its top, one
    /// less if it is left only at its bottom.
    fn back_edges(&self, cfg: &Cfg, index: usize, times: i64) -> i64 {
        let l = &cfg.loops[index];
        let leads = |block: usize, to: &dyn Fn(usize) -> bool| {
            cfg.blocks[block].edges.iter().any(|edge| to(edge.to))
        };
        let is_at_bottom = |&block: &usize| {
            let exits = leads(block, &|to| !l.blocks.contains(&to)) || cfg.blocks[block].returns;
            !exits || leads(block, &|to| to == l.header)
        };
        let once_less = l.blocks.iter().all(is_at_bottom);
        if once_less { (times - 1).max(0) } else { times }
    }

    /// Lists the loops of a function and of all that it calls: their address, lines and calls, and the facts at them.
    pub fn describe_loops(&self, root: u32) -> Result<Vec<String>> {
        let mut text = Vec::new();
        for function in self.closure(root)? {
            let cfg = self.cfg(function)?;
            for (index, l) in cfg.loops.iter().enumerate() {
                let header = cfg.blocks[l.header].start();
                let mut lines = BTreeMap::<Line, usize>::new();
                for at in self.own_instructions(&cfg, index) {
                    for line in self.lines(at).iter() {
                        *lines.entry(line.clone()).or_default() += 1;
                    }
                }
                let mut facts = Vec::new();
                for fact in &self.file.loops {
                    if self.loops_at(&fact.location, &cfg)?.contains(&index) {
                        facts.push(fact.location.to_string());
                    }
                }
                let parent = l.parent.map(|l| cfg.blocks[cfg.loops[l].header].start());
                let inside = parent
                    .map(|at| format!(" inside {at:#x}"))
                    .unwrap_or_default();
                text.push(format!("{header:#x}{inside} in {}", cfg.name));
                text.extend(
                    lines
                        .iter()
                        .map(|((file, line), count)| format!("  {count:>4} {file}:{line}")),
                );
                text.extend(facts.iter().map(|fact| format!("  fact {fact}")));
            }
        }
        Ok(text)
    }

    /// Bytes of stack of a function and all that it calls.
    pub fn stack(&self, at: u32) -> Result<u32> {
        let mut known = HashMap::new();
        self.stack_of(at, &mut known)
    }

    fn stack_of(&self, at: u32, known: &mut HashMap<u32, u32>) -> Result<u32> {
        if let Some(bytes) = known.get(&at) {
            return Ok(*bytes);
        }
        let cfg = self.cfg(at)?;
        let mut deepest = 0;
        let mut entered: Vec<Option<i64>> = vec![None; cfg.blocks.len()];
        entered[0] = Some(0);
        for &number in &cfg.order {
            let block = &cfg.blocks[number];
            let mut depth = entered[number].unwrap_or(0);
            for (i, instruction) in block.instructions.iter().enumerate() {
                match instruction.op {
                    Op::MoveStack(bytes) => depth -= i64::from(bytes),
                    Op::AddToStack { rm } => {
                        let word = self.constant(&block.instructions[..i], rm);
                        let word = word.with_context(|| {
                            format!(
                                "{}: the stack moves by an unknown distance at {:#x}",
                                cfg.name, instruction.at
                            )
                        })?;
                        depth -= i64::from(word as i32);
                    }
                    Op::SetStack => {
                        bail!("{}: the stack is set at {:#x}", cfg.name, instruction.at)
                    }
                    _ => {}
                }
                deepest = deepest.max(depth);
                let (Flow::Call(to) | Flow::Branch(to)) = instruction.flow else {
                    continue;
                };
                let is_call = matches!(instruction.flow, Flow::Call(_)) || block.returns;
                if is_call && !cfg::diverges(self.program, to) {
                    let below = self.stack_of(to, known)?;
                    deepest = deepest.max(depth + i64::from(below));
                }
            }
            for edge in &block.edges {
                entered[edge.to] = entered[edge.to].max(Some(depth));
            }
        }
        let bytes = u32::try_from(deepest)?;
        known.insert(at, bytes);
        Ok(bytes)
    }

    /// Facts that matched nothing so far, each as its kind and location.
    pub fn unused(&self) -> Vec<String> {
        let used = self.used.borrow();
        let loops = self.file.loops.iter().map(|f| &f.location).enumerate();
        let loops = loops.map(|(n, location)| (format!("loop {n}"), location.to_string()));
        let never = self.file.never.iter().map(|f| &f.location).enumerate();
        let never = never.map(|(n, location)| (format!("never {n}"), location.to_string()));
        let calls = self.file.call.iter().map(|f| &f.location).enumerate();
        let calls = calls.map(|(n, location)| (format!("call {n}"), location.to_string()));
        let charges = self.file.budget.iter().enumerate().flat_map(|(n, budget)| {
            let parts = budget.charge.iter().enumerate();
            parts.map(move |(part, charge)| {
                (format!("budget {n}.{part}"), charge.location.to_string())
            })
        });
        loops
            .chain(never)
            .chain(calls)
            .chain(charges)
            .filter(|(key, _)| !used.contains(key))
            .map(|(key, location)| format!("{key}: {location}"))
            .collect()
    }
}

/// Targets of the charged edges of a marked block in a loop.
fn charged_edges(cfg: &Cfg, by: By, block: usize, charged: Option<usize>) -> Vec<usize> {
    let Some(index) = charged else {
        return Vec::new();
    };
    let l = &cfg.loops[index];
    let edges = cfg.blocks[block].edges.iter().map(|edge| edge.to);
    match by {
        By::Branch => edges.filter(|to| l.blocks.contains(to)).collect(),
        By::Loop => edges.filter(|to| *to == l.header).collect(),
        By::Call | By::Store | By::Entry => Vec::new(),
    }
}

/// Returns whether a function's name contains a text; one in `=` must be the whole name.
fn matches(name: &str, text: &str) -> bool {
    match text.strip_prefix('=') {
        Some(whole) => name == whole,
        None => name.contains(text),
    }
}
