//! Normalisation of each row by its root mean square: later.
