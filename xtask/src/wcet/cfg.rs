//! Control-flow graph of a function: basic blocks, jump tables, calls, natural loops.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};

use super::{
    program::{Function, Program},
    thumb::{Flow, Instruction, Op, TAKEN},
};

/// A way from a block to another, and the cycles that it takes beyond those of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub to: usize,
    pub cycles: u32,
}

/// Instructions that are executed one after the other.
#[derive(Clone, Debug)]
pub struct Block {
    pub instructions: Vec<Instruction>,
    pub edges: Vec<Edge>,
    /// Addresses of the functions that it calls, in order.
    pub calls: Vec<u32>,
    /// True if the function ends here, also by a jump to another function.
    pub returns: bool,
}

impl Block {
    pub fn start(&self) -> u32 {
        self.instructions[0].at
    }

    pub fn cycles(&self) -> u32 {
        self.instructions
            .iter()
            .map(|instruction| instruction.cycles)
            .sum()
    }
}

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: usize,
    pub blocks: BTreeSet<usize>,
    /// The loop around it, as an index.
    pub parent: Option<usize>,
}

/// The control flow of a function. Block 0 is its entry.
#[derive(Clone, Debug)]
pub struct Cfg {
    pub name: String,
    pub blocks: Vec<Block>,
    /// Inner loops come before those around them.
    pub loops: Vec<Loop>,
    /// Blocks so that each comes before those it leads to, but for back edges of loops.
    pub order: Vec<usize>,
    /// Addresses of words that its instructions load from beside the code.
    pub literals: BTreeSet<u32>,
}

impl Cfg {
    /// Builds the graph of a function. Fails where control goes to an address that is not known.
    pub fn new(program: &Program, function: &Function) -> Result<Self> {
        Self::build(program, function).with_context(|| function.name.clone())
    }

    fn build(program: &Program, function: &Function) -> Result<Self> {
        // Tables end where literals begin, and literals are found by following tables: again until none is new.
        let mut literals = BTreeSet::new();
        loop {
            let found = explore(program, function, &literals, false)?.literals;
            if found.is_subset(&literals) {
                break;
            }
            literals.extend(found);
        }
        let mut explored = explore(program, function, &literals, true)?;
        if function.name.starts_with(THUNK) {
            lead_on(program, &mut explored)?;
        }
        all_code_is_reached(program, function, &explored)?;
        let blocks = blocks(function, &explored);
        let loops = loops(&blocks)?;
        Ok(Self {
            name: function.name.clone(),
            order: reverse_postorder(&blocks),
            blocks,
            loops,
            literals: explored.literals,
        })
    }

    /// The innermost loop that a block is in, as an index.
    pub fn loop_of(&self, block: usize) -> Option<usize> {
        self.loops.iter().position(|l| l.blocks.contains(&block))
    }
}

/// Names of the code that the linker inserts where a call does not reach: between flash and RAM.
pub const THUNK: &str = "__Thumbv6MABSLongThunk_";

/// Makes a thunk lead to its function. It ends like a return, having put the address on the stack.
fn lead_on(program: &Program, explored: &mut Explored) -> Result<()> {
    let literal = explored.literals.pop_first();
    let to = literal.and_then(|literal| program.word(literal));
    let to = to.context("a thunk without an address")?;
    let end = explored.instructions.values_mut().next_back();
    let end = end.context("a thunk without code")?;
    end.flow = Flow::Branch(to & !1);
    Ok(())
}

#[derive(Default)]
struct Explored {
    instructions: BTreeMap<u32, Instruction>,
    /// Targets of jumps through a table, by the address of the jump.
    tables: BTreeMap<u32, Vec<u32>>,
    literals: BTreeSet<u32>,
    leaders: BTreeSet<u32>,
}

