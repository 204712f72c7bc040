# The command table. CI calls the same targets.
SHELL := bash
.DEFAULT_GOAL := help

# Programs and packages are named by what they are; `make help` prints the lines with two hashes.
.PHONY: help demo test build lint generate generate-check unit interop cluster cluster-down image e2e bench

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

unit: ## tests that need neither a cluster nor other programs
	cargo test --locked --workspace --exclude nettest-e2e --exclude nettest-engine
	cargo test --locked --package nettest-engine --lib --bins --test program --test session

interop: ## our engine against stock iperf3 3.12 and 3.18, both roles
	cargo test --locked --package nettest-engine --test interop -- --test-threads=1

cluster: ## a real two-node Kubernetes on this machine, with image and chart; needs root on Debian
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

bench: ## our engine and stock iperf3 side by side on loopback
	@hack/bench
