// The groups of checks of tare_gpu_check.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report.hpp"
#include "tare/kernel.hpp"

namespace tare::gpu_check {

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

template <class T>
std::vector<T> read(const Buffer& buffer) {
  std::vector<T> host(buffer.bytes() / sizeof(T));
  buffer.copy_to(std::as_writable_bytes(std::span(host)));
  return host;
}

void check_arguments(Report& report, const PrimaryContext& context);
void check_limits(Report& report, const PrimaryContext& context);
void check_shared_memory(Report& report, const PrimaryContext& context);
void check_registers(Report& report, const PrimaryContext& context);
void check_cooperative(Report& report, const PrimaryContext& context);
void check_clusters(Report& report, const PrimaryContext& context);
void check_modules(Report& report, const PrimaryContext& context);

void check_gate(Report& report, const PrimaryContext& context);
void check_foreign_context(Report& report, const PrimaryContext& context);
void check_ipc(Report& report, const PrimaryContext& context);
void check_fork(Report& report, const PrimaryContext& context);
void check_clocks(Report& report, const PrimaryContext& context);

void check_illegal_address(Report& report);
void check_faults(Report& report);
void check_exit(Report& report);

/// Roles of check_faults: print an IPC handle and end; print the code that a fault is answered with.
int export_and_end();
void print_fault(std::size_t number);

/// What this program does when it starts itself again for the checks above; false: no such role.
bool run_role(std::span<const std::string> arguments, int& exit_code);

}  // namespace tare::gpu_check
