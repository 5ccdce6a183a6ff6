# The one entry. Each target installs what it needs, says so, and fails where it cannot do what it promises.
SHELL := /bin/bash
.DEFAULT_GOAL := help
SWIFT_FILES := Package.swift Sources Tests Examples
# Deterministic, and small on two cores.
export MALLOC_ARENA_MAX ?= 2

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

.PHONY: setup
setup: ## install the Debian packages that building needs
	@.ci/setup build

.PHONY: build
build: setup ## build the programs, optimized
	swift build -c release --product avatar-server
	swift build -c release --product avatar-worker

.PHONY: run
run: build ## build and start the service on its defaults (127.0.0.1:8080, control side on 8081)
	exec .build/release/avatar-server serve

.PHONY: demo
demo: build ## the same with a sample origin on loopback: something to look at without a network
	exec .build/release/avatar-server serve --demo

.PHONY: test
test: ## every test
	@.ci/setup test
	swift build -c release --product avatar-server
	swift build -c release --product avatar-worker
	swift build -c release --product avatar-bench
	swift build -c release --product bare-responder
	swift build --build-tests
	swift build --build-tests --package-path Tests/KitHarness --scratch-path .build/kit-harness
	.ci/test

.PHONY: bench
bench: build ## every scenario of avatar-bench against its budgets; the result goes into .build/bench
	@.ci/setup bench
	swift build -c release --product bare-responder
	swift build -c release --product avatar-bench
	@mkdir -p .build/bench
	.build/release/avatar-bench --json .build/bench/result.json --html .build/bench/result.html

.PHONY: crash
crash: build ## kill the server 200 times under load and look at the whole cache after each
	benchmarks/crash.py --rounds 200

.PHONY: soak
soak: build ## ten minutes of churn: the cache's limit holds, memory and descriptors stay flat
	benchmarks/soak.py --seconds 600

.PHONY: image
image: ## build the container image and prove it (as root; minutes, no Docker engine needed)
	@.ci/setup image
	benchmarks/image.sh

.PHONY: corpus
corpus: build ## every picture of Pillow's own tests through the service, compared with Pillow
	@.ci/setup test
	python3 benchmarks/corpus.py

.PHONY: proofs
proofs: build ## thousands of waiters, a hundred killed workers, memory after thousands of misses
	@.ci/setup test
	python3 benchmarks/waiters.py
	python3 benchmarks/worker-kills.py
	python3 benchmarks/memory.py

.PHONY: bench-peers
bench-peers: build ## the comparison with nginx, Varnish and thumbor, into benchmarks/RESULTS.md (minutes)
	@.ci/setup peers
	swift build -c release --product avatar-bench
	swift build -c release --product bare-responder
	benchmarks/peers.py --markdown benchmarks/RESULTS.md

.PHONY: kit-sanitize
kit-sanitize: ## the phone's library under the thread sanitizer
	@.ci/setup test
	swift test --sanitize=thread --disable-xctest --no-parallel --package-path Tests/KitHarness \
	  --scratch-path .build/kit-harness-tsan

ROUNDS ?= 5000
.PHONY: jpeg-sanitize
jpeg-sanitize: ## damaged JPEGs by our entropy decoder and by libjpeg-turbo's, under the address and undefined-behaviour sanitizers
	@.ci/setup build
	@mkdir -p .build/sanitize
	@# Swift's own clang: its linker is told more than it wants to know, which is shown where it fails.
	"$$(dirname "$$(readlink -f "$$(command -v swift)")")"/clang -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	  -DCJPEG_CHUNK_BYTES=2600 -DCJPEG_WINDOW_BLOCKS=24 -ISources/CJPEG/include -o .build/sanitize/jpeg-damage Tests/Support/jpeg-damage.c Sources/CJPEG/*.c -ljpeg \
	  2> .build/sanitize/log || { cat .build/sanitize/log; exit 1; }
	.build/sanitize/jpeg-damage $(ROUNDS) $$(date +%j) Tests/AvatarNormalizeTests/Samples/*.jpg

.PHONY: lint
lint: ## formatting and house style, strictly
	swift format lint --strict --recursive --parallel $(SWIFT_FILES)

.PHONY: format
format: ## format in place
	swift format --in-place --recursive --parallel $(SWIFT_FILES)

.PHONY: clean
clean: ## remove what was built
	rm -rf .build
