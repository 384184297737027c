# packaging/: tach as others install it.

EXTRA_DIST += packaging/Dockerfile packaging/PKGBUILD packaging/static \
	packaging/tach.rb packaging/wheel

# Static programs and the agent, in one tarball: for this machine, or for HOST.
dist-static:
	rm -rf static-dist && $(MKDIR_P) static-dist
	$(MAKE) $(AM_MAKEFLAGS) distdir distdir=static-dist/source
	$(srcdir)/packaging/static static-dist/source . $(HOST)
	rm -rf static-dist
.PHONY: dist-static
CLEANFILES += tach-*-linux-*.tar.xz
