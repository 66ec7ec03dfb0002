LIBRARIES = vips:libvips-dev libturbojpeg:libturbojpeg0-dev libwebp:libwebp-dev lcms2:liblcms2-dev libopenjp2:libopenjp2-7-dev libcurl:libcurl4-openssl-dev libcrypto:libssl-dev libnghttp2:libnghttp2-dev \
	libnats:libnats-dev sqlite3:libsqlite3-dev zlib:zlib1g-dev libbrotlienc:libbrotli-dev
DEVELOPMENT = $(foreach library,$(LIBRARIES),$(lastword $(subst :, ,$(library))))
# Debug information takes a part of every build, and half of the program: DEBUG=1 keeps it. All builds have the same
# flags, so that nothing is compiled twice.
FLAGS = $(if $(DEBUG),,-debug-info-format none)
BUILD = swift build $(FLAGS)
# ASSERTS=1 keeps assertions in the programs that are attacked: make audit load ASSERTS=1. They have a build directory of their own.
BUILT = $(if $(ASSERTS),.build-asserts/release,.build/release)
BUILD_RELEASE = $(BUILD) -c release $(if $(ASSERTS),--scratch-path .build-asserts -Xswiftc -assert-config -Xswiftc Debug)

# $(call install,PACKAGES): says what is missing, then installs it with apt, as root or through sudo. DEPS=no stops before.
define install
	root=$$([ $$(id -u) = 0 ] || echo sudo); words=$$(echo $(1)); packages=$${words#--no-install-recommends }; \
	echo "Missing:$$(printf ' %s' $$packages)." >&2; \
	command -v apt-get >/dev/null || { echo "Install what your system calls them." >&2; exit 1; }; \
	[ "$(DEPS)" != no ] || { echo "DEPS=no: $${root:+$$root }apt-get install $$words installs them." >&2; exit 1; }; \
	echo "Installing them: $${root:+$$root }apt-get install. DEPS=no stops here instead." >&2; \
	$$root apt-get update -qq && $$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$words
endef

# In what is given to a function.
comma = ,
# $(call environment,NAME,TEST,PACKAGES): an environment of Python in .build/NAME with packages of PyPI, unless TEST holds there.
define environment
	python3 -c "import ensurepip, venv" 2>/dev/null || { $(call install,python3-venv); }; \
	mkdir -p .build && { [ -x .build/$(1)/bin/python ] || python3 -m venv .build/$(1); }; \
	(cd .build/$(1)/bin && $(2)) >/dev/null 2>&1 || { \
	[ "$(DEPS)" != no ] || { echo "DEPS=no: .build/$(1)/bin/pip install $(3) installs what is missing." >&2; exit 1; }; \
	echo "Installing into .build/$(1), from PyPI: $(3)" >&2; .build/$(1)/bin/pip install -q $(3); }
endef

.PHONY: help run programs build build-tests test test-slow docs-test tsan fuzz soak bench bench-serve quality conformance iiif folder proxies deb deb-architecture deb-test image image-test release release-parts release-folder deps-release arm64 manifests repository earlier gallery gallery-types takedown load leavers bombs audit faults crashes processes cluster scaling without-nats lint deps deps-docs deps-bench deps-bench-serve deps-quality deps-lint fuzz-catalogs fuzz-headers fuzz-connections fuzz-responses \
	kit deps-kit deps-conformance deps-iiif deps-proxies deps-deb deps-deb-test deps-image deps-arm64 deps-manifests deps-repository deps-gallery deps-gallery-types deps-audit deps-faults contract deps-cluster deps-test fuzz-pictures fuzz-colors

help:
	@echo "Every day"
	@echo "  make run      build, and show everything on this machine, without Internet"
	@echo "  make build    build the release: .build/release/vitrine, with vitrine-demo and vitrine-bench beside it"
	@echo "  make test     run all tests; TESTS=\"Store Imaging\" builds and runs only those of these modules, FILTER=PurgeTests a suite or a test"
	@echo "  make lint     check sources, arrows between modules, sentences, links and names of the docs, and the Python of Tools"
	@echo "  make docs-test  run every console block of the docs against the demo's origin; DOCS_BUILD=debug, DOCS_PAGES=\"docs/start.md\""
	@echo "  make deps     install the libraries that are missing, with apt, through sudo unless you are root;"
	@echo "                the other targets do that first, and say what. DEPS=no: they only say it, and stop"
	@echo
	@echo "Before you send a change: .ci/run does all that every change needs. These are for what you have changed."
	@echo "audit, load, leavers, bombs, faults, processes and cluster take ASSERTS=1, for programs that check their own state as tests do"
	@echo "  make test-slow  soaks, storms, power cuts and comparisons of all renders, which make test runs in small or leaves out; then fuzz-colors for ten minutes"
	@echo "  make tsan     run tests of the server under the thread sanitizer; TSAN_TESTS=Catalog takes others"
	@echo "  make audit    every attack that once succeeded, again; AUDIT=NAME runs only some, AUDIT_SECONDS repeats those on descriptors and hits"
	@echo "  make load     a herd, a flood and slow clients: what the service does then"
	@echo "  make leavers  clients that leave at every point, LEAVING seconds long (60), with a new certificate each minute"
	@echo "  make faults   inject socket failures one at a time, and check that the service survives"
	@echo "  make bombs    pictures made to hurt, one by one and 200 at once, in 1 GiB of address space; VITRINE_SHARED has more"
	@echo "  make crashes  kill writers of a small cache 200 times while it evicts; CRASHES=NUMBER"
	@echo "  make processes  several programs on one cache, one of them killed: each picture is downloaded once; ROUNDS"
	@echo "  make conformance  ask the running service everything with schemathesis and redbot"
	@echo "  make gallery  use the gallery with a browser; GALLERY_PICTURES=DIR keeps a picture of each view"
	@echo "  make gallery-types  check the types of the gallery's scripts with tsc"
	@echo "  make iiif     the official validator of IIIF, and every tile and size against libvips; IIIF_SEED"
	@echo "  make kit      signing in six languages against its vectors and a running service, VitrineKit in a package of its own, loaders of web frameworks"
	@echo "  make folder   10,000 pictures with odd names, links and broken ones: by thumb three times, and through the service; PICTURES"
	@echo "  make proxies  nginx and Varnish in front: what they keep; nginx and HAProxy before a fleet: who serves what, and what a lost node costs"
	@echo "  make takedown  a block, followed for an hour from a browser, through nginx, on two nodes; MINUTES"
	@echo "  make contract  the shared store's contract against a directory, a bucket that misbehaves, Ceph and Swift, and the queue's against NATS"
	@echo "  make cluster  three NATS servers, Ceph, four workers and two services behind nginx, some of them killed: nothing is lost; PICTURES"
	@echo "  make fuzz     render 50,000 mutated pictures, then fuzz-colors; FUZZ_INPUT=DIR adds your own, FUZZ_COUNT, FUZZ_SEED"
	@echo "  make fuzz-colors  render 50,000 mutated pictures twice, after two of different colors: the same bytes; FUZZ_SECONDS, FUZZ_COUNT, FUZZ_SEED, FUZZ_INPUT"
	@echo "  make fuzz-catalogs  read 200,000 changed answers of the sources' APIs; FUZZ_COUNT, FUZZ_SEED"
	@echo "  make fuzz-connections  100,000 connections of changed HTTP/1, HTTP/2 and TLS; FUZZ_COUNT, FUZZ_SEED"
	@echo "  make fuzz-responses  200,000 changed bodies and dates of origins; FUZZ_COUNT, FUZZ_SEED"
	@echo "  make fuzz-headers  read ten million mutated headers; FUZZ_INPUT, FUZZ_COUNT, FUZZ_SEED, FUZZ_BUILD=debug"
	@echo "  make soak     render 10,000 pictures in a row: memory stays as it is"
	@echo
	@echo "Maintainers"
	@echo "  make bench    measure everything beside other programs: .build/bench.html; BENCH_INPUT=DIR takes your own pictures"
	@echo "  make bench-serve  compare serving thumbnails with nginx and h2o"
	@echo "  make quality  measure thumbnails beside libvips' own; QUALITY_INPUT=DIR takes your own pictures"
	@echo "  make scaling  1, 2 and 4 workers, each a node with a fifth of a core: how their throughput adds up; PICTURES for each"
	@echo "  make deb      build Debian packages that need no Swift: .build/deb; for this machine's processor (docs/operating.md: arm64)"
	@echo "  make deb-test install from it into bare Debian systems, and use them there; DEB_PICTURES=DIR (needs root)"
	@echo "  make earlier  build the packages of an earlier RELEASE=1.0.0-rc.1: make deb-test then upgrades from them and goes back"
	@echo "  make repository  put them into an apt repository: .build/repository; REPOSITORY_KEY=KEY signs it"
	@echo "  make release  packages, image, apt repository, sources, notes, sums and bills of materials in one folder: .build/published; RELEASE_KEY=KEY signs"
	@echo "  make image    put them into an OCI image, without a registry: .build/image (needs root)"
	@echo "  make image-test  start it without capabilities on a root that can't be written, and ask it for a picture: in a user namespace, or as root in a chroot"
	@echo "  make manifests  check config/kubernetes by kustomize and the published schemas"
	@echo "  make arm64    compile the C for arm64, and run it: the same bytes, the same sandbox, also on a kernel of arm64"
	@echo "  make without-nats  build without libnats, and look at what the program says then"

run: programs
	.build/release/vitrine demo

# Each set of programs by one command, so that modules which don't need each other are compiled at once.
build: deps
	VITRINE_PROGRAMS="vitrine vitrine-demo vitrine-bench" $(BUILD_RELEASE)
	@Tools/release/stamp $(BUILT)/vitrine
	@Tools/release/stamp $(BUILT)/vitrine-bench

programs: deps
	VITRINE_PROGRAMS="vitrine vitrine-demo" $(BUILD_RELEASE)
	@Tools/release/stamp $(BUILT)/vitrine

# In a build directory of its own, because every file is compiled for the static runtime.
deb: deb-architecture deps deps-deb
	VITRINE_PROGRAMS="vitrine vitrine-demo vitrine-bench" $(BUILD_RELEASE) --static-swift-stdlib --scratch-path .build-static
	@Tools/release/stamp .build-static/release/vitrine
	@Tools/release/stamp .build-static/release/vitrine-bench
	python3 Tools/release/deb build $(addprefix .build-static/release/,vitrine vitrine-demo vitrine-bench) .build/deb

deb-architecture:
	@[ -z "$(ARCH)" ] || [ "$(ARCH)" = "$$(dpkg --print-architecture)" ] || { \
		echo "Packages for $(ARCH) are built on a machine or in a container of that kind, because this one has no Swift libraries for it." \
		"docs/operating.md, arm64, has the commands. Run make arm64 to check the rest here." >&2; exit 1; }

deb-test: deb deps-deb-test
	python3 Tools/release/deb test .build/deb $(or $(wildcard .build/earlier),-) $(DEB_PICTURES)

image: deb deps-image
	python3 Tools/release/deb image .build/deb .build/image

image-test: image
	python3 Tools/release/deb image-test .build/image/vitrine_*.oci.tar

# Everything in C, for a machine of another kind. docs/operating.md says what Swift needs besides.
arm64: deps-arm64
	python3 Tools/release/arm64 .build/arm64 $(DEVELOPMENT)

# Against the published schemas, without a cluster. Compose files are checked by docker compose where it is there.
manifests: deps-manifests
	kubectl kustomize config/kubernetes > .build/kubernetes.yaml
	.build/manifests/bin/kubernetes-validate --strict .build/kubernetes.yaml config/kubernetes/secret.example.yaml
	@if docker compose version >/dev/null 2>&1; then \
		VITRINE_ADMIN_TOKEN=x S3_KEY=x S3_SECRET=x docker compose -f config/compose.yaml config --quiet; \
	else echo "docker compose is missing, so config/compose.yaml is not checked"; fi

# Everything that is published, in one folder. The workflow of a forge makes the parts on a machine of each kind.
PUBLISHED = .build/published
release: release-parts
	$(MAKE) release-folder

release-parts: deb image deps-release
	.build/publish/bin/python Tools/release/deb parts .build/deb .build/image .build-static $(PUBLISHED)

release-folder: deps-release deps-repository
	.build/publish/bin/python Tools/release/deb release $(PUBLISHED)

repository: deb deps-repository
	python3 Tools/release/deb repository .build/deb .build/repository

earlier: deps deps-deb
	python3 Tools/release/deb earlier $(or $(RELEASE),1.0.0-rc.1) .build/earlier

# What `make test` runs, built alone: every module imports only what its target names.
build-tests: deps
	$(BUILD) --build-tests --explicit-target-dependency-import-check error

# A few at a time: each has a limit of a minute, which is for the test and not for those beside it.
test: deps deps-test
	VITRINE_TESTS="$(TESTS)" swift test $(FLAGS) --experimental-maximum-parallelization-width 4 $(if $(FILTER),--filter '$(FILTER)')

# The suites that read Slow.isOn, in full.
SLOW = StoreTests\.(Crash|DamageStorm|DamagedFiles|PowerCut|Storm|StormCrash)Tests|CatalogTests\.ListIndexDamageTests|ImagingTests\.(Memory|PyramidDamage|SameBytes|SharedImages)Tests|DemoTests\.CorpusTests
test-slow: deps
	VITRINE_SLOW=1 swift test $(FLAGS) --experimental-maximum-parallelization-width 4 --filter '^($(SLOW))/'
	$(MAKE) fuzz-colors FUZZ_SECONDS=600

# Apart from the tests: it needs curl, jq and python3, and half a minute of a service with its origin.
docs-test: $(if $(DOCS_BUILD),,build) deps-docs
	Tools/lint/docs-test .build/$(or $(DOCS_BUILD),release) $(DOCS_PAGES)

# In a build directory of its own: every package is compiled anew. Few at a time: limits of time hold
# for what runs ten times slower, too.
tsan: deps
	@TSAN_OPTIONS="halt_on_error=0 exitcode=66 $$TSAN_OPTIONS" swift test --sanitize=thread --scratch-path .build-tsan \
		--experimental-maximum-parallelization-width 4 \
		--filter '^($(or $(TSAN_TESTS),HTTP|Serve|Pipeline|Store|Memory|Fetch|Imaging))Tests\.' \
		|| { echo "tsan: a test failed, or threads race: look for WARNING: ThreadSanitizer" >&2; exit 1; }
	@echo "tsan: all tests pass, and no threads race"

fuzz: fuzz-pictures fuzz-colors

fuzz-pictures: deps
	$(BUILD) --product Helper
	.build/debug/Helper fuzz --count $(or $(FUZZ_COUNT),50000) --seed $(or $(FUZZ_SEED),1) $(FUZZ_INPUT)

fuzz-colors: deps
	$(BUILD) --product Helper
	.build/debug/Helper fuzz --two-colors --count $(or $(FUZZ_COUNT),$(if $(FUZZ_SECONDS),1000000000,50000)) \
		$(if $(FUZZ_SECONDS),--seconds $(FUZZ_SECONDS)) --seed $(or $(FUZZ_SEED),1) $(FUZZ_INPUT)

fuzz-catalogs: deps
	$(BUILD) --product Helper
	.build/debug/Helper fuzz --catalogs --count $(or $(FUZZ_COUNT),200000) --seed $(or $(FUZZ_SEED),1)

fuzz-headers: deps
	$(BUILD) -c $(or $(FUZZ_BUILD),release) --product Helper
	.build/$(or $(FUZZ_BUILD),release)/Helper fuzz --headers --count $(or $(FUZZ_COUNT),10000000) --seed $(or $(FUZZ_SEED),1) $(FUZZ_INPUT)

fuzz-connections: deps
	$(BUILD) --product Helper
	.build/debug/Helper fuzz --connections --count $(or $(FUZZ_COUNT),100000) --seed $(or $(FUZZ_SEED),1)

fuzz-responses: deps
	$(BUILD) --product Helper
	.build/debug/Helper fuzz --responses --count $(or $(FUZZ_COUNT),200000) --seed $(or $(FUZZ_SEED),1)

soak: deps
	$(BUILD) --product Helper
	.build/debug/Helper fuzz --soak 10000

bench: build deps-bench deps-bench-serve
	PATH="$(CURDIR)/.build/bench/bin:$$PATH" .build/release/vitrine bench --quick --against \
		--json .build/bench.json --html .build/bench.html $(if $(BENCH_INPUT),--input $(BENCH_INPUT))

bench-serve: build deps-bench deps-bench-serve
	PATH="$(CURDIR)/.build/bench/bin:$$PATH" .build/release/vitrine bench serve --against

quality: build deps-quality
	.build/quality/bin/python Tools/measure/quality .build/release/vitrine $(QUALITY_INPUT)

conformance: build deps-conformance
	Tools/use/conformance .build/release/vitrine .build/conformance/bin/python

iiif: build deps-iiif
	.build/iiif/bin/python Tools/use/iiif .build/release/vitrine $(IIIF_SEED)

kit: build deps-kit
	Tools/use/kit .build/release/vitrine

folder: build
	Tools/use/folder .build/release/vitrine $(PICTURES)

proxies: build deps-proxies deps-cluster
	Tools/use/proxies .build/release/vitrine
	Tools/use/proxies-fleet .build/release/vitrine

gallery: build deps-gallery gallery-types
	.build/gallery/bin/python Tools/use/gallery .build/release/vitrine $(GALLERY_PICTURES)

gallery-types: deps-gallery-types
	tsc -p Tools/use/gallery

load: build
	Tools/attack/load $(BUILT)/vitrine

takedown: build deps-cluster deps-gallery
	.build/gallery/bin/python Tools/use/takedown .build/release/vitrine $(MINUTES)

leavers: build
	Tools/attack/leavers $(BUILT)/vitrine $(LEAVING)

bombs: build
	Tools/attack/bombs $(BUILT)/vitrine $(BOMB_INPUT)

audit: build deps-audit
	python3 Tools/attack/audit $(BUILT)/vitrine $(AUDIT)

faults: build deps-faults
	Tools/attack/faults $(BUILT)/vitrine

crashes: deps
	VITRINE_CRASHES=$(or $(CRASHES),200) swift test $(FLAGS) --filter StormCrashTests

processes: build
	Tools/attack/processes $(BUILT)/vitrine $(ROUNDS)

contract: deps deps-cluster
	VITRINE_SLOW=1 swift test $(FLAGS) --filter '^(Objects|WorkQueue)Tests\.'

cluster: build deps-cluster
	Tools/attack/cluster $(BUILT)/vitrine $(PICTURES)
	Tools/use/walkthrough .build/release

scaling: build deps-cluster
	Tools/measure/scaling .build/release/vitrine $(PICTURES)

# In a build directory of its own, which takes minutes. The program has to work without libnats, and to say
# how to get it.
without-nats: deps
	$(BUILD) --traits Server --scratch-path .build-without-nats --product vitrine
	@! ldd .build-without-nats/debug/vitrine | grep -q libnats || { echo "without-nats: libnats is linked" >&2; exit 1; }
	@if said=$$(.build-without-nats/debug/vitrine cluster status --queue nats://127.0.0.1:1 2>&1); \
	then echo "without-nats: a queue of NATS works" >&2; exit 1; fi; \
	case "$$said" in *libnats-dev*) ;; *) echo "without-nats: it said: $$said" >&2; exit 1;; esac
	@echo "without-nats: the program works without libnats, and says how to get it"

