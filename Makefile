# `make help` lists what can be done here.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory

# The workspace is for editors. Everything tested, built or shipped is built from
# the modules' own go.mod files.
export GOWORK := off

MODULES := proto-free-contracts services/internal/kit services/directory services/hardware deploy/sandbox
# Of the module deploy: the packages that make test runs. The others have commands of their own.
DEPLOY_TESTS := ./release ./k8s ./test/docs ./test/e2e
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  ?= $(shell git rev-parse --short HEAD 2>/dev/null)
DATE    ?= $(shell git log -1 --format=%cI 2>/dev/null)
# Programs, tests and linters share what is compiled, in every checkout: without paths, C, and
# what -s and -w drop.
export GOFLAGS := $(GOFLAGS) -trimpath -gcflags=all=-dwarf=false
export CGO_ENABLED := 0
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)
# The race detector needs a C compiler. SQLite is C translated to Go, of which it would watch
# every access to memory: that more than doubles the time of the directory's tests. Two tests of
# a large database run without the detector.
RACE    := $(if $(shell command -v "$$(go env CC)"),-race -gcflags=modernc.org/...=-race=false)

.DEFAULT_GOAL := help

##@ The two commands

.PHONY: run
run: ## Start everything on embedded defaults; Ctrl-C stops it (UPSTREAM=real asks the real sources)
	@deploy/dev/run.sh

.PHONY: test
test: build ## Run every test, with PostgreSQL and Redis and through the real gateway
	@deploy/dev/with-services.sh $(MAKE) -j 2 test-modules test-gateway

##@ Building

.PHONY: build
build: bin/gateway programs ## Build bin/directory, bin/hardware, bin/sandbox and bin/gateway

.PHONY: programs
programs:
	@mkdir -p bin
	@for m in services/directory services/hardware deploy/sandbox; do \
	  (cd $$m && go build -ldflags '$(LDFLAGS)' -o $(CURDIR)/bin/ .); done

.PHONY: client
client: ## Generate the TypeScript client and the API reference from the contracts (needs Node)
	@proto-free-contracts/typescript/generate.sh

.PHONY: bin/gateway
bin/gateway:
	@gateway/binary.sh

.PHONY: release
release: bin/lint/goreleaser bin/lint/cyclonedx-gomod ## Make dist: archives, licences, bills of materials and sums of a tag, or a snapshot
	@PATH="$(CURDIR)/bin/lint:$$PATH" goreleaser release --clean --skip=docker,publish \
	  $(shell git describe --exact-match --tags >/dev/null 2>&1 || echo --snapshot)

.PHONY: clean
clean: ## Remove what was built, and the state of make run
	rm -rf bin var dist

##@ Containers

COMPOSE = $(shell deploy/docker/compose-plugin.sh)
LABELS  = VERSION=dev REVISION=$(COMMIT) CREATED=$(DATE)

.PHONY: images
images: ## Build the images backend/directory, backend/hardware and backend/sandbox
	@$(LABELS) $(COMPOSE) build

.PHONY: up
up: ## Start the demonstration in containers
	@$(LABELS) $(COMPOSE) up --build --detach --wait

.PHONY: down
down: ## Stop the composition; data and secrets stay
	@$(COMPOSE) down

.PHONY: logs
logs: ## Follow the logs of the composition
	@$(COMPOSE) logs --follow --tail 50

.PHONY: test-compose
test-compose: build ## Test the composition: build, scale, kill, restart, remove
	@deploy/test/compose/run.sh

.PHONY: test-cluster
test-cluster: ## Hold the manifests to a real Kubernetes control plane, built from source (needs bash and jq)
	@deploy/test/cluster/build.sh
	@cd deploy && REQUIRE_SERVICES=1 go test -count=1 ./test/cluster

.PHONY: test-observability
test-observability: build bin/lint/pint ## Hold alerts, dashboards and traces to the running programs
	@cd deploy && go test ./observability

.PHONY: test-browser
test-browser: build ## Go through the pages in a real Chromium and compare them with the kept pictures
	@deploy/test/browser/chromium.sh
	@cd deploy && go test -timeout 20m ./test/browser

