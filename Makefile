# Short names for what people do most; the build itself is CMake's (CMakeLists.txt).
BUILD ?= build
PREFIX ?= /usr/local
CONFIGURE = cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release

.PHONY: build program demo check check-long bench install clean deps deps-divergence deps-test

build: deps deps-divergence
	@mkdir -p $(BUILD)
	@$(CONFIGURE) -DCRP_TESTS=OFF >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log >&2; exit 1; }
	@ninja -C $(BUILD) --quiet
	@echo "built $(BUILD)/corpuscle"
	@[ ! -x $(BUILD)/corpuscle-divcc ] || echo "built $(BUILD)/corpuscle-divcc"

# The simulation program alone: needs no LLVM.
program: deps
	@mkdir -p $(BUILD)
	@$(CONFIGURE) -DCRP_TESTS=OFF >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log >&2; exit 1; }
	@ninja -C $(BUILD) --quiet corpuscle

# Packages that are missing (packages.txt).
deps:
	@sh tools/deps.sh build

# LLVM for the compiler tool; without it the rest is built all the same.
deps-divergence: deps
	@sh tools/deps.sh divergence || echo "build: the compiler tool (corpuscle-divcc) is left out" >&2

deps-test:
	@sh tools/deps.sh build divergence test

# The seven-layer skin model on the best device there is.
demo: program
	$(BUILD)/corpuscle run examples/light/skin7.mci --device auto

# Every test; the last line counts them. About ten minutes on two cores.
check: deps-test
	@sh tools/check.sh $(BUILD) quick

# The statistical tests with ten times the histories.
check-long: deps-test
	@sh tools/check.sh $(BUILD) long

bench: build
	$(BUILD)/corpuscle bench light

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf $(BUILD)
