//! What `cargo xtask counts` has callgrind count: `counts CASE TIMES CACHE` does the work of a case that many times, within
//! [`callgrind_counts_this`]. `CACHE` is a folder for compiled plugins: compiling under valgrind takes half a minute.

#[path = "work/plugin.rs"]
mod plugin;
#[path = "work/record.rs"]
mod record;

use std::path::Path;

use plugin::Iterations;
use record::Records;

/// Iterations before those that are counted, so that memory has been grown and lists have found their size.
const WARM_UP: u32 = 100;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [case, times, cache] = arguments.as_slice() else { panic!("counts CASE TIMES CACHE, not {arguments:?}") };
    let times: u32 = times.parse().expect("TIMES is a number");
    let of_plugin = |name| {
        let mut iterations = Iterations::of(name, Some(Path::new(cache)));
        Box::new(move || iterations.make()) as Box<dyn FnMut()>
    };
    let mut work: Box<dyn FnMut()> = match case.as_str() {
        "plugin-raw" => of_plugin(plugin::RAW),
        "plugin-sdk" => of_plugin(plugin::SDK),
        "record-few" => {
            let mut records = Records::few();
            Box::new(move || records.make())
        }
        "record-many" => {
            let mut records = Records::many();
            Box::new(move || records.make())
        }
        other => panic!("there is no case {other}"),
    };
    for _ in 0..WARM_UP {
        work();
    }
    callgrind_counts_this(&mut *work, times);
}

/// Callgrind is told to count from the entry of this function to its end, by this name.
#[inline(never)]
fn callgrind_counts_this(work: &mut dyn FnMut(), times: u32) {
    for _ in 0..times {
        work();
    }
}
