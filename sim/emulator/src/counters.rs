use serde::Serialize;

/// Counter of executed instructions in calls of some functions, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counter {
    /// Restarts at `first` with each outermost call of a root.
    #[serde(rename = "root")]
    pub per_call: bool,
    /// Restarts at `first` where one of these is executed.
    pub begins: Vec<u32>,
    pub first: i64,
    pub adds: Vec<Add>,
    /// Records a register at an address.
    pub value: Option<(u32, u8)>,
    /// Keeps separate maxima by the value of this register at this address.
    pub by: Option<(u32, u8)>,
}

/// An addition to a [`Counter`]: where it happens, and by how much. With `from` only directly after that instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "(Option<u32>, u32, i64)")]
pub struct Add {
    pub from: Option<u32>,
    pub at: u32,
    pub amount: i64,
}

impl From<Add> for (Option<u32>, u32, i64) {
    fn from(Add { from, at, amount }: Add) -> Self {
        (from, at, amount)
    }
}

/// Largest values of a [`Counter`], each with the value of the register that it is kept [by](Counter::by), or zero; none if
/// it has never counted.
pub type Largest = Vec<(u32, i64)>;
