# The commands of this repository; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help demo build test nextest parity cases fuzz-smoke deny test-real cost gate drift-score drift-peers eval-retrieval bench-retrieval bless fix clean-real

# The release binary, wherever cargo puts it.
BIN ?= $(or $(CARGO_TARGET_DIR),target)/release/mcpproof
FUZZ := cargo fuzz run -s none
# The program takes every MCPPROOF_* for a setting, so the tests must not hand it those of the scripts.
NEXTEST := env -u GITHUB_WORKSPACE -u MCPPROOF_SPEC_DIR -u MCPPROOF_REAL_DIR -u MCPPROOF_DRIFT_DIR -u MCPPROOF_CATALOG_DIR cargo nextest run --workspace

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the program into target/release
	cargo build --release

demo: build ## build, check a bad and a good built-in server, and show how to check yours
	@echo "A server with a dozen faults; what they are and what breaks:"
	@echo
	@code=0; $(BIN) check mock:flawed || code=$$?; \
	  test $$code -eq 1 || { echo "expected exit code 1, got $$code"; exit 1; }
	@echo
	@echo "Exit code 1 was right: that server is made to be wrong. Now one that is made to be right:"
	@echo
	@$(BIN) check mock:good
	@echo
	@echo "Your own server:"
	@echo "  $(BIN) check -- COMMAND ARGS...      for instance: -- npx -y @modelcontextprotocol/server-everything"
	@echo "  $(BIN) check https://example.org/mcp"

test: nextest ## everything that must hold before a commit
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(NEXTEST)
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

nextest:
	@cargo nextest --version >/dev/null 2>&1 || cargo install --locked cargo-nextest

parity: ## compare our message shapes with the official schemas, where MCPPROOF_SPEC_DIR has them
	cargo test --quiet -p mcpproof-goldens --test parity -- --nocapture

cases: ## judge the public cases, where MCPPROOF_CASES_DIR has them
	cargo build --quiet
	$(NEXTEST) --ignore-default-filter -E 'binary(cases)' --no-capture

fuzz-smoke: ## fuzz each target for half a minute
	@if cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz; then \
	  cd fuzz && mkdir -p $(addprefix target/found/,wire_line sse cassette lock schema_compare search catalog_import) && \
	  $(FUZZ) wire_line target/found/wire_line corpus/wire_line -- -max_total_time=30 -max_len=512 && \
	  $(FUZZ) sse target/found/sse corpus/sse -- -max_total_time=30 -max_len=512 && \
	  $(FUZZ) cassette target/found/cassette corpus/cassette -- -max_total_time=30 -max_len=4096 && \
	  $(FUZZ) lock target/found/lock corpus/lock -- -max_total_time=30 -max_len=4096 && \
	  $(FUZZ) schema_compare target/found/schema_compare corpus/schema_compare -- -max_total_time=30 -max_len=2048 && \
	  $(FUZZ) search target/found/search corpus/search -- -max_total_time=30 -max_len=2048 && \
	  $(FUZZ) catalog_import target/found/catalog_import corpus/catalog_import -- -max_total_time=30 -max_len=4096; \
	else echo "fuzz-smoke: skipped, cargo-fuzz cannot be installed here"; fi

deny: ## licences, duplicates and advisories of what we depend on
	@if ! cargo deny --version >/dev/null 2>&1; then \
	  echo "deny: skipped, cargo-deny is not installed"; \
	else \
	  cargo deny check --hide-inclusion-graph licenses bans sources && \
	  if cargo deny fetch db >/dev/null 2>&1; then cargo deny check advisories; \
	  else echo "deny: advisories skipped, their database cannot be fetched"; fi; \
	fi

test-real: build ## check pinned servers that others wrote; each finding must be a known one
	goldens/real/install
	goldens/real/run $(BIN)

cost: build ## measure CPU, memory and time beside other checkers
	goldens/real/install --peers
	goldens/real/cost $(BIN)

gate: ## hold our own servers against the specification and against their locks
	cargo run --quiet -p mcpproof -- gate

drift-score: ## score our drift verdicts on public pairs, where MCPPROOF_DRIFT_DIR has them
	cargo test --quiet -p mcpproof-goldens --test drift the_public_pairs -- --nocapture

drift-peers: build ## judge the same pairs with other drift checkers
	goldens/drift/peers $(BIN)

eval-retrieval: ## judge search on sets of queries: make eval-retrieval DATA=DIR
	@test -n "$(DATA)" || { echo "eval-retrieval: name a set of queries, or a folder of sets: make eval-retrieval DATA=DIR" >&2; exit 2; }
	cargo build --release
	$(BIN) eval retrieval --data "$(DATA)" $(ARGS)

bench-retrieval: ## measure search on growing catalogs; RECORD=DIR keeps the table and a chart there
	cargo bench -p mcpproof-retrieval --bench growth -- $(if $(RECORD),--record "$(abspath $(RECORD))")
	cargo bench -p mcpproof-retrieval --bench search -- --measurement-time 3 --warm-up-time 1

bless: nextest ## rewrite snapshots and generated pages; read the diff before you commit it
	BLESS=1 INSTA_UPDATE=always $(NEXTEST)
	BLESS=1 cargo test --quiet -p mcpproof-goldens --test parity page

fix: ## format, and apply what clippy can
	cargo clippy --workspace --all-targets --fix --allow-dirty --allow-staged --quiet
	cargo fmt --all

clean-real: ## remove the servers that test-real installed
	rm -rf target/real
