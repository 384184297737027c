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

# The pages for a site, in html/, by mandoc: references to each other are links there,
# other ones lead to Debian's.  It looks for the pages where it is called.
html-local:
	$(MKDIR_P) html && cp $(srcdir)/man/style.css html/
	html=`pwd`/html && cd $(srcdir)/man && \
	    for page in `echo $(dist_man_MANS) | sed 's,man/,,g'`; do \
		mandoc -Thtml -Ostyle=style.css,toc \
			-O'man=%N.%S.html;https://manpages.debian.org/%N.%S' \
			$$page >$$html/$$page.html || exit; \
	done
	cp html/tach.7.html html/index.html
EXTRA_DIST += man/style.css
