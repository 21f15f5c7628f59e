# hcctl: everything is built from source with Go, git and make, and modules from the Go module proxy.
# `make help` lists the targets.

# One flag set for build, vet and test, exported to every tool: another one would compile Kubernetes again. buildvcs is off
# so that a commit alone changes no binary; hcctl is told its version by the linker instead.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -buildvcs=false

GO       ?= go
BIN      := $(CURDIR)/bin
LIBEXEC  := $(BIN)/sandbox-libexec
STAMPS   := $(BIN)/.stamps
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT   ?= $(shell git rev-parse HEAD 2>/dev/null)
# The commit's time in UTC: the same wherever it is built.
DATE     ?= $(shell TZ=UTC0 git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)
LDFLAGS  := -s -w
CMDUTIL  := github.com/hcctl/hcctl/pkg/cli/internal/cmdutil
HCCTL_LDFLAGS = $(LDFLAGS) -X $(CMDUTIL).Version=$(VERSION) -X $(CMDUTIL).Commit=$(COMMIT) -X $(CMDUTIL).Date=$(DATE)
# How many end-to-end scripts run at once: they wait a quarter of their time. A sandbox takes one to three GB; e2e/chaos runs
# one more beside.
E2E_PARALLEL ?= 4
# How many packages of ./e2e run at once: e2e/chaos mostly waits, so it runs beside the scripts.
E2E_PACKAGES ?= 2

# Client libraries cannot parse the version of an API server that was not told it by the linker.
KUBE_VERSION = $(shell sed -n 's,^\tk8s.io/kubernetes ,,p' sandbox/go.mod)
KUBE_LDFLAGS = -X k8s.io/component-base/version.gitVersion=$(KUBE_VERSION) \
	-X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=$(word 2,$(subst ., ,$(KUBE_VERSION)))

