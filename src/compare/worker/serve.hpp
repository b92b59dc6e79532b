// A worker's life: what the owner asks, answered over the descriptors that it gave us.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "compare/worker/native_row.hpp"

namespace tare::compare {

/// Answers until the owner says to close or is gone; returns the process's exit code. `row` may be null:
/// there is no row of that name, which is then what is answered. `hint`: what more to say of a source that
/// does not compile. Without an owner says so on stderr.
int serve(const std::string& name, std::unique_ptr<NativeRow> row,
          const std::function<std::string(const std::string& source)>& hint = {});

}  // namespace tare::compare
