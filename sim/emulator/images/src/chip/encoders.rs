//! Logs what the encoders have counted, every 10 ms.

use embassy_rp::{
    Peri, Peripherals, bind_interrupts,
    gpio::Pull,
    peripherals::PIO0,
    pio::{
        Common, Config, InterruptHandler, LoadedProgram, Pio, PioPin, ShiftDirection, StateMachine,
        program::pio_file,
    },
};
use embassy_time::{Duration, Ticker};

bind_interrupts!(struct Irqs {
    PIO0_IRQ_0 => InterruptHandler<PIO0>;
});

struct Encoder<'d, const SM: usize> {
    machine: StateMachine<'d, PIO0, SM>,
    origin: i32,
}

impl<'d, const SM: usize> Encoder<'d, SM> {
    async fn new(
        common: &mut Common<'d, PIO0>,
        mut machine: StateMachine<'d, PIO0, SM>,
        program: &LoadedProgram<'d, PIO0>,
        (a, b): (Peri<'d, impl PioPin + 'd>, Peri<'d, impl PioPin + 'd>),
    ) -> Self {
        let mut pins = [common.make_pio_pin(a), common.make_pio_pin(b)];
        pins.iter_mut().for_each(|pin| pin.set_pull(Pull::Up));
        let mut config = Config::default();
        config.use_program(program, &[]);
        config.set_in_pins(&pins.each_ref());
        config.shift_in.direction = ShiftDirection::Left;
        config.status_n = 1;
        config.clock_divider = 16u8.into();
        machine.set_config(&config);
        machine.set_enable(true);
        let mut encoder = Self { machine, origin: 0 };
        encoder.count().await;
        encoder.origin = encoder.count().await;
        encoder
    }

    async fn count(&mut self) -> i32 {
        self.machine.tx().push(0);
        self.machine.rx().wait_pull().await as i32 - self.origin
    }
}

pub async fn run(p: Peripherals) {
    let Pio {
        mut common,
        sm0,
        sm1,
        ..
    } = Pio::new(p.PIO0, Irqs);
    let program = pio_file!("../../../src/board/encoder.pio");
    let program = common.load_program(&program.program);
    let mut left = Encoder::new(&mut common, sm0, &program, (p.PIN_12, p.PIN_13)).await;
    let mut right = Encoder::new(&mut common, sm1, &program, (p.PIN_8, p.PIN_9)).await;
    let mut ticker = Ticker::every(Duration::from_millis(10));
    loop {
        defmt::println!("{=i32} {=i32}", left.count().await, right.count().await);
        ticker.next().await;
    }
}
