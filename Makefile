# lineal: `make help` lists what can be made. Python 3.11 or newer is all that has to be there.

VENV := .venv
BIN := $(VENV)/bin

# What is installed beside lineal itself; the extra `spark` needs Java, which tools/java.sh finds or installs, and the
# tests of `postgres` a server and those of `web` a Chromium and Node.js, which tools/*.sh find or install; without one
# they are skipped.
DEMO_EXTRAS ?= spark
BENCH_EXTRAS ?= bench,spark,postgres,web
EXTRAS ?= test,lint,dataframes,spark,postgres,sqlalchemy,web,openlineage,jupyter,mcp,lsp,prove,docs
DOCS_EXTRAS ?= docs
RELEASE_EXTRAS ?= release

# A stamp per set of extras: a newer pyproject.toml or constraints.txt installs again, and so do other extras.
comma := ,
stamp = $(VENV)/ready-$(1)$(if $(2),-$(subst $(comma),-,$(2)))
DEMO_READY := $(call stamp,demo,$(DEMO_EXTRAS))
TEST_READY := $(call stamp,test,$(EXTRAS))
BENCH_READY := $(call stamp,bench,$(BENCH_EXTRAS))
DOCS_READY := $(call stamp,docs,$(DOCS_EXTRAS))
RELEASE_READY := $(call stamp,release,$(RELEASE_EXTRAS))

export PIP_DISABLE_PIP_VERSION_CHECK := 1

with_java = $(if $(findstring spark,$(1)),JAVA_HOME="$$(tools/java.sh)" || exit 1; export JAVA_HOME;)

# The tests start many JVMs for seconds each: these options make that quick.
with_quick_spark = $(if $(findstring spark,$(1)),SPARK_SUBMIT_OPTS="$$($(BIN)/python tools/quick_spark.py)" \
	&& export SPARK_SUBMIT_OPTS;)

# dbt lives in a virtual environment of its own; the tests that need it are skipped where it cannot be installed.
with_dbt = LINEAL_DBT="$$(tools/dbt.sh)" && export LINEAL_DBT;

# ClickHouse and MariaDB check the cases that they understand; where one cannot be had, its tests are skipped.
with_clickhouse = LINEAL_CHDB="$$(tools/clickhouse.sh)" && export LINEAL_CHDB;

with_mariadb = MARIADB_BIN="$$(tools/mariadb.sh)" && export MARIADB_BIN;

with_postgres = $(if $(findstring postgres,$(1)),PGBIN="$$(tools/postgres.sh)" && export PGBIN;)

with_web = $(if $(findstring web,$(1)),CHROMIUM="$$(tools/chromium.sh)" && export CHROMIUM; tools/page.sh;)

# Neovim and the VS Code extension ask the language server; without Neovim or Node.js their tests are skipped.
with_editors = $(if $(findstring lsp,$(1)),NEOVIM="$$(tools/neovim.sh)" && export NEOVIM; \
	LINEAL_VSCODE="$$(tools/vscode.sh)" && export LINEAL_VSCODE;)

# A table format comes with a Spark of its own, in .cache, in which only the tests of that format are run.
on_lake = $(call with_java,spark) lake="$$(tools/lake.sh $(1))" || exit 1; \
	SPARK_HOME="$$lake/python/pyspark" PYTHONPATH="$$lake/python" $(2)="$$lake/jars" $(BIN)/pytest

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo docs release test smoke test-delta test-iceberg test-kafka test-connect test-spark test-consumers test-inspector lint hunt bench accuracy confidence scale run-dbt ecosystem histories java postgres page clean

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(DEMO_READY) ## Install, answer five questions about the sample project, and run it on Spark
	@$(call with_java,$(DEMO_EXTRAS)) $(BIN)/lineal demo .cache/demo

docs: $(DOCS_READY) ## Build the documentation site into .cache/site/site; it needs no network to be read
	@PYTHONPATH=tools $(BIN)/python -m website

release: $(RELEASE_READY) ## Build wheel and source archive into dist/, and check that they can be published
	@$(BIN)/python tools/release.py

# Everything is run, whatever fails before it: the last line is pytest's count. Two cores check style and run the
# shown commands side by side.
test: $(TEST_READY) ## Check style and types, run what the documentation shows, and run all tests
	@$(call with_java,$(EXTRAS)) $(call with_postgres,$(EXTRAS)) $(with_dbt) $(with_clickhouse) $(with_mariadb) \
	$(call with_web,$(EXTRAS)) $(call with_editors,$(EXTRAS)) $(call with_quick_spark,$(EXTRAS)) \
	mkdir -p .cache; failed=0; \
	$(MAKE) --no-print-directory lint >.cache/lint.log 2>&1 & lint=$$!; \
	$(MAKE) --no-print-directory smoke || failed=1; \
	wait $$lint || failed=1; cat .cache/lint.log; \
	echo "pytest"; $(BIN)/pytest -n 2 $(PYTEST) || failed=1; \
	exit $$failed

