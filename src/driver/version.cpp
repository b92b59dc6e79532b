#include "tare/version.hpp"

namespace tare {

const char* version() noexcept {
  return TARE_VERSION;
}

}  // namespace tare