lint:
	swift format lint --strict -r Package.swift Sources Tests
	Tools/lint/arrows
	Tools/lint/prose
	Tools/lint/rooms
	@if $(MAKE) --no-print-directory deps-lint; then Tools/lint/python .build/lint/bin; \
	else echo "lint: ruff and mypy can't be installed, so the Python of Tools is not checked" >&2; fi

deps:
	@command -v swift >/dev/null || { echo "Swift is missing: install 6.2 or later from https://www.swift.org/install" >&2; exit 1; }
	@missing=$$(command -v pkg-config >/dev/null || echo " pkg-config"); \
	for library in $(LIBRARIES); do pkg-config --exists $${library%:*} 2>/dev/null || missing="$$missing $${library#*:}"; done; \
	[ -z "$$missing" ] || { $(call install,$$missing); }

# Of these versions, so that a new one fails no change of something else.
deps-lint:
	@$(call environment,lint,./ruff --version | grep -q 0.17.6 && ./mypy --version | grep -q 2.4.1,ruff==0.17.6 mypy==2.4.1)

deps-quality:
	@$(call environment,quality,./python -c "import pyvips$(comma) skimage$(comma) ssimulacra2",pyvips numpy scikit-image ssimulacra2)

# A server for the tests of workers, which are left out without it.
deps-test:
	@command -v nats-server >/dev/null || [ -x /usr/sbin/nats-server ] || { $(call install,--no-install-recommends nats-server); }

