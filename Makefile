# Short names for what people do most; the build itself is CMake's (CMakeLists.txt).
BUILD ?= build
PREFIX ?= /usr/local
CONFIGURE = cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release

.PHONY: build demo check check-long bench install clean deps deps-test

build: deps
	@mkdir -p $(BUILD)
	@$(CONFIGURE) -DCRP_TESTS=OFF >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log >&2; exit 1; }
	@ninja -C $(BUILD) --quiet
	@echo "built $(BUILD)/corpuscle"

# Packages that are missing (packages.txt).
deps:
	@sh tools/deps.sh build

deps-test:
	@sh tools/deps.sh build test

# The seven-layer skin model on the best device there is.
demo: build
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
