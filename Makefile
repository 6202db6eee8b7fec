# Each target installs what it needs: `make run` needs only Python, `make test` Chromium and Node too.

.DEFAULT_GOAL := help
.PHONY: help run test hardware-test release-test torture soak bench drawings pictures card firmware release lock clean

UV_VERSION := 0.13.9

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 22

run: ## set up what is needed and start the daemon (options: make run ARGS="--lan")
	@.ci/setup run
	@exec .venv/bin/pochboard run $(ARGS)

test: ## set up everything and run all checks and tests (options for pytest: make test ARGS="-k ante")
	@.ci/setup test
	@.ci/checks $(ARGS)

hardware-test: ## try the boards on a real kernel with a simulated Pi and Pico (which is built once)
	@.ci/setup kernel
	@.ci/hardware-test $(ARGS)

release-test: ## try a card and the Debian package in machines with Debian, from first boot to removal (as root)
	@.ci/setup test
	@exec .venv/bin/python -m tests.torture.release $(ARGS)

torture: ## long fault tests: power cuts, kills, failing disks (only some: make torture ARGS="power_cuts")
	@.ci/setup test
	@for name in $(or $(ARGS),backups bits power_cuts store_faults kills); do \
		.venv/bin/python -m tests.torture.$$name || failed=yes; done; test -z "$$failed"

soak: ## play 1,000 evenings with faults (options: make soak ARGS="--seed 1 --evenings 20")
	@.ci/setup test
	@exec .venv/bin/python -m tests.torture.soak $(ARGS)

bench: ## measure, and print a table (some rows: make bench ARGS="--only press")
	@.ci/setup test
	@exec env -u PYTHONDONTWRITEBYTECODE .venv/bin/python -m tests.bench.run $(ARGS)

drawings: ## regenerate the board's drawings (printed parts and STEP: ARGS=--parts; all options: ARGS=--help)
	@.ci/setup drawings
	@.venv/bin/python -m hardware.draw $(ARGS)

pictures: ## trace pictures and a film of the whole board into docs (options: make pictures ARGS="--samples 4")
	@.ci/setup pictures
	@.venv/bin/python -m hardware.film $(ARGS)

card: ## write the files for a card that sets up a Pi to build/card (CONFIG=my.toml)
	@.ci/setup run
	@.venv/bin/pochboard card --out build/card $(if $(CONFIG),--config '$(CONFIG)') $(ARGS)

firmware: ## write the files for the drive of a Pico to build/firmware (or: pochboard firmware install)
	@.ci/setup run
	@rm -rf build/firmware.new
	@.venv/bin/pochboard firmware build build/firmware.new >/dev/null
	@rm -rf build/firmware && mv build/firmware.new build/firmware
	@echo "Wrote the files to build/firmware. Copy all of them to the CIRCUITPY drive."

release: ## make source, wheel, Debian package and user-data files in dist
	@.ci/setup run
	@.ci/release

lock: ## resolve the pinned versions again (LOCK=--upgrade: the newest ones)
	@test -x build/lock/bin/uv || python3 -m venv --clear build/lock
	@build/lock/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@.ci/lock build/lock/bin/uv $(LOCK)

clean: ## remove all that make has set up or built
	rm -rf .venv web/node_modules build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