# What the CRDs in sandbox/crds/generated are made from.
CRD_INPUTS   := $(wildcard sandbox/crds/sync/*.go hack/crds/*.go contracts/*.go contracts/crd/*.go contracts/schemas/*.tsv) \
	sandbox/go.mod sandbox/metallb/go.mod
CRD_STAMP    := sandbox/crds/generated/.synced

.DEFAULT_GOAL := help

.PHONY: all
all: build sandbox ## Build hcctl and the sandbox

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/hcctl
	$(GO) build -ldflags '$(HCCTL_LDFLAGS)' -o $(BIN)/hcctl ./cmd/hcctl

# Run by goreleaser, which says the version: what goes beside the program into archives and packages.
RELEASE := $(BIN)/release
.PHONY: release-files
release-files: build $(CRD_STAMP)
	rm -rf $(RELEASE) && mkdir -p $(RELEASE)/completions $(RELEASE)/sandbox
	$(BIN)/hcctl man $(RELEASE)/man
	for shell in bash fish; do $(BIN)/hcctl completion $$shell > $(RELEASE)/completions/hcctl.$$shell || exit 1; done
	$(BIN)/hcctl completion zsh > $(RELEASE)/completions/_hcctl
	$(BIN)/hcctl completion powershell > $(RELEASE)/completions/hcctl.ps1
	$(GO) run -C hack/tools ./licences -root $(CURDIR) -check -texts $(RELEASE)/licences.txt
	$(GO) run -C hack/tools ./licences -root $(CURDIR) -sandbox -check -texts $(RELEASE)/sandbox/licences.txt

# SOURCE_DATE_EPOCH is the commit's time in seconds, which everything in a release gets.
GORELEASER = SOURCE_DATE_EPOCH=$(EPOCH) HCCTL_COMMIT=$(COMMIT) HCCTL_DATE=$(DATE) HCCTL_SNAPSHOT=$$(echo $(DATE) | tr -dc 0-9) \
	HCCTL_KUBE_LDFLAGS='$(KUBE_LDFLAGS)' PATH="$(BIN):$$PATH" $(BIN)/goreleaser release --clean
EPOCH      = $(shell git log -1 --format=%ct)

# RELEASE_OS and RELEASE_ARCH leave out others, while one works on what a release is made of: goreleaser has no flag for it.
# Of the sandbox one processor is always built, for Linux.
RELEASE_OS   ?= linux, darwin, windows
RELEASE_ARCH ?= amd64, arm64, s390x, ppc64le
comma        := ,
SANDBOX_ARCH  = $(subst $(eval) ,$(comma) ,$(or $(filter amd64 arm64,$(subst $(comma), ,$(RELEASE_ARCH))),amd64))
.PHONY: release-snapshot
release-snapshot: release-tools ## Build all of a release into dist, without publishing anything (docs/install.md)
	@mkdir -p $(BIN)
	sed -e 's/goos: \[linux, darwin, windows\]/goos: [$(RELEASE_OS)]/; s/goarch: \[amd64, arm64, s390x, ppc64le\]/goarch: [$(RELEASE_ARCH)]/' \
		-e 's/goarch: \[amd64, arm64\]/goarch: [$(SANDBOX_ARCH)]/' .goreleaser.yaml > $(BIN)/goreleaser.yaml
	$(GORELEASER) --snapshot --skip=sign -f $(BIN)/goreleaser.yaml
	$(MAKE) --no-print-directory release-image

.PHONY: release
release: release-tools ## Make a release from a tag and put it up as a draft, signed by cosign: only .github/workflows/release.yml runs it
	$(GORELEASER)
	$(MAKE) --no-print-directory release-image

# What Debian has no package for is read by its format. Two builds are compared for this machine's system and for Windows.
# hcctl.exe runs by wine against a sandbox, other processors' hcctl by qemu.
TEST_RELEASE_PACKAGES := binutils-mingw-w64-x86-64 curl qemu-user-static rpm ruby skopeo wine wine64
.PHONY: test-release
test-release: release-snapshot sandbox-programs $(BIN)/krew $(BIN)/verifiers/cosign ## Test what release-snapshot built: install, run, upgrade, remove, verify, build again (root; make test-release-packages lists what else)
	$(GO) test -C hack/release -count=1 -timeout 90m ./...

.PHONY: test-release-packages
test-release-packages: ## List Debian's packages that test-release needs
	@echo $(TEST_RELEASE_PACKAGES)

.PHONY: release-image
release-image: $(BIN)/hcctl-image
	$(BIN)/hcctl-image -dist dist -version "$$(sed -n 's/.*"version":"\([^"]*\)".*/v\1/p' dist/metadata.json)" -commit $(COMMIT) \
		-time $(EPOCH) -licences $(RELEASE)/licences.txt -out dist/image

# goreleaser takes four minutes of processor time the first time; go build then leaves what is up to date alone.
.PHONY: release-tools
release-tools: $(BIN)/goreleaser $(BIN)/hcctl-sbom $(BIN)/hcctl-image

$(BIN)/goreleaser: hack/release/go.mod
	$(GO) build -C hack/release -ldflags '$(LDFLAGS)' -o $@ github.com/goreleaser/goreleaser/v2

# What people install plugins with, and its linter of manifests: for the tests alone. A module of its own, because it
# takes an old client-go that would lead others astray.
$(BIN)/krew: hack/krew/go.mod
	$(GO) build -C hack/krew -ldflags '$(LDFLAGS)' -o $(BIN)/ tool

# Who verifies a release: cosign and gh, for the tests alone. Some five minutes of processor time the first time.
$(BIN)/verifiers/cosign: hack/verifiers/go.mod
	$(GO) build -C hack/verifiers -ldflags '$(LDFLAGS)' -o $(@D)/ tool

$(BIN)/hcctl-sbom $(BIN)/hcctl-image: $(BIN)/hcctl-%: hack/release/go.mod $(wildcard hack/release/sbom/*.go hack/release/image/*.go)
	$(GO) build -C hack/release -ldflags '$(LDFLAGS)' -o $@ ./$*

.PHONY: man
man: build ## Write the manual pages into bin/man
	$(BIN)/hcctl man $(BIN)/man

.PHONY: sandbox
sandbox: sandbox-programs $(STAMPS)/sandbox.sum $(LIBEXEC)/ready.world $(LIBEXEC)/acm.world ## Build bin/hcctl-sandbox and what it runs as children (about 9 minutes the first time)

# Said before anything is built. The program says so, too.
KERNEL := $(shell uname -s)
.PHONY: needs-linux
needs-linux:
	@$(if $(filter Linux,$(KERNEL)),:,$(error the sandbox needs Linux, and this is $(or $(KERNEL),another system): use a Linux machine or container; hcctl itself builds here))

# go build leaves what is up to date alone, and knows that better than make does. Each build tells how far it is.
BUILD_OF = hack/progress/run.sh '$(1)' $(GO) build -C
.PHONY: sandbox-programs
sandbox-programs: needs-linux $(CRD_STAMP)
	@$(call BUILD_OF,Kubernetes and the sandbox) sandbox -ldflags '$(LDFLAGS) $(KUBE_LDFLAGS)' -o $(BIN)/hcctl-sandbox .
	@$(call BUILD_OF,OLM) sandbox/olm -ldflags '$(LDFLAGS)' -o $(LIBEXEC)/olm .
	@$(call BUILD_OF,Open Cluster Management) sandbox/ocm -ldflags '$(LDFLAGS)' -o $(LIBEXEC)/ocm .
	@$(call BUILD_OF,MetalLB) sandbox/metallb -ldflags '$(LDFLAGS)' -o $(LIBEXEC)/metallb-controller go.universe.tf/metallb/controller

$(CRD_STAMP): $(CRD_INPUTS)
	cd sandbox && $(GO) run ./crds/sync
	@touch $@

# The vendor's own HyperShift and Cluster API, for hcctl-sandbox start --profile real. No other target needs them: they take
# some ten minutes of processor time the first time.
HYPERSHIFT := github.com/openshift/hypershift
.PHONY: sandbox-real
sandbox-real: $(LIBEXEC)/hypershift-crds/.synced ## Build the vendor's HyperShift and Cluster API, which the sandbox can run (docs/dev/sandbox.md)
	$(GO) build -C sandbox/real/hypershift -ldflags '$(LDFLAGS)' -o $(LIBEXEC)/ ./hypershift-webhooks \
		$(HYPERSHIFT)/control-plane-operator $(HYPERSHIFT)/hypershift-operator
	$(GO) build -C sandbox/real/clusterapi -ldflags '$(LDFLAGS)' -o $(LIBEXEC)/ tool

$(LIBEXEC)/hypershift-crds/.synced: $(wildcard sandbox/crds/sync/*.go) sandbox/go.mod sandbox/real/hypershift/go.mod
	cd sandbox && $(GO) run ./crds/sync -real $(@D)
	@touch $@

# The kube-apiserver of other versions, unchanged, for hcctl-sandbox start --kubernetes: some six minutes of processor time
# and 3 GB of build cache each the first time. KUBERNETES chooses some of them.
KUBERNETES ?= $(sort $(notdir $(patsubst %/go.mod,%,$(wildcard sandbox/kubernetes/*/go.mod))))
.PHONY: sandbox-kubernetes
sandbox-kubernetes: ## Build the API servers of other versions of Kubernetes, which the sandbox can run (docs/dev/sandbox.md)
	@for minor in $(KUBERNETES); do \
		version=$$($(GO) list -C sandbox/kubernetes/$$minor -m -f '{{.Version}}' k8s.io/kubernetes) && echo "kube-apiserver $$version" && \
		$(GO) build -C sandbox/kubernetes/$$minor -ldflags "$(LDFLAGS) -X k8s.io/component-base/version.gitVersion=$$version \
			-X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=$${minor#1.}" \
			-o $(LIBEXEC)/kube-apiserver-$$minor k8s.io/kubernetes/cmd/kube-apiserver || exit 1; done