# The extras that README and the guides name; SMOKE='--only spark' runs those of one, SMOKE=--list only lists them.
SMOKED := $(filter spark postgres sqlalchemy openlineage jupyter mcp lsp prove,$(subst $(comma), ,$(EXTRAS)))
SMOKE ?= $(addprefix --only ,base $(SMOKED))

smoke: $(TEST_READY) ## Run every command of the documentation in environments with only the extra that it names
	@$(call with_java,$(SMOKED)) $(call with_postgres,$(SMOKED)) PYTHONPATH=tools $(BIN)/python -m smoke $(SMOKE)

test-delta: $(TEST_READY) ## Run the tests of Delta tables, with a Spark that Delta is made for
	@$(call on_lake,delta,LINEAL_TEST_DELTA) tests/spark/test_bulk_delta.py tests/spark/test_capture_delta.py $(PYTEST)

test-iceberg: $(TEST_READY) ## Run the tests of Iceberg tables, with a Spark that Iceberg is made for
	@$(call on_lake,iceberg,LINEAL_TEST_ICEBERG) tests/spark/test_capture_iceberg.py $(PYTEST)

test-kafka: $(TEST_READY) ## Run the tests of a followed topic, with a real broker of Kafka
	@$(call on_lake,kafka,LINEAL_TEST_KAFKA) tests/spark/test_follow_kafka.py $(PYTEST)

# The tests of the pipeline, of runs and of plans; TESTS names others.
VERSION ?= 4.0.0
TESTS ?= tests/spark/test_bulk.py tests/spark/test_bulk_parts.py tests/spark/test_bulk_killed.py tests/spark/test_bulk_poison.py \
	tests/spark/test_follow.py tests/spark/test_run_models.py tests/spark/test_capture.py

# Spark 4.0 leaves sockets open, which is an error in the tests of lineal.
OF_SPARK := -W ignore::ResourceWarning -W ignore::pytest.PytestUnraisableExceptionWarning

test-spark: $(TEST_READY) ## Run tests with another version of Spark: make test-spark VERSION=4.0.0
	@$(call with_java,spark) spark="$$(tools/lake.sh spark $(VERSION))" || exit 1; \
	  SPARK_HOME="$$spark/python/pyspark" PYTHONPATH="$$spark/python" $(BIN)/pytest $(OF_SPARK) $(TESTS) $(PYTEST)

# The packages of pyspark[connect] that Spark itself does not bring; its server is one of Spark's jars.
CONNECT := .cache/connect

test-connect: $(TEST_READY) ## Run the tests of Spark Connect, with its own server
	@test -e $(CONNECT)/grpc || $(BIN)/python -m pip install --quiet --target $(CONNECT) \
	  grpcio grpcio-status googleapis-common-protos zstandard
	@$(call with_java,spark) LINEAL_TEST_CONNECT="$$PWD/$(CONNECT)" $(BIN)/pytest tests/spark/test_connect.py $(PYTEST)

# HELD_OUT=folder names checkouts of public dbt projects, whose edges are counted, too.
# DataHub's SDK takes a minute to install, and cannot be pinned beside the rest: its smoke runs here.
test-consumers: $(TEST_READY) ## Send lineage through the code that catalogs publish; HELD_OUT=folder adds checkouts
	@PYTHONPATH=tools $(BIN)/python -m smoke --only datahub
	@$(call with_java,spark) LINEAL_HELD_OUT="$(HELD_OUT)" LINEAL_CONSUMERS="$$(tools/consumers.sh)" \
	PATH="$$JAVA_HOME/bin:$$PATH" $(BIN)/pytest tests/consumers -rs $(PYTEST)

test-inspector: $(TEST_READY) ## Ask `lineal mcp` with the command line of the MCP inspector, which npm installs
	@LINEAL_INSPECTOR="$$(tools/inspector.sh)" $(BIN)/pytest tests/agents/test_inspector.py -rs $(PYTEST)

# `make test` draws the same random queries every time, so that it tells something of a change and nothing of chance.
QUERIES ?= 2000
PAIRS ?= 100000
HUNTS := tests/spark/test_two_engines.py::test_random_queries_agree \
	tests/spark/test_claimed_types.py::test_claimed_types_of_random_queries_are_true \
	tests/oracle/test_soundness.py::test_unlisted_columns_change_nothing \
	tests/oracle/test_equivalence.py \
	tests/properties/test_queries.py tests/test_memory.py::test_any_project_after_any_edits \
	tests/test_unresolvable_imports.py

# Mutants of every format that lineal reads, for so many seconds, in so many processes.
SECONDS ?= 600
PROCESSES ?= 2

