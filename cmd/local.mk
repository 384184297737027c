# cmd/: the commands.  They see tach.h and cmd.h only.

bin_PROGRAMS += cmd/tach-cat cmd/tach-convert cmd/tach-info cmd/tach-record

LDADD = lib/libtach-core.la $(LIB_LIBS)

cmd_common = cmd/cmd.c cmd/cmd.h
cmd_tach_cat_SOURCES = cmd/tach-cat.c $(cmd_common)
cmd_tach_convert_SOURCES = cmd/tach-convert.c $(cmd_common)
cmd_tach_info_SOURCES = cmd/tach-info.c $(cmd_common)
cmd_tach_record_SOURCES = cmd/tach-record.c $(cmd_common)