# The vendor's own Argo CD, for make test-gitops alone: some six minutes of processor time the first time.
.PHONY: sandbox-gitops
sandbox-gitops: ## Build the vendor's Argo CD, with kustomize and a redis in memory, for make test-gitops
	$(GO) build -C sandbox/gitops -ldflags '$(LDFLAGS)' -o $(LIBEXEC)/argocd .
	@mkdir -p $(LIBEXEC)/argocd-crds
	install -m 644 "$$($(GO) list -C sandbox/gitops -m -f '{{.Dir}}' github.com/argoproj/argo-cd/v3)"/manifests/crds/*-crd.yaml $(LIBEXEC)/argocd-crds
	@mkdir -p $(LIBEXEC)/argocd-bin
	@for name in redis kustomize argocd-repo-server argocd-application-controller argocd-applicationset-controller; do \
		ln -sf ../argocd $(LIBEXEC)/argocd-bin/$$name; done

# go build touches even what it leaves alone, so the recording goes by the programs' content, not by their time. The programs
# get their old time back: go test then knows that its results still hold.
SANDBOX_PROGRAMS := $(BIN)/hcctl-sandbox $(LIBEXEC)/olm $(LIBEXEC)/ocm $(LIBEXEC)/metallb-controller
$(STAMPS)/sandbox.sum: sandbox-programs
	@mkdir -p $(STAMPS)
	@cksum $(SANDBOX_PROGRAMS) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
	@touch -r $@ $(SANDBOX_PROGRAMS)

$(LIBEXEC)/%.world: $(STAMPS)/sandbox.sum
	$(BIN)/hcctl-sandbox record --profile $* --out $@

# The demo starts with nothing installed: it needs no recorded world.
.PHONY: demo
demo: build sandbox-programs ## Run the story of the README against a sandbox and stop it again
	HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox bash hack/demo/run.sh

# kubectl of the machine, or one that is built here.
.PHONY: demo-fleet
demo-fleet: build sandbox $(if $(shell command -v kubectl),,kubectl) ## Run a fleet: a hub, two sites, six clusters in dev and prod, a commit that changes dev
	HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox PATH="$$PATH:$(BIN)" bash hack/demo/fleet.sh

# BUILT spares the suites of make test to look once more whether all of Kubernetes is built.
BUILT ?=

# MORE are targets that run beside the first suites: CI has test-real-short there. The end-to-end tests begin when the unit
# tests have ended, because the sandbox's own tests wait a third of their time.
MORE ?=

.PHONY: test
test: build sandbox ## Test units, the sandbox, and hcctl end to end against it
	+$(MAKE) --no-print-directory -j 3 test-sandbox test-unit $(MORE) test-e2e BUILT=yes

.PHONY: test-all
test-all: ## Test all there is, some hours: every variant, make chaos, other systems, the release (docs/dev/testing.md says when)
	+HCCTL_E2E_ALL=1 $(MAKE) --no-print-directory test
	+$(MAKE) --no-print-directory test-kubernetes
	+$(MAKE) --no-print-directory test-gitops
	+$(MAKE) --no-print-directory demo-fleet
	+$(MAKE) --no-print-directory chaos
	+$(MAKE) --no-print-directory lint-tools vet-systems test-comparison test-pipelines test-release

# One of each kind: files are chosen by system, and hcctl has none for one processor alone.
SYSTEMS_OF_LINT := darwin/arm64 windows/amd64
# This compiles hcctl for each of them first, which takes a quarter of an hour.
SYSTEMS ?= darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 linux/arm64 linux/s390x linux/ppc64le
.PHONY: vet-systems
vet-systems: ## Vet hcctl and its tests for every other system of a release; make lint type-checks two of them
	@for system in $(SYSTEMS); do echo "go vet for $$system"; \
		GOOS=$${system%/*} GOARCH=$${system#*/} $(GO) vet ./cmd/... ./pkg/... ./internal/... || exit 1; done

