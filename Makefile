# make help says what there is. Every target first installs the Debian packages that it needs and this machine lacks.

CARGO ?= cargo
PREFIX ?= /usr/local
DESTDIR ?=
DEMO_SERVER ?= mariadb
# Where things are kept that are fetched once: MySQL, test suites.
CACHE ?= $(CURDIR)/.cache
MYSQL_PREFIX ?= $(CACHE)/mysql
export CACHE MYSQL_PREFIX

TARGET := $(or $(CARGO_TARGET_DIR),target)
RELEASE := $(TARGET)/release
CLUSTER := $(TARGET)/debug/cluster
# The folder of libraries named as the originals.
SONAMES := $(RELEASE)/sonames
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

bindir = $(PREFIX)/bin
libdir = $(PREFIX)/lib
includedir = $(PREFIX)/include
pkgconfigdir = $(libdir)/pkgconfig

.PHONY: build release cluster soname demo test oracle chaos conformance bench large lockstep sanitize soak consistency shares fuzz generated install uninstall clean help
.DEFAULT_GOAL := build

build: ## the library, target/release/libmysqlclient_ms.so, and the program mysqlclient-ms (the default)
	@sh tests/packages.sh build
	@$(MAKE) --no-print-directory release

# Without packages, for the other targets, which have had theirs.
release:
	@echo "building the library (release)"
	$(CARGO) build --release

# What starts the servers.
cluster:
	@echo "building the cluster program"
	$(CARGO) build --quiet --package harness --bin cluster

soname: build ## the folder with libmysqlclient.so.21, .so.24 and libmariadb.so.3 (target/release/sonames)
	sh src/abi/soname/build.sh $(RELEASE) $(SONAMES)

demo: ## unchanged programs on a primary and two replicas, without and with the library (DEMO_SERVER=mariadb|mysql)
	@sh tests/packages.sh demo
	@if [ "$(DEMO_SERVER)" = mysql ]; then bash tests/harness/get-mysql.sh; fi
	@$(MAKE) --no-print-directory release
	@$(MAKE) --no-print-directory cluster
	@echo "starting a primary and two replicas of $(DEMO_SERVER)"
	@$(CLUSTER) run --family $(DEMO_SERVER) --replicas 2 --general-log -- \
	  python3 examples/demo/demo.py --library $(RELEASE)/libmysqlclient_ms.so

test: ## all tests: Rust, C, and real clusters of MariaDB and MySQL (with CI set, a family that cannot run is a failure)
	@sh tests/packages.sh test
	@bash tests/harness/get-mysql.sh || { [ -z "$$CI" ] && echo "going on without MySQL"; }
	@bash tests/harness/get-mariadb.sh || { [ -z "$$CI" ] && echo "going on without a newer MariaDB"; }
	@bash tests/harness/get-galera.sh || { [ -z "$$CI" ] && echo "going on without Galera"; }
	@bash tests/harness/get-mysql56.sh || { [ -z "$$CI" ] && echo "going on without MySQL 5.6"; }
	@python3 tests/harness/get-pdo-mysql.py || { [ -z "$$CI" ] && echo "going on without pdo_mysql"; }
	@bash tests/real_programs/get-programs.sh || { [ -z "$$CI" ] && echo "going on without the programs of tests/real_programs"; }
	@bash tests/oracle/get-suites.sh || { [ -z "$$CI" ] && echo "going on without the servers' test suites"; }
	@echo "running all tests"
	$(CARGO) test --workspace

oracle: ## every statement of both servers' own test suites through a routed handle: did anything but a read reach a replica? (hours)
	@sh tests/packages.sh test
	@bash tests/harness/get-mysql.sh
	@bash tests/oracle/get-suites.sh
	ORACLE_FILES=$(or $(ORACLE_FILES),all) $(CARGO) test --test oracle -- --nocapture --test-threads=1

chaos: ## Perl, Python and C programs while nodes are killed, frozen, restarted and promoted: CHAOS_TIME seconds (600), CHAOS_SEED
	@sh tests/packages.sh test
	@bash tests/harness/get-mysql.sh
	CHAOS_TIME=$(or $(CHAOS_TIME),600) $(CARGO) test --test chaos -- --nocapture

conformance: ## the test suites of DBD::mysql, DBD::MariaDB, mysqlclient, MySQL itself, pdo_mysql and Qt, with the originals and with ours
	@sh tests/packages.sh conformance
	@bash tests/harness/get-mysql.sh
	@$(MAKE) --no-print-directory release
	@$(MAKE) --no-print-directory cluster
	MS_CLUSTER=$(abspath $(CLUSTER)) CONFORMANCE_CACHE=$(CACHE)/conformance python3 tests/conformance/run.py

bench: ## the table of speeds, ours beside both originals
	@sh tests/packages.sh bench
	@bash tests/harness/get-mysql.sh
	@$(MAKE) --no-print-directory release
	@$(MAKE) --no-print-directory cluster
	MS_CLUSTER=$(abspath $(CLUSTER)) python3 tests/bench/run.py

consistency: ## 100,000 promised reads on each family, while replicas are paused, delayed, killed and promoted (STALENESS_READS, _TIME, _SEED)
	@sh tests/packages.sh test
	@bash tests/harness/get-mysql.sh
	STALENESS_READS=$(or $(STALENESS_READS),100000) $(CARGO) test --test staleness -- --nocapture

shares: ## how many reads replicas serve under session consistency at 50 ms of lag, beside the plugin's two ways: SHARES_TIME seconds each (20)
	@sh tests/packages.sh test
	@bash tests/harness/get-mysql.sh
	SHARES_TIME=$(or $(SHARES_TIME),20) $(CARGO) test --test shares -- --nocapture

