//! Reads the route table in a file as a Worker does, text to compiled policies, and prints the processor time of each reading
//! in microseconds, one a line.
#![allow(
    clippy::print_stdout,
    reason = "the times are what another program reads here"
)]

use std::env;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::time::Duration;

use jouska::table;
use rustix::time::{ClockId, clock_gettime};

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args_os().nth(1).ok_or("name a file with a table")?;
    let text = fs::read_to_string(file)?;
    // As in a Worker, the table before is in use until the next one is there.
    let mut in_use = table::compile_text(&text).map_err(|error| error.to_string())?;
    for _ in 0..READINGS {
        let started = processor_time();
        let compiled = table::compile_text(black_box(&text)).map_err(|error| error.to_string())?;
        let took = processor_time() - started;
        in_use = black_box(compiled);
        println!("{}", took.as_micros());
    }
    drop(in_use);
    Ok(())
}

/// What this thread has used: unlike the clock on the wall it does not run while others have the processor. What the kernel
/// shows in `/proc` moves on by ticks of four milliseconds, as long as a whole reading takes.
fn processor_time() -> Duration {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        used.tv_sec.unsigned_abs(),
        used.tv_nsec.unsigned_abs() as u32,
    )
}

/// The first of them meet a cold processor.
const READINGS: usize = 30;
