// What a kernel's text shows of the use of a buffer: only written, read too, or handed on to where the text
// no longer shows it. A guess for `tare init`; no preprocessing, no data flow.
#pragma once

#include <string_view>

namespace tare::compare {

enum class BufferUse {
  unseen,        // its name does not occur
  only_written,  // every occurrence is the target of a plain assignment or store
  only_read,     // it is no target anywhere
  accumulated,   // it is the operand of atomics, and read nowhere else
  read_too,      // it is read as well as written: y[i] = a * x[i] + y[i], y[i] += x[i]
  handed_on,     // written, or its address given to something that may read it
};

/// The use that the text of a kernel's body makes of its parameter `name`. Where in doubt it is rather
/// `read_too` or `handed_on` than `only_written`.
BufferUse use_of_buffer(std::string_view body, std::string_view name);

}  // namespace tare::compare