# A suite tells at its end how many minutes it took.
MINUTES = hack/minutes/run.sh $@

# -short leaves out what needs a sandbox, and nothing else: internal/sandbox has the one helper that such tests start with.
.PHONY: test-fast
test-fast: ## Test everything that needs no sandbox (under 2 minutes)
	@$(MINUTES) $(GO) test -short ./...

# SLOWEST is what go test runs for the table of the slowest tests. Each test has its time from when it ran last.
SLOWEST ?= -short ./...
.PHONY: slowest
slowest: ## Write the table of the slowest twenty tests into docs/dev/testing.md
	$(GO) test -json $(SLOWEST) | $(GO) run ./hack/slowest -docs docs/dev/testing.md

# make lint vets hcctl's packages, so test-unit and test-e2e do not.
.PHONY: test-unit
test-unit: $(if $(BUILT),,sandbox) ## Test hcctl's packages; those that need a real API server start a sandbox
	@HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox $(MINUTES) $(GO) test -vet=off ./cmd/... ./pkg/... ./internal/... ./hack/... ./contracts/...

# TARGET is what is run, and every fourth run has LOAD busy loops beside it.
RUNS   ?= 20
LOAD   ?= 20
TARGET ?= test
.PHONY: test-repeat
test-repeat: ## Run TARGET (test) RUNS times (20), every fourth beside a LOAD of busy loops (20): bin/repeat/table.md has what failed, and why
	hack/repeat/run.sh $(RUNS) $(LOAD) $(TARGET) $(BIN)/repeat

.PHONY: chaos
chaos: build sandbox ## Test hcctl under faults, all of them (docs/dev/reliability.md); make test has a short form of it
	HCCTL_CHAOS=full HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox \
		$(GO) test -count=1 -v -timeout 6h -p 1 ./e2e/chaos/...

