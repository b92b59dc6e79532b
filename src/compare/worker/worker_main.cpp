// `tare worker ROW`: the native rows' workers, and what else is a child process of a comparison.
#include <cstdio>
#include <cstring>

#include "compare/case/device_reference.hpp"
#include "compare/case/host_code.hpp"
#include "compare/guard.hpp"
#include "compare/options.hpp"
#include "compare/worker/native_row.hpp"
#include "compare/worker/serve.hpp"

namespace tare::compare {

int worker_main(int argc, char** argv) {
  int at = 1;
  if (at < argc && std::strcmp(argv[at], "worker") == 0) ++at;
  if (at + 1 < argc && std::strcmp(argv[at], "--guard") == 0) return guard_main(argv[at + 1]);
  if (at + 2 < argc && std::strcmp(argv[at], kReferenceOption) == 0)
    return device_reference_main(argv[at + 1], argv[at + 2]);
  if (at >= argc) {
    std::fprintf(stderr, "tare worker: which row?\n");
    return kUsage;
  }
  // What was to be compiled may not all be for a device: no compiler knows how a case says so.
  return serve(argv[at], make_native_row(argv[at]), host_code_hint);
}

}  // namespace tare::compare
