//! Common parts of the images: worlds made from a seed, a walk through one, and a cycle counter.
//!
//! ```text
//!  JOB: limit, side, world, seed --> World --> walk(planner) --> RESULT
//!                                                |
//!                                                v
//!                                   a pin, high while the planner works
//! ```
#![no_std]

#[cfg(target_os = "none")]
pub mod chip;
pub mod walk;
pub mod world;

/// Worlds up to this side fit every image but that with a heap, which is twice as large.
pub const LARGEST_SIDE: u16 = 129;

/// The largest world, for the image of the preset for large maps.
pub const LARGEST_WORLD: u16 = 161;

/// Planner, world and limit to run.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Expansions in a tick; 0: as many as it takes.
    pub limit: u32,
    /// Cells along a side of the square world.
    pub side: u16,
    pub world: world::Kind,
    pub seed: u32,
    pub situation: Situation,
}

/// Situation of the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Situation {
    /// It senses what is around it.
    #[default]
    Usual,
    /// What executes the code that a usual run does not: all changes of a map at once, walls that are sensed only by
    /// driving at them, and exploring by time.
    Rare,
}

impl Situation {
    pub const ALL: [Self; 2] = [Self::Usual, Self::Rare];
}

/// An image for the chip: what it says about how large a planner is, and how it runs a job. On a desktop it is an
/// empty program, so that the workspace builds there.
#[macro_export]
macro_rules! image {
    ($run:ident) => {
        #[cfg(target_os = "none")]
        #[cortex_m_rt::entry]
        fn main() -> ! {
            $crate::chip::run($run)
        }

        #[cfg(not(target_os = "none"))]
        fn main() {
            let _ = $run::<$crate::walk::Nobody>;
            println!("an image for the chip: see `cargo xtask bench-chip`");
        }
    };
}

/// An image of a planner in arrays: its type, by capacity, and how it is made.
#[macro_export]
macro_rules! planner_image {
    ($planner:ident, $make:expr) => {
        $crate::image!(run);

        /// Bytes of a planner for a square map.
        const fn bytes<const CAPACITY: usize>() -> u32 {
            size_of::<$planner<CAPACITY>>() as u32
        }

        fn run<W: $crate::walk::Watch>(
            job: $crate::Job,
            watch: &mut W,
        ) -> Result<$crate::walk::Report, planner_core::BuildError> {
            use planner_core::storage::capacity;
            use $crate::{LARGEST_SIDE, walk, world::World};
            const LARGEST: usize = capacity(LARGEST_SIDE, LARGEST_SIDE);
            // A constant: it is all zero and made in place.
            let mut planner: $planner<LARGEST> = const { $make };
            let mut world = World::new(job.world, job.side, job.seed);
            planner.begin((job.side, job.side), world.start(), &[world.goal()])?;
            let bytes = match job.side {
                0..=33 => bytes::<{ capacity(33, 33) }>(),
                34..=65 => bytes::<{ capacity(65, 65) }>(),
                66..=101 => bytes::<{ capacity(101, 101) }>(),
                _ => bytes::<LARGEST>(),
            };
            let report = walk::walk(&mut planner, &mut world, walk::Sense::Cells, job, watch);
            Ok(walk::Report { bytes, ..report })
        }
    };
}
