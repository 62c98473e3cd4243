//! Printing, assertions and named zones.

use super::{Step, Stop, op};
use crate::sim::debug::Printed;
use crate::sim::error::ErrorKind;
use crate::sim::thread::Cx;
use crate::sim::timeline;
use crate::site::Site;
use crate::tensor::HostTensor;

/// Runs `f` without counting it as an operation of a random schedule, so that a print moves nothing. A thread that does nothing else
/// lets others run all the same.
fn aside<T>(site: Site, mut f: impl FnMut(&mut Cx<'_>) -> Step<T>) -> T {
    super::attempts(site, |cx| {
        cx.count_down()?;
        f(cx)
    })
}

/// Whether anybody looks at what kernels print. If not, a kernel need not format it.
pub fn printing(site: Site) -> bool {
    aside(site, |cx| Ok(cx.shared.options.prints.are_on()))
}

/// Prints text. What stands before the end of a line waits for the rest of it, at most until the kernel ends.
pub fn print(text: &str, site: Site) {
    aside(site, |cx| {
        if !cx.shared.options.prints.are_on() {
            return Ok(());
        }
        let who = cx.core.who(cx.me);
        let unfinished = std::mem::take(&mut cx.core.threads[cx.me].line);
        let mut rest = unfinished + text;
        while let Some(end) = rest.find('\n') {
            let next = rest.split_off(end + 1);
            rest.truncate(end);
            cx.core.printed.push(Printed { who: who.clone(), text: rest });
            rest = next;
        }
        cx.core.threads[cx.me].line = rest;
        Ok(())
    });
}

/// Ends the thread: an assertion of the kernel does not hold. `message` says which, and what the kernel has to say about it.
pub fn assert_failed(message: &str, site: Site) -> ! {
    loop {
        op::<()>(site, |cx| Err(cx.fail(ErrorKind::Assertion, message, site)));
    }
}

/// Enters a named zone of the kernel; see [`crate::sim::ZoneReport`].
pub fn zone_begin(name: &str, site: Site) {
    aside(site, |cx| {
        let (me, waits) = (cx.me, cx.core.threads[cx.me].waits);
        cx.core.zones.enter(me, name, site, waits);
        timeline::zone_begins(cx.core, me, name, site);
        Ok(())
    });
}

/// Leaves the zone that was entered last.
pub fn zone_end(site: Site) {
    aside(site, |cx| {
        let (me, waits) = (cx.me, cx.core.threads[cx.me].waits);
        if cx.core.zones.leave(me, waits) {
            timeline::zone_ends(cx.core, me);
            return Ok(());
        }
        let error = cx.error(ErrorKind::Kernel, "a zone ends here that did not begin", site);
        Err(Stop::Fail(error.help("enter a zone before leaving it, once for each time")))
    });
}

/// A part of a tile in a circular buffer, to print: rows and columns as `(first, end, step)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TileSlice {
    pub cb: u32,
    /// Counted from the pointer.
    pub tile: u32,
    pub rows: (u32, u32, u32),
    pub cols: (u32, u32, u32),
    /// From the write pointer on, not from the read pointer. In a compute kernel: which side of the buffer the kernel is on.
    pub at_write_pointer: bool,
    /// Ends each row with an end of line.
    pub line_per_row: bool,
}

impl TileSlice {
    /// The whole tile at the pointer, a line for each row.
    pub fn whole(cb: u32, tile: u32, at_write_pointer: bool) -> TileSlice {
        TileSlice { cb, tile, rows: (0, 32, 1), cols: (0, 32, 1), at_write_pointer, line_per_row: true }
    }
}

/// The elements of a part of a tile as text.
pub fn tile_text(slice: &TileSlice, site: Site) -> String {
    let (format, bytes) = aside(site, |cx| {
        let cb = cx.cb("a print of a tile", slice.cb, site)?;
        let c = &cx.core.cbs.list[cb];
        let mine = |end: Option<(usize, Site)>| end.is_some_and(|(thread, _)| thread == cx.me);
        let (pointer, after) = match slice.at_write_pointer {
            true => (if mine(c.producer) { c.write_ptr() } else { c.addr }, c.write_page),
            false => (if mine(c.consumer) { c.read_ptr() } else { c.addr }, c.read_page),
        };
        if after + slice.tile >= c.num_pages {
            let message = format!("a print of tile {} of {}, which has {} pages", slice.tile, c.title(), c.num_pages);
            return Err(Stop::Fail(
                cx.error(ErrorKind::CircularBuffer, message, site)
                    .help("tiles count from 0, from the page at the front or the one to be filled"),
            ));
        }
        let size = c.format.tile_bytes();
        let bytes = cx.core.l1.bytes(pointer + slice.tile * c.page_size, size as usize).to_vec();
        Ok((c.format, bytes))
    });
    let values = match HostTensor::from_tiles([32, 32], format, &bytes) {
        Ok(tile) => tile.to_f32_vec(),
        Err(error) => super::fail(format!("a tile cannot be printed: {error}"), site),
    };
    let range = |(first, end, step): (u32, u32, u32)| (first..end.min(32)).step_by(step.max(1) as usize);
    let mut out = String::new();
    for row in range(slice.rows) {
        let line: Vec<String> = range(slice.cols).map(|col| values[(row * 32 + col) as usize].to_string()).collect();
        out += &line.join(" ");
        out.push(if slice.line_per_row { '\n' } else { ' ' });
    }
    out
}
