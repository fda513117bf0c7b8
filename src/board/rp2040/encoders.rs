//! Wheel encoders: a PIO program counts their edges and says the count when asked.

use embassy_rp::{
    Peri,
    gpio::Pull,
    interrupt::typelevel::Binding,
    peripherals::PIO0,
    pio::{
        Common, Config, Instance, InterruptHandler, LoadedProgram, Pio, PioPin, ShiftDirection,
        StateMachine, StatusSource, program::pio_file,
    },
};
use tinystar::robot::NoReading;

/// Cycles of the chip to one of the program, which is 70 times as fast as it must be all the same.
const DIVIDER: u8 = 16;
/// Looks at the FIFO until an answer is given up. It takes 15 cycles of the program, 240 of the chip;
/// a look takes several.
const PATIENCE: usize = 200;

/// Encoders of the left and the right wheel.
pub struct Encoders {
    left: StateMachine<'static, PIO0, 0>,
    right: StateMachine<'static, PIO0, 1>,
    /// What the program said first.
    origin: Option<[u32; 2]>,
}

impl Encoders {
    /// Starts to count. Each wheel has its pins A and B, of which B has the next number.
    pub fn new(
        pio: Peri<'static, PIO0>,
        interrupts: impl Binding<<PIO0 as Instance>::Interrupt, InterruptHandler<PIO0>>,
        left: (Peri<'static, impl PioPin>, Peri<'static, impl PioPin>),
        right: (Peri<'static, impl PioPin>, Peri<'static, impl PioPin>),
    ) -> Self {
        let Pio {
            mut common,
            mut sm0,
            mut sm1,
            ..
        } = Pio::new(pio, interrupts);
        let program = common.load_program(&pio_file!("src/board/encoder.pio").program);
        start(&mut common, &mut sm0, &program, left);
        start(&mut common, &mut sm1, &program, right);
        Self {
            left: sm0,
            right: sm1,
            origin: None,
        }
    }

    /// Counts since they were asked first; A before B is up; they wrap.
    pub fn counts(&mut self) -> Result<[i32; 2], NoReading> {
        ask(&mut self.left);
        ask(&mut self.right);
        let counts = [answer(&mut self.left)?, answer(&mut self.right)?];
        let origin = *self.origin.get_or_insert(counts);
        Ok([0, 1].map(|wheel| counts[wheel].wrapping_sub(origin[wheel]) as i32))
    }
}

fn start<const SM: usize>(
    common: &mut Common<'static, PIO0>,
    machine: &mut StateMachine<'static, PIO0, SM>,
    program: &LoadedProgram<'static, PIO0>,
    (a, b): (Peri<'static, impl PioPin>, Peri<'static, impl PioPin>),
) {
    let [mut a, mut b] = [common.make_pio_pin(a), common.make_pio_pin(b)];
    a.set_pull(Pull::Up);
    b.set_pull(Pull::Up);

    let mut config = Config::default();
    config.use_program(program, &[]);
    config.set_in_pins(&[&a, &b]);
    config.shift_in.direction = ShiftDirection::Left;
    config.status_sel = StatusSource::TxFifoLevel;
    config.status_n = 1;
    config.clock_divider = DIVIDER.into();
    machine.set_config(&config);
    machine.set_enable(true);
    // Counting begins with the first question; its answer means nothing.
    ask(machine);
    let _ = answer(machine);
}

fn ask<const SM: usize>(machine: &mut StateMachine<'static, PIO0, SM>) {
    // What was said too late is no answer to this question.
    while machine.rx().try_pull().is_some() {}
    machine.tx().try_push(0);
}

fn answer<const SM: usize>(
    machine: &mut StateMachine<'static, PIO0, SM>,
) -> Result<u32, NoReading> {
    (0..PATIENCE)
        .find_map(|_| machine.rx().try_pull())
        .ok_or(NoReading)
}
