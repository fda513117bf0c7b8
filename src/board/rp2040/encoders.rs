//! Wheel encoders: a PIO program counts edges and returns the count on request.

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
use tinystar::robot::SensorError;

/// Clock divider of the program, which is still 70 times faster than needed.
const DIVIDER: u8 = 16;
/// FIFO polls until a request fails. A reply takes 240 cycles of the chip; a poll takes several.
const POLLS: usize = 200;

/// Encoders of the left and the right wheel.
pub struct Encoders {
    left: StateMachine<'static, PIO0, 0>,
    right: StateMachine<'static, PIO0, 1>,
    /// First counts.
    origin: Option<[u32; 2]>,
}

impl Encoders {
    /// Starts counting. Pin B of a wheel follows its pin A.
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

    /// Counts since the first call, wrapping; positive if A leads B.
    pub fn counts(&mut self) -> Result<[i32; 2], SensorError> {
        request(&mut self.left);
        request(&mut self.right);
        let counts = [reply(&mut self.left)?, reply(&mut self.right)?];
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
    // The first request starts counting; its reply is meaningless.
    request(machine);
    let _ = reply(machine);
}

fn request<const SM: usize>(machine: &mut StateMachine<'static, PIO0, SM>) {
    // Drop late replies to earlier requests.
    while machine.rx().try_pull().is_some() {}
    machine.tx().try_push(0);
}

fn reply<const SM: usize>(
    machine: &mut StateMachine<'static, PIO0, SM>,
) -> Result<u32, SensorError> {
    (0..POLLS)
        .find_map(|_| machine.rx().try_pull())
        .ok_or(SensorError)
}