# make lint vets these modules. Vet of go test has other checks, so that all of Kubernetes would be read a second time.
# Three tests at once, because each waits for its own sandbox a third of its time.
.PHONY: test-sandbox
test-sandbox: $(if $(BUILT),,sandbox) ## Test the sandbox's packages and its contract
	@HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox $(MINUTES) $(GO) test -C sandbox -vet=off -parallel 3 -timeout 40m ./...
	$(GO) test -C sandbox/olm -vet=off ./...
	$(GO) test -C sandbox/ocm -vet=off ./...

.PHONY: test-e2e
test-e2e: $(if $(BUILT),test-unit,build sandbox) ## Test hcctl end to end against sandboxes (or a real cluster, see e2e/README.md)
	@HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox \
		$(MINUTES) $(GO) test -vet=off -count=1 -timeout $(if $(HCCTL_E2E_ALL),3h,60m) -p $(E2E_PACKAGES) -parallel $(E2E_PARALLEL) ./e2e/...

# The story alone: CI has no time for more.
.PHONY: test-real-short
test-real-short: $(if $(BUILT),,build sandbox sandbox-real) ## Test one hosted cluster of the vendor's own HyperShift, with four stalls
	HCCTL_E2E_REAL=1 HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox \
		$(GO) test -vet=off -count=1 -v -timeout 15m -run '^TestReal$$/^story$$' ./e2e

.PHONY: test-real
test-real: build sandbox sandbox-real ## Test hcctl end to end against the vendor's own HyperShift in a sandbox
	HCCTL_E2E_REAL=1 HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox \
		$(GO) test -vet=off -count=1 -v -timeout 30m -run '^TestReal' ./e2e

.PHONY: test-busy
test-busy: sandbox ## Test that a sandbox starts and stays up beside ten busy loops for each processor and a slow disk; part of test-all
	HCCTL_E2E_ALL=1 HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox $(GO) test -C sandbox -vet=off -count=1 -v -timeout 20m -run '^TestBusyMachine$$' .

# What the sandbox promises of its API server: orders, faults, fields, webhooks, OpenAPI, deletion, users.
KUBERNETES_CONTRACT := ^Test(Contract|KilledSandbox.*|Control|SeedIsValid|FaultsOf.*|NodePools|WorldOfHostedClusters)$$
.PHONY: test-kubernetes
test-kubernetes: build sandbox sandbox-kubernetes ## Test hcctl with management clusters of Kubernetes 1.33 to 1.36 (KUBERNETES: some)
	HCCTL_E2E_KUBERNETES="$(KUBERNETES)" HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox \
		$(GO) test -vet=off -count=1 -v -timeout 90m -parallel $(E2E_PARALLEL) -run '^TestKubernetes$$' ./e2e
	for minor in $(KUBERNETES); do \
		HCCTL_SANDBOX_KUBERNETES=$$minor HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox $(GO) test -C sandbox -vet=off -count=1 -timeout 40m \
			-parallel 3 -run '$(KUBERNETES_CONTRACT)' . || exit 1; done

# The hosted clusters of every minor version, each created and upgraded, on management clusters of every minor version.
# MINORS chooses profiles by a regular expression: make test-minors MINORS='^ocp-5'.
.PHONY: test-minors
test-minors: build sandbox ## Test OpenShift 4.12 to 5.1 as management clusters, with hosted clusters of each minor; part of test-all
	HCCTL_E2E_ALL=1 HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox \
		$(GO) test -vet=off -count=1 -v -timeout 90m -parallel $(E2E_PARALLEL) -run '^TestGenerations$$/$(MINORS)' ./e2e

.PHONY: test-gitops
test-gitops: build sandbox sandbox-gitops ## Test the way from a fleet file to VMs in hosted clusters, with the vendor's Argo CD
	HCCTL_E2E_GITOPS=1 HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox \
		$(GO) test -vet=off -count=1 -v -timeout 30m -run '^TestGitOps' ./e2e/gitops

.PHONY: picture
picture: build sandbox ## Record the picture of the README: a run against a sandbox, on a terminal of its own
	$(GO) build -C hack/picture -o $(BIN)/picture .
	HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox bash hack/picture/run.sh $(BIN)/picture docs/picture.svg

