# Thin: every target sets up what it needs, says so, and is quick the second time.
#   make compare            the built-in comparison        ARGS="--quick --rows nvrtc,clang"
#   make test               the whole test suite           TESTS=regex  PRESET=dev
#   make kernel-matrix      all complete kernels in every way that the CPU device compiles
#   make bench              the benchmarks
#   make lint               formatting and clang-tidy
# NVIDIA=no leaves NVIDIA's compilers out where no CUDA toolkit is installed. PYTHON_ROWS=no leaves out the
# Python environments that `make test` installs into the build folder; PYTHON_ROWS=yes makes them for TESTS too.
PRESET ?= release
BUILD  := build/$(PRESET)
JOBS   ?= $(shell nproc)
export NVIDIA
SHELL := /bin/bash

.PHONY: all compare test kernel-matrix bench build configure setup format check-format lint clean
all: build

setup:
	@scripts/setup

configure: setup
	@if [ ! -f $(BUILD)/build.ninja ]; then \
	  echo "configure: $(PRESET)"; \
	  cmake --preset $(PRESET) $(if $(TARE_WERROR),-DTARE_WERROR=$(TARE_WERROR)) > build/configure.log 2>&1 \
	    || { tail -n 25 build/configure.log; exit 1; }; fi

# $(call ninja,TARGETS): builds them; says nothing where there is nothing to do.
define ninja
	@[ -f $(BUILD)/.ninja_log ] || echo "build: $(if $(1),$(1),everything) ($(PRESET), $(JOBS) jobs), minutes the first time"
	@set -o pipefail; ninja -C $(BUILD) -j $(JOBS) $(1) | sed -u -E '/^(ninja: (Entering directory|no work to do)|\[0\/[0-9]+\] Re-checking globbed)/d'
endef

build: configure
	$(call ninja,)

compare: configure
	$(call ninja,tare tare_cuda_cpu)
	@$(BUILD)/bin/tare compare $(ARGS)

test: build
	@$(if $(filter yes,$(or $(PYTHON_ROWS),$(if $(TESTS),no,yes))),scripts/python-rows $(BUILD),:)
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure $(if $(TESTS),-R '$(TESTS)')

# The complete kernels in the one way of compiling in which the suite runs some of them.
kernel-matrix: build
	@ctest --test-dir $(BUILD) -C matrix -R '^Kernel(s|Matrix)\.(automatic|general|fast)' -j $(JOBS) --output-on-failure

bench: build
	@scripts/bench $(BUILD)

FORMATTED := '*.cpp' '*.hpp' '*.cuh'
format: setup
	@git ls-files $(FORMATTED) | xargs clang-format -i

lint: configure
	@$(MAKE) --no-print-directory check-format
	@scripts/lint $(BUILD)

check-format: setup
	@git ls-files $(FORMATTED) | xargs clang-format --dry-run -Werror

clean:
	rm -rf build
