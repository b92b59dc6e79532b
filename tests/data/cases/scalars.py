"""The same in Python."""


def scalars(yes, no, i8, u8, i16, u16, i32, u32, i64, u64, half_way, half_zero, half_signalling, half_tiny, tenth,
            zero, nan32, signalling32, tiny32, tenth64, nan64, signalling64, tiny64, yes_out, no_out, i8_out,
            u8_out, i16_out, u16_out, i32_out, u32_out, i64_out, u64_out, half_way_out, half_zero_out,
            half_signalling_out, half_tiny_out, tenth_out, zero_out, nan32_out, signalling32_out, tiny32_out,
            tenth64_out, nan64_out, signalling64_out, tiny64_out):
    yes_out[0] = yes
    no_out[0] = no
    i8_out[0] = i8
    u8_out[0] = u8
    i16_out[0] = i16
    u16_out[0] = u16
    i32_out[0] = i32
    u32_out[0] = u32
    i64_out[0] = i64
    u64_out[0] = u64
    half_way_out[0] = half_way
    half_zero_out[0] = half_zero
    half_signalling_out[0] = half_signalling
    half_tiny_out[0] = half_tiny
    tenth_out[0] = tenth
    zero_out[0] = zero
    nan32_out[0] = nan32
    signalling32_out[0] = signalling32
    tiny32_out[0] = tiny32
    tenth64_out[0] = tenth64
    nan64_out[0] = nan64
    signalling64_out[0] = signalling64
    tiny64_out[0] = tiny64