.PHONY: recordings
recordings: build sandbox-programs ## Play the journeys of docs/recordings.md on a terminal and write them there
	UPDATE=1 HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox $(GO) test -vet=off -count=1 -run '^TestRecordings$$' ./e2e

# The pages of the unit tests, in a browser: the one part of the tests that needs more than Go.
.PHONY: test-pages
test-pages: ## Open each kind of page in headless Chromium (HCCTL_CHROMIUM) and look at what is drawn
	rm -rf $(BIN)/pages && mkdir -p $(BIN)/pages
	HCCTL_PAGES=$(BIN)/pages $(GO) test -short -count=1 ./internal/draw ./pkg/hostedcluster/timeline ./pkg/report/graph ./pkg/fleet/density ./hack/bench
	HCCTL_PAGES=$(BIN)/pages $(GO) test -C hack/pages -count=1 -run '^TestPages$$' ./...

# SITE_VERSION is the directory below bin/site, and what the pages' menu of versions says. Older versions stay beside it.
SITE_VERSION ?= $(VERSION)
.PHONY: site
site: build $(BIN)/hugo ## Make the documentation's web site in bin/site: it opens from a disk, offline
	$(GO) build -C hack/site -o $(BIN)/site-maker .
	cd hack/site && $(BIN)/site-maker -root $(CURDIR) -hugo $(BIN)/hugo -hcctl $(BIN)/hcctl -out $(BIN)/site -version $(SITE_VERSION)

# Hugo is 60 MB and takes some minutes to build the first time.
$(BIN)/hugo: hack/site/go.mod
	$(GO) build -C hack/site -ldflags '$(LDFLAGS)' -o $@ github.com/gohugoio/hugo

.PHONY: test-site
test-site: $(BIN)/axe/node_modules ## Make the site anew, check its links, and read it in headless Chromium (HCCTL_CHROMIUM); not in CI
	rm -rf $(BIN)/site
	+$(MAKE) --no-print-directory site SITE_VERSION=dev
	+$(MAKE) --no-print-directory site SITE_VERSION=v0.0.1
	$(GO) test -C hack/site -count=1 ./...
	HCCTL_SITE=$(BIN)/site HCCTL_AXE=$(BIN)/axe/node_modules/axe-core/axe.min.js \
	  $(GO) test -C hack/pages -count=1 -run '^(TestSite|TestAccessible)$$' ./...

.PHONY: test-monitoring
test-monitoring: ## Play the exporter's alerts with Prometheus' own engine, and ask it every query of the dashboard; not in CI
	$(GO) test -C hack/monitoring -count=1 ./...

# Beside Go it needs ansible-core, rsync, and node with npm.
.PHONY: test-pipelines
test-pipelines: $(BIN)/act $(BIN)/pipelines/node_modules ## Run examples/ci by their engines (act, gitlab-ci-local, Ansible) and schemas, and lint the workflows; not in CI
	$(GO) test -C hack/pipelines -count=1 ./...

$(BIN)/act: hack/pipelines/go.mod
	$(GO) build -C hack/pipelines -ldflags '$(LDFLAGS)' -o $@ github.com/nektos/act

$(BIN)/pipelines/node_modules: hack/pipelines/package.json hack/pipelines/package-lock.json
$(BIN)/axe/node_modules: hack/pages/package.json hack/pages/package-lock.json
$(BIN)/%/node_modules:
	@mkdir -p $(@D)
	cp $^ $(@D)
	npm ci --prefix $(@D) --ignore-scripts --no-audit --no-fund
	@touch $@

FUZZTIME ?= 1m
FUZZ     ?= ^Fuzz

.PHONY: fuzz
fuzz: ## Fuzz every parser for FUZZTIME each (1m), those that match FUZZ; make test runs only the inputs found so far
	hack/fuzz/run.sh $(FUZZTIME) '$(FUZZ)'

# PKG is the package, MUTANTS further flags of gremlins, such as MUTANTS='--dry-run'.
PKG ?= ./pkg/hostedcluster/upgrade
.PHONY: mutants
mutants: $(BIN)/gremlins ## Tell how many small changes of PKG's code (./pkg/hostedcluster/upgrade) its tests reach and notice, without a sandbox
	hack/mutants/run.sh $< $(PKG) --timeout-coefficient 20 $(MUTANTS)

