//! Inlining, and differences between a Cortex-M0 and a desktop processor, in one place.
//!
//! Inner loops are always inlined in release builds. With debug assertions they are not: the tests instantiate each
//! search for dozens of maps and queues, and would take half as long again to compile. Hence
//! `cfg_attr(not(debug_assertions), inline(always))` throughout. With `not(target_arch = "arm")` beside it, only
//! desktops are faster for it, and on the chip the compiler decides.

/// True if the processor predicts branches; a Cortex-M0 does not.
pub(crate) const PREDICTS_BRANCHES: bool = !cfg!(target_arch = "arm");

/// Makes a function a call on the chip and inlines it elsewhere. A Cortex-M0 has registers for about one of
/// these functions at a time: there a call is cheaper than to keep all that is inlined on the stack. Entry points
/// are calls too: an image can place them in RAM and bound their time.
macro_rules! call_on_chip {
    ($($function:tt)*) => {
        #[cfg_attr(target_arch = "arm", inline(never))]
        #[cfg_attr(not(any(target_arch = "arm", debug_assertions)), inline(always))]
        $($function)*
    };
}
pub(crate) use call_on_chip;