# Peers: a benchmark leaves out what is missing.
deps-bench:
	@command -v vipsthumbnail >/dev/null || { $(call install,libvips-tools); }
	@$(call environment,bench,./python -c "import pyvips$(comma) PIL$(comma) cv2$(comma) ssimulacra2",pyvips pillow numpy opencv-python-headless ssimulacra2)

deps-docs:
	@missing=$$(command -v curl >/dev/null || echo " curl"; command -v jq >/dev/null || echo " jq"; \
	command -v openssl >/dev/null || echo " openssl"; command -v python3 >/dev/null || echo " python3"); \
	[ -z "$$missing" ] || { $(call install,$$missing); }

deps-conformance:
	@command -v curl >/dev/null || { $(call install,curl); }
	@$(call environment,conformance,[ -x schemathesis ] && [ -x redbot ],schemathesis redbot)

# What is missing all the same is left out, and named.
deps-kit:
	@missing=$$(command -v node >/dev/null || echo " nodejs"; command -v php >/dev/null || echo " php-cli"; \
	command -v go >/dev/null || echo " golang-go"; command -v openssl >/dev/null || echo " openssl"); \
	[ -z "$$missing" ] || { $(call install,--no-install-recommends $$missing); }

deps-iiif:
	@$(call environment,iiif,./python -c "import iiif_validator$(comma) pyvips",iiif-validator pyvips)

