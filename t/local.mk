# t/: the tests.  Unit tests are C programs that succeed or fail as a whole;
# *.bats files report each of their tests by TAP.

TEST_EXTENSIONS = .bats
BATS_LOG_COMPILER = $(BATS)
AM_BATS_LOG_FLAGS = --tap
BATS_LOG_DRIVER = $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
# A failed test fails once, not once more as the exit status of its file; a
# file that ends early has run too few tests, which is an error all the same.
AM_BATS_LOG_DRIVER_FLAGS = --ignore-exit

AM_TESTS_ENVIRONMENT = \
	command -v $(BATS) >/dev/null || { \
		echo "make check needs bats (Debian: apt install bats)" >&2; \
		exit 1; \
	}; \
	TACH_SRCDIR='$(abs_top_srcdir)'; export TACH_SRCDIR; \
	TACH_BUILDDIR='$(abs_top_builddir)'; export TACH_BUILDDIR; \
	CC='$(CC)'; export CC;

TESTS = $(UNIT_TESTS) $(BATS_TESTS)

UNIT_TESTS = t/unit/test_damage t/unit/test_format t/unit/test_python
check_PROGRAMS += $(UNIT_TESTS) t/unit/positions t/unit/recode

t_unit_profile = t/unit/profile.c t/unit/profile.h
t_unit_positions_SOURCES = t/unit/positions.c
t_unit_recode_SOURCES = t/unit/recode.c
t_unit_test_damage_SOURCES = t/unit/test_damage.c $(t_unit_profile)
t_unit_test_format_SOURCES = t/unit/test_format.c $(t_unit_profile)
t_unit_test_python_SOURCES = t/unit/test_python.c $(t_unit_profile)

BATS_TESTS = \
	t/build.bats \
	t/cat.bats \
	t/commands.bats \
	t/convert.bats \
	t/format.bats \
	t/info.bats \
	t/judge.bats \
	t/layouts.bats \
	t/man.bats \
	t/python.bats \
	t/record.bats \
	t/truth.bats

EXTRA_DIST += $(BATS_TESTS) t/at-terminal t/closing t/data t/decode.py \
	t/golden t/lib.bash t/peers t/programs t/truth.py

# The closing lines: what was skipped, and how many passed.  Where a test
# failed, make has stopped before them; `make closing` prints them then.
check-local: check-TESTS
	@$(MAKE) $(AM_MAKEFLAGS) closing
closing:
	@$(SHELL) $(srcdir)/t/closing $(TEST_LOGS)
.PHONY: closing
