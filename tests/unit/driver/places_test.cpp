#include "driver/places.hpp"

#include <gtest/gtest.h>

namespace {

using tare::detail::cpu_device_places;
using tare::detail::real_driver_places;
using Places = std::vector<std::string>;

TEST(DriverPlaces, TheLoadersOwnSearchComesFirstForARealDriver) {
  EXPECT_EQ(real_driver_places().front(), "libcuda.so.1");
}

TEST(DriverPlaces, TheCpuDeviceIsLookedForBesideProgramAndLibraryThenInThePackageThenWhereItIsInstalled) {
  EXPECT_EQ(cpu_device_places({.environment = "",
                               .executable = "/app/bin/tool",
                               .library = "/opt/tare/lib/libtare.so",
                               .packaged_device = "/package/lib/tare/cpu/libcuda.so.1",
                               .installed_device = "/usr/local/lib/tare/cpu/libcuda.so.1"}),
            (Places{"/app/lib/tare/cpu/libcuda.so.1", "/opt/tare/lib/tare/cpu/libcuda.so.1",
                    "/package/lib/tare/cpu/libcuda.so.1", "/usr/local/lib/tare/cpu/libcuda.so.1"}));
}

TEST(DriverPlaces, AStaticLibraryAddsTheProgramsOwnFolderOnly) {
  EXPECT_EQ(cpu_device_places({"", "/build/tests/unit", "/build/tests/unit", "", ""}),
            (Places{"/build/lib/tare/cpu/libcuda.so.1", "/build/tests/tare/cpu/libcuda.so.1"}));
}

TEST(DriverPlaces, AnExplicitCpuDeviceIsTheOnlyPlace) {
  EXPECT_EQ(cpu_device_places(
                {"/elsewhere/libcuda.so.1", "/app/bin/tool", "/app/bin/tool", "/usr/lib/w", "/usr/lib/x"}),
            (Places{"/elsewhere/libcuda.so.1"}));
}

TEST(DriverPlaces, AProgramThatIsBuiltHereNamesNoPackage) {
  EXPECT_EQ(tare::detail::this_process().packaged_device, "");
}

TEST(DriverPlaces, ThisProcessNamesItsOwnProgram) {
  EXPECT_EQ(tare::detail::this_process().executable.parent_path().filename(), "tests");
}

}  // namespace