deps-proxies:
	@command -v nginx >/dev/null || { $(call install,nginx-light); }
	@command -v varnishd >/dev/null || { $(call install,varnish); }

deps-deb:
	@command -v dpkg-shlibdeps >/dev/null && command -v strip >/dev/null || { $(call install,dpkg-dev binutils); }

deps-arm64:
	@missing=$$(command -v aarch64-linux-gnu-gcc >/dev/null || echo " gcc-aarch64-linux-gnu"; command -v cc >/dev/null || echo " gcc"; \
	command -v qemu-aarch64-static >/dev/null || echo " qemu-user-static"; command -v qemu-system-aarch64 >/dev/null || echo " qemu-system-arm"; \
	command -v pkg-config >/dev/null || echo " pkg-config"; command -v mmdebstrap >/dev/null || echo " mmdebstrap"); \
	[ -z "$$missing" ] || { $(call install,--no-install-recommends $$missing); }

deps-repository:
	@missing=$$(command -v reprepro >/dev/null || echo " reprepro"; command -v gpg >/dev/null || echo " gnupg"); \
	[ -z "$$missing" ] || { $(call install,--no-install-recommends $$missing); }

deps-release:
	@$(call environment,publish,./python -c "import spdx_tools",spdx-tools==0.8.5)

deps-image:
	@command -v mmdebstrap >/dev/null || { $(call install,--no-install-recommends mmdebstrap); }

