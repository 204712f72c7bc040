# The command table. CI calls the same targets.
SHELL := bash
.DEFAULT_GOAL := help

# Programs and packages are named by what they are; `make help` prints the lines with two hashes.
.PHONY: help demo test build lint generate generate-check unit interop cluster cluster-down image e2e
.PHONY: bench bench-instructions fuzz scale soak

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## build, then measure this machine with examples/quickstart.yaml; needs Rust only
	@hack/demo

test: ## everything: build, unit, interop, the real cluster; needs root on Debian; times at the end
	@hack/test

build: ## the three programs as released (optimised, static) into out/bin
	@hack/build

lint: ## formatting, clippy, generated files, chart, scripts
	@hack/lint

generate: ## write what is made from the types: crds/, the chart's copies, references
	@hack/generate

generate-check: ## fail when a generated file is not what `make generate` writes
	@hack/generate --check

unit: ## tests that need no cluster; the truth tests make network namespaces, so as root, with nft, tc and the stock iperf3
	cargo test --locked --workspace --exclude nettest-e2e --exclude nettest-engine --exclude nettest-bench
	cargo test --locked --package nettest-engine --package nettest-bench --lib --bins --test fuzz
	cargo test --locked --package nettest-engine --test program -- --test-threads=6
	cargo test --locked --package nettest-engine --test session -- --test-threads=8
	cargo test --locked --package nettest-engine --test truth -- --test-threads=8 # they mostly wait

interop: ## our engine against stock iperf3 3.12 and 3.18, both roles: the differential suite
	cargo test --locked --package nettest-engine --test differential -- --test-threads=1 --nocapture

cluster: ## a real three-node Kubernetes on this machine, with image and chart; needs root on Debian
	@e2e/cluster/up
	@hack/image
	@e2e/install
	@echo 'eval "$$(e2e/cluster/env)"   # then kubectl and helm speak to it'

cluster-down: ## take it down
	@e2e/cluster/down

image: ## build the image and load it onto the cluster's nodes
	@hack/image

e2e: ## the tests against the cluster, which is started when there is none
	@e2e/run

fuzz: ## the engine's fuzz targets, each for FUZZ_SECONDS (60)
	@hack/fuzz

scale: ## time and memory of planning a mesh of 1,000 nodes, and of a whole run of 100
	@hack/scale

soak: ## 10,000 short sessions against one server, half of them broken
	SOAK_SESSIONS=10000 cargo test --locked --release --package nettest-engine --test session report_089

bench: ## our engine and other programs side by side; ARGS=--help lists the flags, docs/benchmarks.md says more
	@hack/build nettest-engine
	@cargo run --quiet --locked --release --package nettest-bench -- $(ARGS)

bench-instructions: ## instructions of the engine's inner loops, counted by valgrind
	@cargo bench --quiet --locked --package nettest-bench --bench instructions
