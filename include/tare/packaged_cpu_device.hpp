// Where the CPU device is that came with the libtare which a program is built against. CMake defines
// TARE_PACKAGED_CPU_DEVICE for everything that links tare::tare of an installed package, or of a project that
// Tare is a part of: a static library does not know by itself where it was taken from.
#pragma once

namespace tare::detail {

// Weak: there once, however many files of a program say it, and null where none does.
extern const char* const packaged_cpu_device [[gnu::weak]];
#ifdef TARE_PACKAGED_CPU_DEVICE
const char* const packaged_cpu_device = TARE_PACKAGED_CPU_DEVICE;
#endif

}  // namespace tare::detail
