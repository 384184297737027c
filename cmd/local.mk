# cmd/: the commands.  Of lib/ they see the public headers, and the
# helpers that t/arrows names.

bin_PROGRAMS += cmd/tach-cat cmd/tach-convert cmd/tach-info cmd/tach-merge \
	cmd/tach-record cmd/tach-top

# Of all programs, tests as well, but for the commands that read files alone.
LDADD = lib/libtach-record-core.la $(RECORD_LIBS) $(cmd_reads)
cmd_reads = lib/libtach-core.la $(TACH_LIBS) $(BSD_LIBS)

cmd_common = cmd/cmd.c cmd/cmd.h cmd/message.c \
	cmd/cmdline.c cmd/cmdline.h cmd/output.c cmd/output.h \
	cmd/place.c cmd/place.h cmd/print.c cmd/print.h cmd/to_file.h cmd/why.h

# Rights that are given up.
noinst_LTLIBRARIES += cmd/libconfine.la
cmd_libconfine_la_SOURCES = cmd/confine.c cmd/confine.h
cmd_libconfine_la_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
cmd_libconfine_la_LIBADD = $(SECCOMP_LIBS)
cmd_confine = cmd/libconfine.la $(cmd_reads)

cmd_profile = cmd/profile.c cmd/profile.h
cmd_merging = cmd/merging.c cmd/merging.h cmd/survey.c cmd/survey.h
cmd_select = cmd/select.c cmd/select.h
cmd_tally = cmd/processes.c cmd/processes.h cmd/tally.c cmd/tally.h \
	cmd/tally_table.c cmd/tally_table.h
cmd_tach_cat_SOURCES = cmd/tach-cat.c $(cmd_common) $(cmd_select)
cmd_tach_cat_LDADD = $(cmd_confine)
cmd_tach_convert_SOURCES = cmd/tach-convert.c \
	cmd/counts.c cmd/counts.h \
	cmd/format.c cmd/format.h cmd/progress.c cmd/progress.h $(cmd_common) \
	$(cmd_profile) $(cmd_select)
cmd_tach_convert_LDADD = $(cmd_confine)
cmd_tach_info_SOURCES = cmd/tach-info.c $(cmd_common) $(cmd_select)
cmd_tach_info_LDADD = $(cmd_confine)
cmd_tach_merge_SOURCES = cmd/tach-merge.c $(cmd_common) \
	$(cmd_merging) $(cmd_profile) $(cmd_select)
cmd_tach_merge_LDADD = $(cmd_confine)
cmd_tach_record_SOURCES = cmd/tach-record.c cmd/check.c cmd/check.h \
	cmd/dump.c cmd/dump.h \
	cmd/family.c cmd/family.h cmd/finisher.c cmd/finisher.h \
	cmd/counts.c cmd/counts.h \
	cmd/giveup.c cmd/giveup.h cmd/handover.c cmd/handover.h \
	cmd/hint.c cmd/hint.h cmd/host.c cmd/host.h cmd/hottest.c cmd/hottest.h \
	cmd/mend.c cmd/mend.h cmd/natives.c cmd/natives.h \
	cmd/part.c cmd/part.h cmd/recording.c \
	cmd/recording.h cmd/sampler.c cmd/sampler.h cmd/summary.c \
	cmd/summary.h cmd/tempdir.c cmd/tempdir.h cmd/thread.c cmd/thread.h $(cmd_common) \
	$(cmd_merging) $(cmd_profile) $(cmd_tally)
cmd_tach_record_LDADD = cmd/libconfine.la $(LDADD)
cmd_tach_top_SOURCES = cmd/tach-top.c cmd/child.c cmd/child.h cmd/contention.c \
	cmd/contention.h cmd/live.h cmd/tempdir.c cmd/tempdir.h \
	$(cmd_common) $(cmd_select) $(cmd_tally)
if HAVE_VIEW
cmd_tach_top_SOURCES += cmd/gather.c cmd/gather.h cmd/live.c cmd/outline.c cmd/outline.h \
	cmd/screen.c cmd/screen.h cmd/watch.c cmd/watch.h
endif
cmd_tach_top_CFLAGS = $(AM_CFLAGS) $(CURSES_CFLAGS)
cmd_tach_top_LDADD = $(cmd_confine) $(CURSES_LIBS)

# Shells complete the commands by these, which mkcompletions makes of the tables of their
# options; so it is called by hand, as `make completions`.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = cmd/completions/bash/tach-cat \
	cmd/completions/bash/tach-convert cmd/completions/bash/tach-info \
	cmd/completions/bash/tach-merge cmd/completions/bash/tach-record \
	cmd/completions/bash/tach-top
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = cmd/completions/zsh/_tach-cat \
	cmd/completions/zsh/_tach-convert cmd/completions/zsh/_tach-info \
	cmd/completions/zsh/_tach-merge cmd/completions/zsh/_tach-record \
	cmd/completions/zsh/_tach-top
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = cmd/completions/fish/tach-cat.fish \
	cmd/completions/fish/tach-convert.fish \
	cmd/completions/fish/tach-info.fish \
	cmd/completions/fish/tach-merge.fish \
	cmd/completions/fish/tach-record.fish \
	cmd/completions/fish/tach-top.fish
EXTRA_DIST += cmd/mkcompletions
completions: all
	PATH=$$PWD/cmd:$$PATH $(srcdir)/cmd/mkcompletions \
	    $(srcdir)/cmd/completions
.PHONY: completions
