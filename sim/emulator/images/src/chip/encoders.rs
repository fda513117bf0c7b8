//! Logs what the encoders have counted, every 10 ms.
#![cfg_attr(target_os = "none", no_std, no_main)]

emulator_images::desktop!();

#[cfg(target_os = "none")]
mod chip {
    use embassy_executor::Spawner;
    use embassy_rp::bind_interrupts;
    use embassy_rp::gpio::Pull;
    use embassy_rp::peripherals::PIO0;
    use embassy_rp::pio::{
        Common, Config, InterruptHandler, LoadedProgram, Pin, Pio, ShiftDirection, StateMachine,
        program::pio_file,
    };
    use embassy_time::{Duration, Ticker};
    use emulator_images as _;

    bind_interrupts!(struct Irqs {
        PIO0_IRQ_0 => InterruptHandler<PIO0>;
    });

    struct Encoder<'d, const SM: usize> {
        machine: StateMachine<'d, PIO0, SM>,
        origin: i32,
    }

    impl<'d, const SM: usize> Encoder<'d, SM> {
        async fn new(
            mut machine: StateMachine<'d, PIO0, SM>,
            program: &LoadedProgram<'d, PIO0>,
            pins: [&Pin<'d, PIO0>; 2],
        ) -> Self {
            let mut config = Config::default();
            config.use_program(program, &[]);
            config.set_in_pins(&pins);
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

    fn pulled_up<'d>(
        common: &mut Common<'d, PIO0>,
        pin: embassy_rp::Peri<'d, impl embassy_rp::pio::PioPin + 'd>,
    ) -> Pin<'d, PIO0> {
        let mut pin = common.make_pio_pin(pin);
        pin.set_pull(Pull::Up);
        pin
    }

    #[embassy_executor::main]
    async fn main(_spawner: Spawner) {
        let p = embassy_rp::init(Default::default());
        let Pio {
            mut common,
            sm0,
            sm1,
            ..
        } = Pio::new(p.PIO0, Irqs);
        let program = pio_file!("../../../src/board/encoder.pio");
        let program = common.load_program(&program.program);
        let left = [
            &pulled_up(&mut common, p.PIN_12),
            &pulled_up(&mut common, p.PIN_13),
        ];
        let right = [
            &pulled_up(&mut common, p.PIN_8),
            &pulled_up(&mut common, p.PIN_9),
        ];
        let mut left = Encoder::new(sm0, &program, left).await;
        let mut right = Encoder::new(sm1, &program, right).await;
        let mut ticker = Ticker::every(Duration::from_millis(10));
        loop {
            defmt::println!("{=i32} {=i32}", left.count().await, right.count().await);
            ticker.next().await;
        }
    }
}