$(BIN)/gremlins: hack/mutants/go.mod
	$(GO) build -C hack/mutants -ldflags '$(LDFLAGS)' -o $@ github.com/go-gremlins/gremlins/cmd/gremlins

.PHONY: test-roles
test-roles: build sandbox ## Test the rights in every world: older OpenShift, mirrors, pins (docs/rbac.md); part of test-all
	HCCTL_E2E_ALL=1 HCCTL_BIN=$(BIN)/hcctl HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox $(GO) test -count=1 -timeout 40m -run TestRoles ./e2e

.PHONY: lint
# sandbox/metallb, sandbox/kubernetes and sandbox/real only build programs of others, so nothing is vetted there: that would read all of HyperShift.
lint: $(BIN)/golangci-lint $(CRD_STAMP) ## Check style and the imports between layers
	$(BIN)/golangci-lint run ./...
	cd sandbox && $(BIN)/golangci-lint run --config ../.golangci.sandbox.yml ./...
	$(GO) vet -C sandbox ./...
	$(GO) vet -C sandbox/olm .
	$(GO) vet -C sandbox/ocm .
	$(GO) run -C hack/tools ./systems -root $(CURDIR) $(SYSTEMS_OF_LINT)

# Each of these modules has dependencies of its own, which have to be compiled first, so make lint leaves them out.
TOOL_MODULES := release monitoring pages pipelines site tools
.PHONY: lint-tools
lint-tools: $(BIN)/golangci-lint ## Check style of the modules below hack; part of test-all
	for module in $(TOOL_MODULES); do \
		(cd hack/$$module && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.tools.yml ./... && $(GO) vet ./...) || exit 1; done

$(BIN)/golangci-lint: hack/tools/go.mod
	$(GO) build -C hack/tools -ldflags '$(LDFLAGS)' -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

.PHONY: dependencies
dependencies: $(BIN)/govulncheck $(CRD_STAMP) ## Check what is linked: its licences, and known vulnerabilities where the database can be reached
	cd hack/tools && $(GO) vet ./licences && $(GO) test ./licences
	$(GO) run -C hack/tools ./licences -root $(CURDIR) -check
	$(GO) run -C hack/tools ./licences -root $(CURDIR) -check -sandbox
	@$(VULN) || { [ $$? = 1 ] && echo "NOT CHECKED for known vulnerabilities: run make vuln where the database can be reached (docs/security.md)"; }

# govulncheck ends with 3 for a vulnerability that hcctl's code can reach, and with 1 if it could not look.
GOVULNDB ?= https://vuln.go.dev
VULN      = $(BIN)/govulncheck -db $(GOVULNDB) -show version ./cmd/... ./pkg/...
.PHONY: vuln
vuln: $(BIN)/govulncheck ## Look for known vulnerabilities; fails if the database cannot be reached (GOVULNDB: another one)
	$(VULN)

$(BIN)/govulncheck: hack/tools/go.mod
	$(GO) build -C hack/tools -ldflags '$(LDFLAGS)' -o $@ golang.org/x/vuln/cmd/govulncheck

# UPDATE is the one switch: tests write what they otherwise compare with (internal/golden). What a sandbox or a measurement is
# needed for is told if it is left as it was.
.PHONY: update
update: $(CRD_STAMP) ## Write every generated file anew: golden files, pages, tables, budgets, licences; look at the diff before you commit
	UPDATE=1 $(GO) test -short -count=1 ./internal/... ./pkg/... ./cmd/...
	$(GO) run -C hack/tools ./licences -root $(CURDIR)
	$(GO) run -C hack/tools ./licences -root $(CURDIR) -sandbox
	@if [ -x $(BIN)/hcctl-sandbox ]; then \
		set -x; UPDATE=1 HCCTL_SANDBOX_BIN=$(BIN)/hcctl-sandbox $(GO) test -count=1 -run TestRequests ./internal/budget; \
	else echo "update: the budget of requests is left as it was: it needs make sandbox"; fi
	@if [ -f $(BIN)/bench/results.json ]; then \
		set -x; $(GO) run ./hack/bench -out $(BIN)/bench -docs docs/dev/performance.md; \
	else echo "update: the table of docs/dev/performance.md is left as it was: it needs make bench"; fi
	@if [ -f $(BIN)/bench/comparison.json ]; then \
		set -x; $(GO) run ./hack/comparison -out $(BIN)/bench -docs docs/comparison.md; \
	else echo "update: the figures of docs/comparison.md are left as they were: they need make bench-comparison"; fi

