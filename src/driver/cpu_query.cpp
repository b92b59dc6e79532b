#include "driver/cpu_query.hpp"

#include <nlohmann/json.hpp>

namespace tare::detail {

bool takes_ptx_only(const std::string& answer) {
  const auto json = nlohmann::json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return false;
  const auto code = json.find("code");
  return code != json.end() && *code == nlohmann::json::array({"ptx"});
}

}  // namespace tare::detail