deps-manifests:
	@command -v kubectl >/dev/null || { echo "kubectl is missing: https://kubernetes.io/docs/tasks/tools/" >&2; exit 1; }
	@$(call environment,manifests,[ -x kubernetes-validate ],kubernetes-validate)

deps-deb-test: deps-repository
	@missing=$$(command -v mmdebstrap >/dev/null || echo " mmdebstrap"; command -v systemd-analyze >/dev/null || echo " systemd"; \
	command -v systemd-nspawn >/dev/null || echo " systemd-container"); \
	[ -z "$$missing" ] || { $(call install,--no-install-recommends $$missing); }

# Servers for the tests of several nodes. They are started by the tests, and listen on loopback only.
deps-cluster:
	@missing=$$(command -v radosgw >/dev/null || echo " ceph-mon ceph-osd radosgw"; \
	command -v swift-proxy-server >/dev/null || echo " swift-proxy swift-account swift-container swift-object memcached"; \
	command -v nats-server >/dev/null || [ -x /usr/sbin/nats-server ] || echo " nats-server"; \
	command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || echo " nginx-light"; \
	command -v haproxy >/dev/null || [ -x /usr/sbin/haproxy ] || echo " haproxy"); \
	[ -z "$$missing" ] || { $(call install,--no-install-recommends $$missing); }

deps-bench-serve:
	@missing=$$(command -v nginx >/dev/null || echo " nginx-light"; command -v h2load >/dev/null || echo " nghttp2-client"; \
	command -v aria2c >/dev/null || echo " aria2"; \
	command -v h2o >/dev/null || ! apt-cache show h2o >/dev/null 2>&1 || echo " h2o"); \
	[ -z "$$missing" ] || { $(call install,$$missing); }

deps-gallery:
	@command -v chromium >/dev/null || { $(call install,chromium); }
	@$(call environment,gallery,./python -c "import PIL$(comma) playwright",playwright pillow)

deps-gallery-types:
	@command -v tsc >/dev/null || { $(call install,--no-install-recommends node-typescript); }

deps-audit:
	@missing=$$(command -v openssl >/dev/null || echo " openssl"; \
	command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || echo " nginx-light"); \
	[ -z "$$missing" ] || { $(call install,--no-install-recommends $$missing); }

deps-faults:
	@command -v strace >/dev/null || { $(call install,strace); }