.PHONY: pictures
pictures: build ## Take the kept pictures of the pages again
	@deploy/test/browser/chromium.sh
	@cd deploy && go test -count=1 -timeout 20m ./test/browser -update

##@ Every night

.PHONY: test-faults
test-faults: build ## Kill, freeze and cut off the programs under traffic (every night)
	@E2E_FAULTS=1 REQUIRE_SERVICES=1 deploy/dev/with-services.sh \
	  go -C deploy test -count=1 -timeout 40m -v -run ^TestFaults ./test/e2e

FUZZTIME ?= 30s

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (every night)
	@for p in $$(git grep -l '^func Fuzz' -- '*_test.go' | xargs dirname | sort -u); do cd $(CURDIR)/$$p; \
	  for f in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\).*/\1/p' *_test.go); do \
	    echo "== $$p $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x .; done; done

.PHONY: bench
bench: build ## Compare with a plain handler, a bare Traefik and pgbench on this machine
	@BENCH=1 REQUIRE_SERVICES=1 go -C deploy test -count=1 -timeout 20m ./test/bench -v

##@ Checking

.PHONY: test-short
test-short: ## Run the tests that need neither servers nor built programs
	@for m in $(MODULES); do (cd $$m && go test -short -shuffle=on ./...); done
	@cd deploy && go test -short -shuffle=on ./release ./k8s ./test/docs

# Four packages at once, because the tests of two keep no two cores busy.
# Those of deploy drive programs that are built without the race detector, and would only be
# slower with it.
.PHONY: test-modules
test-modules:
	$(if $(RACE),,@echo 'no C compiler: the tests run without the race detector')
	@for m in $(MODULES); do echo "== $$m"; (cd $$m && CGO_ENABLED=$(if $(RACE),1,0) go test -p 4 $(RACE) -shuffle=on ./...); done
	$(if $(RACE),@cd services/directory && go test -run '^(TestSize|TestOldRowsAreDeletedInBatches)$$' ./internal/database)
	@echo '== deploy'; cd deploy && go test -p 4 -shuffle=on -parallel 4 $(DEPLOY_TESTS)

.PHONY: test-gateway
test-gateway:
	@echo '== gateway'; cd gateway && go test -shuffle=on ./...

.PHONY: lint
lint: bin/lint/staticcheck bin/lint/gosec bin/lint/go-errorlint ## Run vet, staticcheck, gosec and errorlint
	@for m in $(MODULES) deploy gateway; do echo "== $$m"; (cd $$m && go vet ./... \
	  && $(CURDIR)/bin/lint/staticcheck ./... \
	  && $(CURDIR)/bin/lint/go-errorlint ./... \
	  && $(CURDIR)/bin/lint/gosec -quiet -exclude-generated ./...); done

# By version: in .tools it would bring hundreds of modules that other tools would then link.
bin/lint/goreleaser:
	@GOBIN=$(CURDIR)/bin/lint go install github.com/goreleaser/goreleaser/v2@v2.15.2

bin/lint/%: .tools/go.mod .tools/go.sum
	@mkdir -p bin/lint
	@cd .tools && go build -o ../bin/lint/ $$(awk -v t="/$*(/v[0-9]+)?$$" '$$1 !~ /^(module|go|require|tool|\(|\))$$/ && $$1 ~ t {print $$1}' go.mod | head -1)

.PHONY: fmt
fmt: ## Format the code
	@gofmt -w $$(git ls-files '*.go')

.PHONY: check
check: programs bin/lint/oasdiff bin/lint/go-licenses bin/lint/govulncheck ## Check formatting, modules, contracts and the supply chain, then lint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	@for m in $(MODULES) deploy gateway .tools; do (cd $$m && go mod tidy -diff); done
	@proto-free-contracts/breaking.sh
	@.tools/supply-chain.sh
	@$(MAKE) lint

.PHONY: check-client
check-client: ## Check the clients and the API reference against the contracts (needs Node)
	@proto-free-contracts/generators.sh
	@proto-free-contracts/typescript/check.sh

.PHONY: tidy
tidy: ## Tidy every module
	@for m in $(MODULES) deploy gateway .tools; do (cd $$m && go mod tidy); done

##@ Help

.PHONY: help
help: ## Show this
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
