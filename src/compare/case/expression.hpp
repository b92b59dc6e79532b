// Integer expressions over a case's values: + - * / and parentheses.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tare::compare {

/// What a name in an expression stands for. Throws Complaint for a name it does not know.
using ValueOf = std::function<std::int64_t(const std::string& name)>;

/// Evaluates in 64-bit signed integers. `/` rounds towards minus infinity, so that "(n + 255) / 256" is the
/// number of blocks. Throws Complaint for bad syntax, an unknown name, a division by zero, and any result
/// or step that does not fit.
std::int64_t evaluate(std::string_view expression, const ValueOf& value_of);

/// The same over a plain map.
std::int64_t evaluate(std::string_view expression, const std::map<std::string, std::int64_t>& values);

/// Whether `text` can be a value's name: a letter or underscore, then letters, digits and underscores.
bool is_name(std::string_view text);

}  // namespace tare::compare
