//! Operations of tiles: the method of block expressions, and that of tile registers. The runtime's table has the same (a test compares them).

macro_rules! operations {
    ($($method:ident $tile:ident,)*) => {
        pub const OPERATIONS: &[(&str, &str)] = &[$((stringify!($method), stringify!($tile))),*];
        pub(super) const EXPRESSIONS: &[&str] = &[$(stringify!($method)),*];
        pub(super) const TILES: &[&str] = &[$(stringify!($tile)),*];
    };
}

operations! {
    exp exp_tile,
    relu relu_tile,
    gelu gelu_tile,
    sqrt sqrt_tile,
    recip recip_tile,
    abs abs_tile,
    negative negative_tile,
    square square_tile,
    sign sign_tile,
    identity identity_tile,
    eqz eqz_tile,
    nez nez_tile,
    gtz gtz_tile,
    ltz ltz_tile,
    gez gez_tile,
    lez lez_tile,
    floor floor_tile,
    ceil ceil_tile,
    trunc trunc_tile,
    frac frac_tile,
    isinf isinf_tile,
    isposinf isposinf_tile,
    isneginf isneginf_tile,
    isnan isnan_tile,
    isfinite isfinite_tile,
    signbit signbit_tile,
    rsqrt rsqrt_tile,
    sigmoid sigmoid_tile,
    silu silu_tile,
    tanh tanh_tile,
    log log_tile,
    exp2 exp2_tile,
    expm1 expm1_tile,
    log1p log1p_tile,
    cbrt cbrt_tile,
    sin sin_tile,
    cos cos_tile,
    softsign softsign_tile,
    hardsigmoid hardsigmoid_tile,
    add_unary add_unary_tile,
    sub_unary sub_unary_tile,
    mul_unary mul_unary_tile,
    div_unary div_unary_tile,
    rsub_unary rsub_unary_tile,
    fill fill_tile,
    add add_binary_tile,
    sub sub_binary_tile,
    mul mul_binary_tile,
    select where_tile,
}
