# Thin: every target sets up what it needs, says so, and is quick the second time.
#   make compare            the built-in comparison        ARGS="--quick --rows nvrtc,clang"
#   make test               the whole test suite           TESTS=regex  PRESET=dev
#   make bench              the benchmarks
# NVIDIA=no leaves NVIDIA's compilers out where no CUDA toolkit is installed. PYTHON_ROWS=no leaves out the
# Python environments that `make test` installs into the build folder; PYTHON_ROWS=yes makes them for TESTS too.
PRESET ?= release
BUILD  := build/$(PRESET)
JOBS   ?= $(shell nproc)
export NVIDIA

.PHONY: all compare test bench build configure setup format lint clean
all: build

setup:
	@scripts/setup

configure: setup
	@if [ ! -f $(BUILD)/build.ninja ]; then \
	  echo "configure: $(PRESET)"; \
	  cmake --preset $(PRESET) $(if $(TARE_WERROR),-DTARE_WERROR=$(TARE_WERROR)) > build/configure.log 2>&1 \
	    || { tail -n 25 build/configure.log; exit 1; }; fi

# $(call ninja,TARGETS): builds them, printing only what changed hands.
define ninja
	@if [ "$$(ninja -C $(BUILD) -n $(1) 2>/dev/null | tail -n 1)" != "ninja: no work to do." ]; then \
	  echo "build: $(if $(1),$(1),everything) ($(PRESET), $(JOBS) jobs; minutes the first time)"; \
	  ninja -C $(BUILD) -j $(JOBS) $(1); fi
endef

build: configure
	$(call ninja,)

compare: configure
	$(call ninja,tare tare_cuda_cpu)
	@$(BUILD)/bin/tare compare $(ARGS)

test: build
	@$(if $(filter yes,$(or $(PYTHON_ROWS),$(if $(TESTS),no,yes))),scripts/python-rows $(BUILD),:)
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure $(if $(TESTS),-R '$(TESTS)')

bench: build
	@scripts/bench $(BUILD)

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

lint:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run -Werror
	@scripts/lint $(BUILD)

clean:
	rm -rf build
