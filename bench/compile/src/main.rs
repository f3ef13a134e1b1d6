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

use jouska::table;

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args_os().nth(1).ok_or("name a file with a table")?;
    let text = fs::read_to_string(file)?;
    for _ in 0..READINGS {
        let started = processor_nanoseconds()?;
        let compiled = table::compile_text(black_box(&text)).map_err(|error| error.to_string())?;
        let took = processor_nanoseconds()? - started;
        black_box(compiled);
        println!("{}", took / 1000);
    }
    Ok(())
}

/// What this thread has used, as Linux counts it: unlike the clock on the wall it does not run while others have the processor.
fn processor_nanoseconds() -> Result<u64, Box<dyn Error>> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let used = text.split(' ').next().ok_or("schedstat is empty")?;
    Ok(used.parse()?)
}

/// The first of them meet a cold processor.
const READINGS: usize = 30;
