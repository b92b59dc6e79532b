// All of libtare.
#pragma once

#include "tare/buffer.hpp"
#include "tare/cache.hpp"
#include "tare/clocks.hpp"
#include "tare/compile.hpp"
#include "tare/device.hpp"
#include "tare/device_span.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"
#include "tare/jit.hpp"
#include "tare/kernel.hpp"
#include "tare/program.hpp"
#include "tare/raw_kernel.hpp"
#include "tare/source_module.hpp"
#include "tare/stream.hpp"
#include "tare/toolkit.hpp"
#include "tare/version.hpp"
