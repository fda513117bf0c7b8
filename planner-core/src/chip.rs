//! Differences between a Cortex-M0 and a desktop processor, in one place.

/// True if the processor predicts branches; a Cortex-M0 does not.
pub(crate) const PREDICTS_BRANCHES: bool = !cfg!(target_arch = "arm");

/// Makes a function a call on the chip and inlines it elsewhere. A Cortex-M0 has registers for about one of
/// these functions at a time: there a call is cheaper than to keep all that is inlined on the stack. Entry points
/// are calls too: an image can place them in RAM and bound their time.
macro_rules! call_on_chip {
    ($($function:tt)*) => {
        #[cfg_attr(target_arch = "arm", inline(never))]
        #[cfg_attr(not(target_arch = "arm"), inline(always))]
        $($function)*
    };
}
pub(crate) use call_on_chip;