# What scripts may rely on from this version on (docs/stability.md).
.PHONY: baseline
baseline: ## Keep what a released version promises to scripts, for later versions' tests: make baseline VERSION=v0.1.0
	HCCTL_BASELINE=$(VERSION) $(GO) test -short -count=1 -run TestNothingPromisedIsBroken ./pkg/cli

.PHONY: licence-texts
licence-texts: ## Write the licences' texts into bin/licences.txt, to hand on with the binary
	@mkdir -p $(BIN)
	$(GO) run -C hack/tools ./licences -root $(CURDIR) -check -texts $(BIN)/licences.txt

.PHONY: rooms
rooms: ## Draw who imports whom among the rooms of pkg (Mermaid); fails if an import runs up
	@$(GO) run ./hack/rooms

# BENCH are further flags, such as BENCH='-only get,check' or BENCH='-waiting 20m'; go run ./hack/bench -help lists them.
BENCH_START = HCCTL_BIN=$(BIN)/hcctl HCCTL_BENCH_TARGETS=yes \
	$(GO) test ./cmd/hcctl -run '^$$' -bench . -benchtime 20x > $(BIN)/bench/start.txt; started=$$?; cat $(BIN)/bench/start.txt

.PHONY: bench
bench: build sandbox ## Measure hcctl as a whole process, against its targets: start.txt, results.json and index.html in bin/bench
	@mkdir -p $(BIN)/bench
	@started=0; $(if $(findstring -latency,$(BENCH)),:,$(BENCH_START)); \
	$(GO) run ./hack/bench -hcctl $(BIN)/hcctl -sandbox $(BIN)/hcctl-sandbox -kubectl "$(wildcard $(BIN)/kubectl)" -out $(BIN)/bench $(BENCH) && exit $$started

.PHONY: kubectl
kubectl: $(BIN)/kubectl ## Build kubectl, which make bench compares lists with; without it, the one on PATH is taken

$(BIN)/kubectl: hack/kubectl/go.mod hack/kubectl/main.go
	$(GO) build -C hack/kubectl -ldflags '$(LDFLAGS)' -o $@ .

# The vendor's own hcp, of the module that make sandbox-real builds: half a minute after that, some ten minutes of processor
# time without.
.PHONY: hcp
hcp: ## Build the vendor's hcp, which make bench-comparison measures beside hcctl
	$(GO) build -C sandbox/real/hypershift -ldflags '$(LDFLAGS)' -o $(BIN)/hcp $(HYPERSHIFT)/product-cli

# COMPARISON are further flags, such as COMPARISON='-only create -speed 1'; go run ./hack/comparison -help lists them.
.PHONY: bench-comparison
bench-comparison: build sandbox hcp kubectl ## Measure hcctl beside hcp and beside commands by hand, in turn: bin/bench/comparison.*
	$(GO) run ./hack/comparison -hcctl $(BIN)/hcctl -hcp $(BIN)/hcp -kubectl $(BIN)/kubectl -sandbox $(BIN)/hcctl-sandbox \
		-out $(BIN)/bench $(COMPARISON)

.PHONY: test-comparison
test-comparison: build hcp ## Compare hcctl's flags, and what it renders for each, with those of the vendor's hcp; part of test-all
	HCCTL_BIN=$(BIN)/hcctl HCCTL_HCP_BIN=$(BIN)/hcp $(GO) test -count=1 -run '^TestHcp' ./hack/comparison

.PHONY: bench-start
bench-start: build ## Measure start, size and render by Go benchmarks, against their targets: bin/bench/start.txt
	@mkdir -p $(BIN)/bench
	@$(BENCH_START); exit $$started

# What to compare with. Times are told and never fail: they are a matter of the machine.
AGAINST ?= HEAD~1
.PHONY: bench-compare
bench-compare: build $(BIN)/benchstat ## Compare start, size and render with the previous commit (AGAINST=COMMIT), run by run in turn
	-@hack/bench/compare.sh $(AGAINST)

$(BIN)/benchstat: hack/tools/go.mod
	$(GO) build -C hack/tools -ldflags '$(LDFLAGS)' -o $@ golang.org/x/perf/cmd/benchstat

.PHONY: clean
clean: ## Remove what was built
	rm -rf $(BIN)
	find sandbox/crds/generated -mindepth 1 ! -name README.md ! -name .gitignore -delete