/// Follows control from the entry. `literals` are those that are known; `is_complete` if there are no more.
fn explore(
    program: &Program,
    function: &Function,
    literals: &BTreeSet<u32>,
    is_complete: bool,
) -> Result<Explored> {
    let mut explored = Explored::default();
    let entry = function.range.start;
    let mut open = vec![entry];
    explored.leaders.insert(entry);
    while let Some(at) = open.pop() {
        if explored.instructions.contains_key(&at) {
            continue;
        }
        ensure!(
            function.range.contains(&at),
            "control leaves the function at {at:#x}"
        );
        let mut instruction = match program.instruction(at) {
            // A table was read too far, because the literals behind it are not known yet.
            Err(_) if !is_complete => continue,
            instruction => instruction?,
        };
        // A call into the function itself is a far jump.
        if let Flow::Call(to) = instruction.flow
            && to != entry
            && function.range.contains(&to)
        {
            instruction.flow = Flow::Branch(to);
        }
        match instruction.op {
            Op::Literal { from, .. } => _ = explored.literals.insert(from),
            Op::Address { to, .. } => _ = explored.literals.insert(to),
            _ => {}
        }
        explored.instructions.insert(at, instruction);
        let next = at + instruction.size;
        let mut targets = Vec::new();
        match instruction.flow {
            Flow::Next => open.push(next),
            // Control goes on behind a call, unless that is for ever: then there is no code.
            Flow::Call(to) => {
                if !diverges(program, to) {
                    open.push(next);
                }
            }
            Flow::CallRegister => bail!("a call through a register at {at:#x}"),
            Flow::Branch(to) => {
                if function.range.contains(&to) {
                    targets.push(to);
                }
            }
            Flow::Conditional(to) => targets.extend([to, next]),
            Flow::Return | Flow::Trap => {}
            Flow::Jump => {
                targets = table(program, function, &explored, at, literals, is_complete)
                    .with_context(|| format!("a jump at {at:#x} through no known kind of table"))?;
                explored.tables.insert(at, targets.clone());
            }
        }
        explored.leaders.extend(&targets);
        open.extend(targets);
    }
    Ok(explored)
}

/// Returns whether a function never returns: those of `core` that panic.
pub fn diverges(program: &Program, at: u32) -> bool {
    let Some(function) = program.function_around(at) else {
        return false;
    };
    let name = function.name.trim_start_matches(THUNK);
    let name = format!("{:#}", rustc_demangle::demangle(name));
    name.starts_with("core::")
        && (name.contains("::panic") || name.contains("_failed") || name.contains("_fail"))
}

