# man/: the manual pages.

dist_man_MANS += \
	man/libtach.3 \
	man/tach-cat.1 \
	man/tach-convert.1 \
	man/tach-formats.7 \
	man/tach-info.1 \
	man/tach-merge.1 \
	man/tach-record.1 \
	man/tach-select.7 \
	man/tach-text.5 \
	man/tach-top.1 \
	man/tach.5 \
	man/tach.7
