//! Integration tests, in one binary: linking one takes longer than running most of them.

mod bench;
#[path = "../../emulator/tests/support/build.rs"]
mod build;
mod cli;
mod cli_bad_input;
mod cli_scen;
mod cli_subgoals;
mod documented_commands;
mod experiments;
mod mice;
mod mms;
mod own_worlds;
mod pictures;
mod real_time_experiments;
#[cfg(unix)] // pseudo-terminals
mod robot_calibrate_cli;
mod robot_calibration;
mod robot_chip;
mod robot_cli;
mod robot_matrix;
mod robot_mission;
mod robot_model;
mod robot_pose;
mod robot_proof;
mod robot_relocalisation;
mod robot_run;
mod robot_tasks;
mod robot_telemetry;
mod situated_agents;
mod store;
mod subgoal_experiment;
mod support;
mod terminal_width;
mod watch;
mod world_files;
