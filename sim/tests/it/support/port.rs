//! Stand-in for a robot at a pseudo-terminal.

use std::{
    io::{Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use serialport::{SerialPort, TTYPort};
use tinystar::{
    boards::ZUMO2040,
    calibration::Calibration,
    calibrator::{Progress, Routine},
    mission::Field,
    navigator::map_bytes,
    settings::Settings,
    telemetry::{
        Command, CommandReceiver, Frame, PROTOCOL, Refusal,
        codec::{FRAME, encode},
    },
};

/// Stand-in for a robot: answers commands as the firmware does, takes measured values as given, has one wall in its map,
/// and refuses to start.
pub struct StandIn {
    port: TTYPort,
    receiver: CommandReceiver,
    /// Number of the next frame.
    number: u16,
    pub calibration: Calibration,
    progress: Progress,
    pub settings: Settings,
    pub commands: Vec<Command>,
}

impl StandIn {
    fn send(&mut self, frame: &Frame) {
        let mut buffer = [0; FRAME];
        let bytes = encode(self.number, frame, &mut buffer).unwrap();
        self.port.write_all(bytes).unwrap();
        self.number += 1;
    }

    fn send_calibration(&mut self, progress: Progress) {
        self.progress = progress;
        self.send(&Frame::Calibration(self.calibration, progress));
    }

    /// Executes a command as the firmware would, and answers.
    fn execute(&mut self, number: u16, command: Command) {
        let mut then = None;
        let mut executed = Ok(());
        match &command {
            Command::GetMap => {
                // In a map of 5x4 cells, the thirteenth wall, on the south side of 1,1, is blocked.
                let total = map_bytes(self.settings.field);
                let bytes = (0..total.min(48)).map(|index| if index == 3 { 0b10 } else { 0 });
                self.send(&Frame::Map {
                    offset: 0,
                    bytes: bytes.collect(),
                    total: total as u16,
                });
            }
            Command::SetGoal(cell) => self.send(&Frame::Goals([*cell].into_iter().collect())),
            Command::GetCalibration => self.send_calibration(self.progress),
            Command::SetCalibration(calibration) => {
                self.calibration = *calibration;
                self.send_calibration(self.progress);
            }
            Command::Calibrate(Routine::Range) => executed = Err(Refusal::Moving),
            Command::Calibrate(routine) => {
                self.send_calibration(Progress::Running(*routine));
                then = Some(match routine {
                    Routine::Distance | Routine::Turns => Progress::Waiting(*routine),
                    Routine::Motors => Progress::Failed(*routine),
                    _ => Progress::Done(*routine),
                });
            }
            Command::Measured(um) => {
                self.calibration.nm_per_count = (*um / 8) as u32;
                self.calibration.measured |= Routine::Distance.bit();
                then = Some(Progress::Done(Routine::Distance));
            }
            Command::SetSettings(settings) => self.settings = settings.clone(),
            Command::Start => executed = Err(Refusal::Faulty),
            _ => {}
        }
        self.commands.push(command);
        self.send(&match executed {
            Ok(()) => Frame::Accepted(number),
            Err(why) => Frame::Refused {
                number: Some(number),
                why,
            },
        });
        if let Some(progress) = then {
            self.send_calibration(progress);
        }
    }

    /// Serves until the test is over or the desktop has gone; returns itself.
    fn serve(mut self, is_over: &AtomicBool) -> Self {
        let mut buffer = [0; 256];
        while !is_over.load(Ordering::Relaxed) {
            let read = match self.port.read(&mut buffer) {
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::TimedOut => continue,
                // The other end is closed.
                Err(_) => break,
            };
            let mut bytes = &buffer[..read];
            while let Some(message) = self.receiver.take(&mut bytes) {
                match message {
                    Ok(message) => {
                        if message.number == 0 {
                            self.send_hello();
                        }
                        self.execute(message.number, message.body);
                    }
                    Err(refused) => self.send(&refused.into()),
                }
            }
        }
        self
    }

    fn send_hello(&mut self) {
        self.send(&Frame::Hello {
            protocol: PROTOCOL,
            field: self.settings.field,
            stored: None,
        });
        self.send(&Frame::Settings(self.settings.clone()));
    }
}

/// Port with a robot, which stays open.
pub struct Port {
    pub name: String,
    _desktop: TTYPort,
    is_over: Arc<AtomicBool>,
    robot: Option<JoinHandle<StandIn>>,
}

impl Port {
    /// Port of a robot on a field.
    pub fn new(field: Field) -> Self {
        let (mut port, desktop) = TTYPort::pair().unwrap();
        port.set_timeout(Duration::from_millis(10)).unwrap();
        let robot = StandIn {
            port,
            receiver: CommandReceiver::new(field),
            number: 40,
            calibration: ZUMO2040.calibration,
            progress: Progress::Idle,
            settings: Settings::of_field(field),
            commands: Vec::new(),
        };
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        Self {
            name: desktop.name().unwrap(),
            _desktop: desktop,
            is_over,
            robot: Some(thread::spawn(move || robot.serve(&over))),
        }
    }

    /// Closes the port and returns the stand-in.
    pub fn unplug(&mut self) -> Option<StandIn> {
        self.is_over.store(true, Ordering::Relaxed);
        self.robot.take().map(|robot| robot.join().unwrap())
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.unplug();
    }
}
