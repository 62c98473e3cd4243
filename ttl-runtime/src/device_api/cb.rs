//! Circular buffers: ends and guards.

use crate::sim::ops;
use crate::site::Site;
use crate::tensor::format::Element;
use std::marker::PhantomData;

/// The producer end of a circular buffer of `T` tiles.
#[derive(Debug)]
pub struct CbOut<T> {
    pub(crate) id: u32,
    _format: PhantomData<T>,
}

/// The consumer end of a circular buffer of `T` tiles.
#[derive(Debug)]
pub struct CbIn<T> {
    pub(crate) id: u32,
    _format: PhantomData<T>,
}

impl<T: Element> CbOut<T> {
    pub(crate) fn new(id: u32) -> CbOut<T> {
        CbOut { id, _format: PhantomData }
    }

    /// Waits until `pages` pages are free (`cb_reserve_back`). The guard pushes them when it leaves its scope; one reservation at a time.
    #[track_caller]
    pub fn reserve_back(&self, pages: u32) -> Reserved<'_, T> {
        let site = Site::caller();
        ops::cb_reserve_back(self.id, pages, site);
        Reserved { cb: self.id, pages, site, _end: PhantomData }
    }

    /// Bytes of one tile of the buffer's format (`get_tile_size`).
    #[track_caller]
    pub fn get_tile_size(&self) -> u32 {
        ops::get_tile_size(self.id, Site::caller())
    }
}

impl<T: Element> CbIn<T> {
    pub(crate) fn new(id: u32) -> CbIn<T> {
        CbIn { id, _format: PhantomData }
    }

    /// Waits until `pages` pages are there (`cb_wait_front`). The guard pops them when it leaves its scope.
    #[track_caller]
    pub fn wait_front(&self, pages: u32) -> Front<'_, T> {
        let site = Site::caller();
        ops::cb_wait_front(self.id, pages, site);
        Front { cb: self.id, pages, site, _end: PhantomData }
    }

    /// Bytes of one tile of the buffer's format (`get_tile_size`).
    #[track_caller]
    pub fn get_tile_size(&self) -> u32 {
        ops::get_tile_size(self.id, Site::caller())
    }
}

/// Reserved pages of a circular buffer: to be filled, then pushed.
#[derive(Debug)]
#[must_use = "a reserved block is pushed when it is dropped: keep it until it is filled"]
pub struct Reserved<'a, T> {
    pub(crate) cb: u32,
    pub(crate) pages: u32,
    site: Site,
    _end: PhantomData<&'a CbOut<T>>,
}

impl<T: Element> Reserved<'_, T> {
    /// Gives the pages to the consumer (`cb_push_back`).
    #[track_caller]
    pub fn push_back(mut self) {
        self.site = Site::caller();
    }

    /// Writes word `word` of the reserved pages, little-endian. For data-movement kernels.
    #[track_caller]
    pub fn write_u32(&mut self, word: u32, value: u32) {
        let site = Site::caller();
        ops::check_word(self.cb, word, self.pages, site);
        ops::l1_write_u32(ops::get_write_ptr(self.cb, site) + 4 * word, value, site);
    }

    /// L1 address of the first reserved byte (`get_write_ptr`).
    #[track_caller]
    pub fn get_write_ptr(&self) -> u32 {
        ops::get_write_ptr(self.cb, Site::caller())
    }
}

impl<T> Drop for Reserved<'_, T> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            ops::cb_push_back(self.cb, self.pages, self.site);
        }
    }
}

/// Pages at the front of a circular buffer: to be read, then popped.
#[derive(Debug)]
#[must_use = "a waited block is popped when it is dropped: keep it while it is read"]
pub struct Front<'a, T> {
    pub(crate) cb: u32,
    pub(crate) pages: u32,
    site: Site,
    _end: PhantomData<&'a CbIn<T>>,
}

impl<T: Element> Front<'_, T> {
    /// Gives the pages back to the producer (`cb_pop_front`).
    #[track_caller]
    pub fn pop_front(mut self) {
        self.site = Site::caller();
    }

    /// Ends the guard without `cb_pop_front`: the pages stay, and the next [`CbIn::wait_front`] has them again. For what two rounds of a loop read, such as
    /// a running maximum; another guard has to pop them.
    pub fn keep_front(self) {
        std::mem::forget(self);
    }

    /// Reads word `word` of the waited pages, little-endian. For data-movement kernels.
    #[track_caller]
    pub fn read_u32(&self, word: u32) -> u32 {
        let site = Site::caller();
        ops::check_word(self.cb, word, self.pages, site);
        ops::l1_read_u32(ops::get_read_ptr(self.cb, site) + 4 * word, site)
    }

    /// L1 address of the first byte (`get_read_ptr`).
    #[track_caller]
    pub fn get_read_ptr(&self) -> u32 {
        ops::get_read_ptr(self.cb, Site::caller())
    }
}

impl<T> Drop for Front<'_, T> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            ops::cb_pop_front(self.cb, self.pages, self.site);
        }
    }
}
