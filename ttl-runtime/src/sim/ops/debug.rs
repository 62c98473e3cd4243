//! Printing, assertions and named zones.

use super::{Step, Stop, op};
use crate::sim::debug::Printed;
use crate::sim::error::ErrorKind;
use crate::sim::thread::{self, Cx};
use crate::site::Site;

/// Runs `f` without counting it as an operation of a random schedule, so that a print moves nothing. A thread that does nothing else
/// lets others run all the same.
fn aside<T>(site: Site, mut f: impl FnMut(&mut Cx<'_>) -> Step<T>) -> T {
    loop {
        let outcome = thread::with(|cx| match cx.count_down().and_then(|()| f(cx)) {
            Ok(value) => Some(value),
            Err(stop) => {
                cx.stop(stop, site);
                None
            }
        });
        match outcome {
            Some(Some(value)) => return value,
            Some(None) => thread::suspend(),
            None => super::outside(site),
        }
    }
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
        Ok(())
    });
}

/// Leaves the zone that was entered last.
pub fn zone_end(site: Site) {
    aside(site, |cx| {
        let (me, waits) = (cx.me, cx.core.threads[cx.me].waits);
        if cx.core.zones.leave(me, waits) {
            return Ok(());
        }
        let error = cx.error(ErrorKind::Kernel, "a zone ends here that did not begin", site);
        Err(Stop::Fail(error.help("enter a zone before leaving it, once for each time")))
    });
}
