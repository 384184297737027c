# SPDX-License-Identifier: ISC
# For Homebrew on Linux, beside the distribution that `make dist` makes:
# brew install --formula ./packaging/tach.rb
class Tach < Formula
  desc "Profiles of running Python programs"
  homepage "https://example.org/tach"
  url "file://#{__dir__}/../tach-0.1.0.tar.xz"
  license "ISC"

  depends_on "pkgconf" => :build
  depends_on "elfutils"
  depends_on "libbpf"
  depends_on "libbsd"
  depends_on "libseccomp"
  depends_on :linux
  depends_on "ncurses"
  depends_on "protobuf-c"
  depends_on "xxhash"
  depends_on "xz"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "./configure", *std_configure_args, "--disable-silent-rules",
           "--with-interrupts=yes", "--with-lzma=yes", "--with-seccomp=yes",
           "--with-view=yes"
    system "make", "install"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tach-record -V")
    (testpath/"p.txt").write "main;work 3\n"
    assert_equal "main;work 3\n",
                 shell_output("#{bin}/tach-convert --collapsed p.txt")
  end
end