/// The targets of a jump through a table beside the code.
fn table(
    program: &Program,
    function: &Function,
    explored: &Explored,
    at: u32,
    literals: &BTreeSet<u32>,
    is_complete: bool,
) -> Option<Vec<u32>> {
    let before = |from: u32| {
        let previous = explored.instructions.range(..from).rev();
        previous.take(8).map(|(_, instruction)| *instruction)
    };
    let jump = explored.instructions.get(&at)?;
    let (start, bytes) = match jump.op {
        // add rI, pc; ldrb or ldrh rI, [rI, #n]; lsls rI, rI, #1; add pc, rI
        Op::JumpBy { rm } => {
            let shift = before(at).next()?;
            if shift.op != (Op::ShiftLeft { rd: rm, rm, by: 1 }) {
                return None;
            }
            let load = before(shift.at).next()?;
            match load.op {
                Op::LoadNarrow {
                    rt,
                    rn,
                    offset,
                    bytes,
                } => {
                    let add = before(load.at).next()?;
                    if rt != rm || add.op != (Op::AddPc { rd: rn }) {
                        return None;
                    }
                    (add.at + 4 + u32::from(offset), u32::from(bytes))
                }
                // adr rB, table; ldrb rI, [rB, rI]; lsls rI, rI, #1; add pc, rI
                Op::LoadByteIndexed { rt, rn } if rt == rm => {
                    let address = before(load.at).next()?;
                    match address.op {
                        Op::Address { rd, to } if rd == rn => (to, 1),
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
        // adr rB, table; ldr rT, [rB, rI]; ...; mov pc, rT
        Op::JumpTo { rm } => {
            let (load, rn, index) = before(at).find_map(|i| match i.op {
                Op::LoadIndexed { rt, rn, rm: index } if rt == rm => Some((i, rn, index)),
                _ => None,
            })?;
            let to = before(load.at).find_map(|i| match i.op {
                Op::Address { rd, to } if rd == rn || rd == index => Some(to),
                _ => None,
            })?;
            (to, 4)
        }
        _ => return None,
    };
    let mut end = function.range.end;
    end = literals
        .range(start + 1..)
        .next()
        .map_or(end, |literal| end.min(*literal));
    end = program.next_code(start).map_or(end, |code| end.min(code));
    // Fill in front of the words behind the table.
    if end >= start + 2 && end.is_multiple_of(2) && program.half(end - 2) == Some(NOP) {
        end -= 2;
    }
    let mut targets = Vec::new();
    let mut entry = start;
    while entry + bytes <= end {
        let to = match bytes {
            1 => at + 4 + 2 * u32::from(program.byte(entry)?),
            2 => at + 4 + 2 * u32::from(program.half(entry)?),
            _ => program.word(entry)? & !1,
        };
        // The fill of a table of bytes is a zero byte, which would lead into the table.
        let is_last = entry + 1 == end
            || entry + 3 == end && entry % 2 == 1 && program.half(entry + 1) == Some(NOP);
        if bytes == 1 && is_last && to == at + 4 {
            break;
        }
        if !function.range.contains(&to) || !program.is_code(to) {
            // A literal that is not yet known, or no table.
            if is_complete {
                return None;
            }
            break;
        }
        // No table reaches into what it leads to.
        if to > start {
            end = end.min(to);
        }
        targets.push(to);
        entry += bytes;
    }
    targets.sort_unstable();
    targets.dedup();
    (!targets.is_empty()).then_some(targets)
}

const NOP: u16 = 0x46c0;

/// A table that was read too short, or a jump that was not understood, leaves code that nothing leads to.
fn all_code_is_reached(program: &Program, function: &Function, explored: &Explored) -> Result<()> {
    let mut at = function.range.start;
    while at + 1 < function.range.end {
        if let Some(instruction) = explored.instructions.get(&at) {
            at += instruction.size;
            continue;
        }
        let is_fill = matches!(program.half(at), Some(NOP | 0xdefe | 0xbf00 | 0));
        ensure!(
            !program.is_code(at) || is_fill,
            "no way leads to the code at {at:#x}"
        );
        at += 2;
    }
    Ok(())
}

fn blocks(function: &Function, explored: &Explored) -> Vec<Block> {
    let index: BTreeMap<u32, usize> = explored.leaders.iter().copied().zip(0..).collect();
    let mut blocks = Vec::new();
    // The entry has the lowest address only if no code lies before it; it does.
    for &leader in &explored.leaders {
        let mut block = Block {
            instructions: Vec::new(),
            edges: Vec::new(),
            calls: Vec::new(),
            returns: false,
        };
        let mut at = leader;
        while let Some(instruction) = explored.instructions.get(&at) {
            block.instructions.push(*instruction);
            at += instruction.size;
            let edge = |to: u32, cycles| Edge {
                to: index[&to],
                cycles,
            };
            match instruction.flow {
                Flow::Call(to) => block.calls.push(to),
                Flow::Conditional(to) => {
                    block.edges.extend([edge(to, TAKEN), edge(at, 0)]);
                    break;
                }
                Flow::Branch(to) if function.range.contains(&to) => {
                    block.edges.push(edge(to, 0));
                    break;
                }
                // The other function returns for this one.
                Flow::Branch(to) => {
                    block.calls.push(to);
                    block.returns = true;
                    break;
                }
                Flow::Return => {
                    block.returns = true;
                    break;
                }
                Flow::Jump => {
                    block.edges.extend(
                        explored.tables[&instruction.at]
                            .iter()
                            .map(|&to| edge(to, 0)),
                    );
                    break;
                }
                Flow::Next | Flow::CallRegister | Flow::Trap => {}
            }
            if index.contains_key(&at) {
                block.edges.push(edge(at, 0));
                break;
            }
        }
        blocks.push(block);
    }
    blocks
}

/// Natural loops, inner ones first. Fails where a loop has more than one entry.
fn loops(blocks: &[Block]) -> Result<Vec<Loop>> {
    let order = reverse_postorder(blocks);
    let mut place = vec![usize::MAX; blocks.len()];
    for (i, &block) in order.iter().enumerate() {
        place[block] = i;
    }
    let mut predecessors = vec![Vec::new(); blocks.len()];
    for &block in &order {
        for edge in &blocks[block].edges {
            predecessors[edge.to].push(block);
        }
    }
    // Dominators, by the iteration of Cooper, Harvey and Kennedy.
    let mut dominator = vec![usize::MAX; blocks.len()];
    dominator[0] = 0;
    let meet = |dominator: &[usize], mut a: usize, mut b: usize| {
        while a != b {
            if place[a] > place[b] {
                a = dominator[a];
            } else {
                b = dominator[b];
            }
        }
        a
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order[1..] {
            let known = predecessors[block]
                .iter()
                .copied()
                .filter(|p| dominator[*p] != usize::MAX);
            let new = known.reduce(|a, b| meet(&dominator, a, b)).unwrap_or(0);
            changed |= dominator[block] != new;
            dominator[block] = new;
        }
    }
    let dominates = |a: usize, mut b: usize| {
        while b != a && b != 0 {
            b = dominator[b];
        }
        a == b
    };
    let mut found = BTreeMap::<usize, BTreeSet<usize>>::new();
    for &block in &order {
        for edge in &blocks[block].edges {
            let header = edge.to;
            if place[header] > place[block] {
                continue;
            }
            ensure!(
                dominates(header, block),
                "a loop with two entries, at {:#x}",
                blocks[header].start()
            );
            let members = found.entry(header).or_default();
            members.insert(header);
            let mut open = vec![block];
            while let Some(block) = open.pop() {
                if members.insert(block) {
                    open.extend(&predecessors[block]);
                }
            }
        }
    }
    let mut loops: Vec<_> = found
        .into_iter()
        .map(|(header, blocks)| Loop {
            header,
            blocks,
            parent: None,
        })
        .collect();
    loops.sort_by_key(|l| l.blocks.len());
    for i in 0..loops.len() {
        let header = loops[i].header;
        loops[i].parent = (i + 1..loops.len()).find(|&j| loops[j].blocks.contains(&header));
    }
    Ok(loops)
}

fn reverse_postorder(blocks: &[Block]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; blocks.len()];
    let mut open = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, edge)) = open.pop() {
        if let Some(next) = blocks[block].edges.get(edge) {
            open.push((block, edge + 1));
            if !std::mem::replace(&mut seen[next.to], true) {
                open.push((next.to, 0));
            }
        } else {
            order.push(block);
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: u32 = 0x2000_0000;

    pub fn cfg(code: &[u16]) -> Result<Cfg> {
        let program = Program::assembled(AT, code);
        let function = program.function(AT).unwrap().clone();
        Cfg::new(&program, &function)
    }

    #[test]
    fn straight_code_is_one_block() {
        let cfg = cfg(&[0x2001, 0x3001, 0x4770]).unwrap();
        assert_eq!(cfg.blocks.len(), 1);
        assert_eq!((cfg.blocks[0].cycles(), cfg.blocks[0].returns), (4, true));
        assert!(cfg.loops.is_empty());
    }

    #[test]
    fn nested_loops_are_found_inner_first() {
        // movs r0; 2: movs r1; 4: subs r1; bne 4; subs r0; bne 2; bx lr
        let cfg = cfg(&[0x2003, 0x2105, 0x3901, 0xd1fd, 0x3801, 0xd1fa, 0x4770]).unwrap();
        assert_eq!(cfg.loops.len(), 2);
        let starts = |l: &Loop| cfg.blocks[l.header].start() - AT;
        assert_eq!((starts(&cfg.loops[0]), starts(&cfg.loops[1])), (4, 2));
        assert_eq!((cfg.loops[0].parent, cfg.loops[1].parent), (Some(1), None));
    }

    #[test]
    fn a_loop_with_two_entries_is_refused() {
        // cmp r0, #0; beq 8; 4: subs r1; b 8; 8: subs r0; bne 4; bx lr
        let refused = cfg(&[0x2800, 0xd001, 0x3901, 0xe7ff, 0x3801, 0xd1fb, 0x4770]).unwrap_err();
        assert!(
            format!("{refused:#}").contains("two entries"),
            "{refused:#}"
        );
    }

    #[test]
    fn tables_beside_the_code_are_followed() {
        // add r0, pc; ldrb r0, [r0, #4]; lsls r0, r0, #1; add pc, r0
        let code = [
            0x4478, 0x7900, 0x0040, 0x4487, // the jump is at 6, the table at 8
            0x0201, // to 6 + 4 + 2 and 6 + 4 + 4
            0x46c0, // fill
            0x4770, // 12: bx lr
            0x4770, // 14: bx lr
        ];
        let mut program = Program::assembled(AT, &code);
        program.add_data(AT + 8..AT + 12);
        let function = program.function(AT).unwrap().clone();
        let explored = Cfg::new(&program, &function).unwrap();
        let targets: Vec<_> = explored.blocks[0]
            .edges
            .iter()
            .map(|e| explored.blocks[e.to].start() - AT)
            .collect();
        assert_eq!(targets, [12, 14]);
    }

    #[test]
    fn the_fill_behind_an_odd_table_is_no_entry() {
        // add r0, pc; ldrb r0, [r0, #4]; lsls r0, r0, #1; add pc, r0
        let code = [
            0x4478, 0x7900, 0x0040, 0x4487, // the jump is at 6, the table at 8
            0x0302, 0x0004, // to 14, 16 and 18, and a zero byte
            0x46c0, // fill
            0x4770, 0x4770, 0x4770, // 14, 16, 18: bx lr
        ];
        let mut program = Program::assembled(AT, &code);
        program.add_data(AT + 8..AT + 14);
        let function = program.function(AT).unwrap().clone();
        let explored = Cfg::new(&program, &function).unwrap();
        let targets = explored.blocks[0].edges.iter();
        let targets = targets.map(|edge| explored.blocks[edge.to].start() - AT);
        assert_eq!(targets.collect::<Vec<_>>(), [14, 16, 18]);
    }

    /// In front of a literal whose load is found after the table, the fill leads into a call.
    #[test]
    fn the_fill_between_a_table_and_a_literal_is_no_entry() {
        let mut code = vec![
            0xe001, // b 6
            0x4905, 0x4770, // 2: ldr r1, [pc, #20]; bx lr
            0x2800, 0xd0fb, // 6: cmp r0, #0; beq 2
            0x4478, 0x7900, 0x0040, 0x4487, // the jump is at 16, the table at 18
            0x0404, 0xbf04, // to 28, 28, 28 and 402
            0x46c0, // fill, as an entry to 404
            0, 0,      // literal
            0x4770, // 28: bx lr
        ];
        code.resize(402 / 2, NOP);
        code.extend([0xf000, 0xfc20, 0x4770]); // a call of another function; bx lr
        let mut program = Program::assembled(AT, &code);
        program.add_data(AT + 18..AT + 28);
        let function = program.function(AT).unwrap().clone();
        let cfg = Cfg::new(&program, &function).unwrap();
        let jump = cfg.blocks.iter().find(|block| block.start() == AT + 10);
        let targets = jump.unwrap().edges.iter();
        let targets = targets.map(|edge| cfg.blocks[edge.to].start() - AT);
        assert_eq!(targets.collect::<Vec<_>>(), [28, 402]);
    }

    #[test]
    fn a_thunk_is_a_call_of_its_function() {
        // push {r0, r1}; ldr r0, [pc, #4]; str r0, [sp, #4]; pop {r0, pc}; .word 0x10000401
        let code = [0xb403, 0x4801, 0x9001, 0xbd01, 0x0401, 0x1000];
        let mut program = Program::assembled(AT, &code);
        program.add_data(AT + 8..AT + 12);
        let mut function = program.function(AT).unwrap().clone();
        function.name = format!("{THUNK}far");
        let cfg = Cfg::new(&program, &function).unwrap();
        assert_eq!(cfg.blocks[0].calls, [0x1000_0400]);
        assert!(cfg.blocks[0].returns && cfg.literals.is_empty());
    }

    #[test]
    fn calls_and_jumps_through_registers_are_refused() {
        assert!(cfg(&[0x4798, 0x4770]).is_err(), "blx r3");
        assert!(cfg(&[0x4718]).is_err(), "bx r3");
    }

    #[test]
    fn code_that_nothing_leads_to_is_refused() {
        assert!(cfg(&[0x4770, 0x2001, 0x4770]).is_err());
    }
}
