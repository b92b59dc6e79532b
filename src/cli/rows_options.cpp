// The options of `tare rows`, `tare rows install` and `tare rows download`.
#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace tare::cli {
namespace {

constexpr const char* kRowsExamples = R"(
Examples:
  tare rows
  tare rows --device cpu                    as if there were no GPU
  tare rows install cupy numba              their Python environments (tare rows install --help)
)";
constexpr const char* kInstallExamples = R"(
Each environment holds exactly the versions that the row's file names, below TARE_DATA_DIR (default:
XDG_DATA_HOME/tare, else HOME/.local/share/tare). uv is used if it is found, else pip; the settings of
either apply. What is there already is left as it is.

Examples:
  tare rows install                         every Python row that can run here
  tare rows install cupy numba --cuda 12    libraries for CUDA 12
  tare rows install pycuda --python python3.12
  tare rows install --wheelhouse wheels --offline    with what tare rows download has fetched

Exit codes: 0 all are there; 1 one could not be installed; 2 usage; 130 interrupted.
)";
constexpr const char* kDownloadExamples = R"(
Examples:
  tare rows download --dir wheels --python 3.12 --cuda 13
  tare rows download cupy --dir wheels --machine aarch64
)";

void add_cuda(CLI::App& app, int& cuda) {
  app.add_option("--cuda", cuda, "CUDA major version of the libraries (default: what suits the driver)")
      ->type_name("12|13")
      ->check(CLI::IsMember({12, 13}).description(""));
}

void add_install(CLI::App& rows, CommandLine& line, RawTexts& raw) {
  CLI::App* install = rows.add_subcommand("install", "Make the Python environments of rows");
  CLI::App* download =
      rows.add_subcommand("download", "Fetch the packages for a machine that has no network");
  install->footer(kInstallExamples);
  install->callback([&line] { line.command = Command::rows_install; });
  install->add_option("rows", line.install.rows, "Rows (default: all that can run here)")->type_name("ROW");
  add_cuda(*install, line.install.cuda);
  install->add_option("--python", line.install.interpreter, "The interpreter to make environments from")
      ->type_name("PATH");
  install->add_option("--wheelhouse", raw.wheelhouse, "A folder of packages to look in first")
      ->type_name("DIR");
  install->add_flag("--offline", line.install.offline, "Ask no package index");
  add_device(*install, raw);
  download->footer(kDownloadExamples);
  download->callback([&line] { line.command = Command::rows_download; });
  download->add_option("rows", line.download.rows, "Rows (default: all)")->type_name("ROW");
  download->add_option("--dir", raw.download_directory, "Where to put the packages")
      ->type_name("DIR")
      ->required();
  download->add_option("--python", line.download.version, "Version of the Python there (default: as here)")
      ->type_name("3.N");
  add_cuda(*download, line.download.cuda);
  download->add_option("--machine", line.download.machine, "Processor there (default: as here)")
      ->type_name("x86_64|aarch64")
      ->check(CLI::IsMember({"x86_64", "aarch64"}).description(""));
  download->add_option("--with", line.download.interpreter, "The interpreter whose pip fetches them")
      ->type_name("PATH");
  add_device(*download, raw);
}

}  // namespace

void add_rows(CLI::App& app, CommandLine& line, RawTexts& raw) {
  app.footer(kRowsExamples);
  app.callback([&line, &app] {
    if (app.get_subcommands().empty()) line.command = Command::rows;
  });
  add_python(app, line, raw);
  add_install(app, line, raw);
  app.add_flag("--json", line.rows_json, "Print a JSON array instead");
}

void take_install(CommandLine& line, const RawTexts& raw) {
  line.install.wheelhouse = raw.wheelhouse;
  line.install.device = line.download.device = raw.device;
  line.download.directory = raw.download_directory;
  const std::string& version = line.download.version;
  if (!version.empty() &&
      (!version.starts_with("3.") || version.find_first_not_of("0123456789", 2) != std::string::npos ||
       version.size() < 3))
    throw UsageError("--python: `" + version + "` is not a version like 3.12");
}

}  // namespace tare::cli