lockstep: ## random calls in the originals and in ours at once, LOCKSTEP_SECONDS (300) per family; LOCKSTEP_SEED, LOCKSTEP_CALLS
	@sh tests/packages.sh test
	@bash tests/harness/get-mysql.sh
	LOCKSTEP_SECONDS=$(or $(LOCKSTEP_SECONDS),300) $(CARGO) test --test lockstep -- --nocapture

large: ## a result of LARGE_GB (10) gigabytes read row by row, by both interfaces from both servers, at constant memory
	@sh tests/packages.sh test
	@bash tests/harness/get-mysql.sh
	UNBUFFERED_GB=$(or $(LARGE_GB),10) $(CARGO) test --test c_programs -- --nocapture unbuffered

sanitize: ## the C programs under valgrind, then with library and programs built for AddressSanitizer
	@sh tests/packages.sh test
	@bash tests/harness/get-mysql.sh
	C_PROGRAMS_UNDER=valgrind $(CARGO) test --test c_programs
	@echo "building the library with AddressSanitizer"
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_PROFILE_DEV_DEBUG=line-tables-only \
	  $(CARGO) rustc --lib --crate-type cdylib --target $(HOST) --target-dir $(TARGET)/asan
	C_PROGRAMS_UNDER=asan MS_LIBRARY=$(abspath $(TARGET))/asan/$(HOST)/debug/libmysqlclient_ms.so \
	  $(CARGO) test --test c_programs

soak: ## sysbench, unchanged, for SOAK_TIME seconds (60) on both families: where did its statements run?
	@sh tests/packages.sh test
	@bash tests/harness/get-mysql.sh
	@$(MAKE) --no-print-directory release
	@$(MAKE) --no-print-directory cluster
	@for family in mariadb mysql; do \
	  $(CLUSTER) run --family $$family --replicas 2 --general-log -- \
	    python3 tests/soak/run.py --library $(RELEASE)/libmysqlclient_ms.so --time $(or $(SOAK_TIME),60) || exit 1; done

fuzz: ## every libFuzzer target for FUZZ_TIME seconds (60)
	@sh tests/packages.sh fuzz
	sh fuzz/run.sh $(or $(FUZZ_TIME),60)

generated: ## makes the generated files again (docs/compat.md, include/mysqlclient_ms.h)
	UPDATE=1 $(CARGO) test --quiet --test compat --test header

install: ## into PREFIX (default /usr/local) below DESTDIR: library, soname folder, headers, pkg-config file, program
	@[ -e $(RELEASE)/libmysqlclient_ms.so ] || $(MAKE) --no-print-directory build
	sh src/abi/soname/build.sh $(RELEASE) $(SONAMES)
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)/mysqlclient-ms/link $(DESTDIR)$(includedir)/mysqlclient-ms $(DESTDIR)$(pkgconfigdir)
	install -m 755 $(RELEASE)/mysqlclient-ms $(DESTDIR)$(bindir)/
	install -m 644 $(RELEASE)/libmysqlclient_ms.so $(DESTDIR)$(libdir)/
	install -m 644 $(SONAMES)/lib*.so.* $(DESTDIR)$(libdir)/mysqlclient-ms/
	install -m 644 $(SONAMES)/link/lib*.so $(DESTDIR)$(libdir)/mysqlclient-ms/link/
	@for header in $$(cd include 2>/dev/null && find . -name '*.h'); do \
	  install -D -m 644 include/$$header $(DESTDIR)$(includedir)/mysqlclient-ms/$$header; done
	@# so that <mysql/mysql.h> is found with the same -I
	ln -sfn . $(DESTDIR)$(includedir)/mysqlclient-ms/mysql
	install -d $(DESTDIR)$(libdir)/mysqlclient-ms/bin
	sh src/abi/soname/mysql_config.sh $(libdir) $(includedir)/mysqlclient-ms $(libdir)/mysqlclient-ms/plugin \
	  >$(DESTDIR)$(libdir)/mysqlclient-ms/bin/mysql_config
	chmod 755 $(DESTDIR)$(libdir)/mysqlclient-ms/bin/mysql_config
	ln -sfn $(libdir)/mysqlclient-ms/bin/mysql_config $(DESTDIR)$(bindir)/mysqlclient-ms-config
	@{ echo 'prefix=$(PREFIX)'; \
	   echo 'libdir=$(libdir)'; \
	   echo 'includedir=$(includedir)'; \
	   echo; \
	   echo 'Name: mysqlclient-ms'; \
	   echo 'Description: A replication-aware drop-in for libmysqlclient and MariaDB Connector/C'; \
	   echo 'Version: $(VERSION)'; \
	   echo 'Cflags: -I$${includedir}/mysqlclient-ms'; \
	   echo 'Libs: -L$${libdir}/mysqlclient-ms/link -lmysqlclient -L$${libdir} -lmysqlclient_ms'; \
	 } >$(DESTDIR)$(pkgconfigdir)/mysqlclient-ms.pc
	@echo "installed below $(DESTDIR)$(PREFIX)"

uninstall: ## removes what install has put there
	rm -rf $(DESTDIR)$(bindir)/mysqlclient-ms $(DESTDIR)$(bindir)/mysqlclient-ms-config $(DESTDIR)$(libdir)/libmysqlclient_ms.so $(DESTDIR)$(libdir)/mysqlclient-ms \
	  $(DESTDIR)$(includedir)/mysqlclient-ms $(DESTDIR)$(pkgconfigdir)/mysqlclient-ms.pc

clean: ## removes what was built (not .cache, which holds what was fetched)
	$(CARGO) clean

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1~\2/p' $(firstword $(MAKEFILE_LIST)) | while IFS='~' read -r target text; do \
	  printf '%-20s %s\n' "$$target" "$$text"; done