hunt: $(TEST_READY) ## Read random queries and mutants, and break functions, for SECONDS=600 each; SEED=7 draws the same
	@$(call with_java,$(EXTRAS)) \
	seed=$(or $(SEED),$$($(BIN)/python -c 'from random import randrange; print(randrange(10**9))')); failed=0; \
	echo "SEED=$$seed QUERIES=$(QUERIES) SECONDS=$(SECONDS)"; \
	LINEAL_EVERY_LITERAL=1 LINEAL_SEED=$$seed LINEAL_FRESH_QUERIES=$(QUERIES) LINEAL_STATEMENTS=$(QUERIES) LINEAL_PAIRS=$(PAIRS) LINEAL_EXAMPLES=$$(($(QUERIES) / 4)) \
	$(BIN)/pytest --hypothesis-seed=$$seed $(PYTEST) $(HUNTS) || failed=1; \
	$(BIN)/python tools/hunt_mutants.py --seed $$seed --seconds $(SECONDS) --processes $(PROCESSES) || failed=1; \
	$(BIN)/python tools/hunt_broken.py --seed $$seed --seconds $(SECONDS) || failed=1; \
	exit $$failed

lint: $(TEST_READY) ## Check style, types, words and how dense the code is
	@failed=0; \
	echo "ruff check"; $(BIN)/ruff check . || failed=1; \
	echo "ruff format --check"; $(BIN)/ruff format --check . || failed=1; \
	echo "mypy --strict"; $(BIN)/mypy --strict src/lineal || failed=1; \
	echo "counters"; $(BIN)/python tools/counters.py || failed=1; \
	echo "words"; $(BIN)/python tools/words.py || failed=1; \
	exit $$failed

bench: $(BENCH_READY) ## Measure lineal beside sqlglot and others in one run; a missed bound fails
	@$(call with_java,$(BENCH_EXTRAS)) $(call with_postgres,$(BENCH_EXTRAS)) $(call with_web,$(BENCH_EXTRAS)) \
	$(BIN)/python bench/run.py

accuracy: $(DEMO_READY) ## Hold lineal and its peers against the same statements; MIMIC=path adds those of a checkout
	@$(call with_java,$(DEMO_EXTRAS)) $(BIN)/python bench/accuracy/run.py --topics

confidence: $(DEMO_READY) ## Hold the confidence of edges from PySpark against their correctness, for docs/reference/accuracy.md
	@$(BIN)/python bench/accuracy/confidence.py --write

scale: $(DEMO_READY) ## Measure 10,000 views beside 1,000, and beside the peers
	@$(BIN)/python bench/scale.py

run-dbt: $(DEMO_READY) ## Run the dbt projects below CHECKOUTS=folder on local Spark, and report each
	@test -n "$(CHECKOUTS)" || { echo "run-dbt: name a folder of checkouts: make run-dbt CHECKOUTS=folder" >&2; exit 2; }
	@$(call with_java,$(DEMO_EXTRAS)) $(BIN)/python tools/run_dbt.py "$(CHECKOUTS)"

ecosystem: $(DEMO_READY) ## Read the checkouts below CHECKOUTS=folder, and compare with bench/ecosystem.json
	@test -n "$(CHECKOUTS)" || { echo "ecosystem: name a folder of checkouts: make ecosystem CHECKOUTS=folder" >&2; exit 2; }
	@$(BIN)/python bench/ecosystem.py "$(CHECKOUTS)"

# SEEDS=folder has CSV files for clones whose large seeds are not there.
histories: $(TEST_READY) ## Build the histories of dbt projects below CHECKOUTS=folder on DuckDB, and check what --select selects
	@test -n "$(CHECKOUTS)" || { echo "histories: name a folder of clones: make histories CHECKOUTS=folder PACKAGES=folder" >&2; exit 2; }
	@$(BIN)/python bench/histories.py "$(CHECKOUTS)" $(if $(PACKAGES),--packages "$(PACKAGES)") $(if $(SEEDS),--seeds "$(SEEDS)")

java: ## Find a Java for Spark, or install one
	@tools/java.sh

postgres: ## Find a PostgreSQL server for the tests, or install one
	@tools/postgres.sh

page: ## Build the page from its sources in web/
	@tools/page.sh && cd web && npm run --silent check && npm run --silent build

clean: ## Remove the virtual environment, caches and built files
	rm -rf $(VENV) .cache web/node_modules editors/vscode/node_modules editors/vscode/out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis examples/*/.lineal
	find src tests bench docs -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@tools/venv.sh $(VENV)

$(DEMO_READY): extras = $(DEMO_EXTRAS)
$(TEST_READY): extras = $(EXTRAS)
$(BENCH_READY): extras = $(BENCH_EXTRAS)
$(DOCS_READY): extras = $(DOCS_EXTRAS)
$(RELEASE_READY): extras = $(RELEASE_EXTRAS)
$(DEMO_READY) $(TEST_READY) $(BENCH_READY) $(DOCS_READY) $(RELEASE_READY): pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing lineal$(if $(extras),[$(extras)]) into $(VENV); the first time this takes a minute"
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.$(if $(extras),[$(extras)])'
	@touch $@
