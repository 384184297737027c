/* SPDX-License-Identifier: ISC */
/*
 * test_damage.c: profiles that are cut, damaged or made to harm, and files
 * that cannot be written: each gives its line, and none more than that.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../cmd/why.h"
#include "profile.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- a small profile ------------------------------------------------- */

/*
 * Where things are in it when it is plain:
 *	64 FULL, 82 REPEAT, 100 SUFFIX, 118 strings, 125 frames, 146 footer,
 *	178 end
 */
static struct hand
small(void)
{
	struct hand h = {.samples = 4, .threads = 1, .frames = 3};

	hand_record(&h, 7, 0, 1);
	bytes_add(&h.data, "\1\0\2\1\0", 5);
	hand_record(&h, 7, 0, 0);
	bytes_add(&h.data, "\2\1\0\1\0", 5);
	hand_record(&h, 7, 0, 2);
	bytes_add(&h.data, "\1\0\1\1\2", 5);
	return h;
}

static struct bytes
small_file(bool wide, bool zstd)
{
	struct hand h = small();
	struct bytes b;

	h.wide = wide;
	h.zstd = zstd;
	b = hand_file(&h);
	bytes_clear(&h.data);
	return b;
}

/* Reads it, and compares what is said, and how many samples came before. */
static void
check_says_at(int line, const struct bytes *b, const char *want,
    uint64_t samples)
{
	check_number_at(__FILE__, line, "result",
	    (uint64_t)read_profile(b, NULL), (uint64_t)TACH_FATAL);
	check_text_at(__FILE__, line, read_error, want);
	check_number_at(__FILE__, line, "samples", read_stats.samples,
	    samples);
}

#define check_says(b, want, samples) check_says_at(__LINE__, b, want, samples)

/* ---- header, footer, tables ------------------------------------------ */

struct poke {
	bool wide;
	unsigned at, size;
	uint64_t value;
	uint64_t samples;
	const char *says; /* NULL: it does no harm */
};

#define WRONG_CHECKSUM \
	"damaged: its bytes do not have the checksum at byte 162"

static const struct poke pokes[] = {
    {0, 0, 1, 'h', 0,
	"not a TACH profile (it begins with \"hCAT\\001\\0\\0\\0\")"},
    {0, 0, 4, 0x464c457f, 0,
	"not a TACH profile (it begins with \"\\177ELF\\001\\0\\0\\0\")"},
    {0, 4, 4, 2, 0, "format version 2 at byte 4 is not known (1 is)"},
    {0, 4, 4, 0, 0, "format version 0 at byte 4 is not known (1 is)"},
    {0, 8, 4, 0xffffffff, 4, NULL},
    {0, 12, 8, UINT64_MAX, 4, NULL},
    {0, 20, 8, 0, 4, NULL},
    {0, 28, 4, 5, 4, "byte 118: the sample data ends after 4 samples, but "
	"the header's sample count at byte 28 is 5"},
    {0, 28, 4, 3, 3, "byte 113: one sample more than the header counts (3 "
	"at byte 28)"},
    {0, 28, 4, 2, 1, "byte 95: a REPEAT record of 2 samples, but the "
	"header's sample count (2 at byte 28) leaves 1"},
    {0, 28, 4, 0, 0, "byte 77: one sample more than the header counts (0 at "
	"byte 28)"},
    {0, 32, 4, 0, 0, "byte 77: one thread more than the header counts (0 at "
	"byte 32)"},
    {0, 32, 4, UINT32_MAX, 4, NULL},
    {0, 36, 8, 63, 0, "truncated or damaged: string table offset 63 at byte "
	"36 lies outside the file (178 bytes)"},
    {0, 36, 8, 0, 0, "truncated or damaged: string table offset 0 at byte "
	"36 lies outside the file (178 bytes)"},
    {0, 36, 8, 99999, 0, "truncated or damaged: string table offset 99999 "
	"at byte 36 lies outside the file (178 bytes)"},
    {0, 36, 8, UINT64_MAX, 0, "truncated or damaged: string table offset "
	"18446744073709551615 at byte 36 lies outside the file (178 bytes)"},
    {0, 36, 8, 126, 0, "string table offset 126 at byte 36 lies after the "
	"frame table's (125 at byte 44)"},
    {0, 36, 8, 119, 0,
	"byte 119: string 0 of 2 has 97 bytes, but its table ends at byte "
	"125"},
    {0, 36, 8, 117, 0, "byte 120: string 1 of 2 has 46 bytes, but its table "
	"ends at byte 125"},
    {0, 44, 8, 63, 0, "truncated or damaged: frame table offset 63 at byte "
	"44 lies outside the file (178 bytes)"},
    {0, 44, 8, 147, 0, "truncated or damaged: frame table offset 147 at "
	"byte 44 lies outside the file (178 bytes)"},
    {0, 44, 8, INT64_MAX, 0, "truncated or damaged: frame table offset "
	"9223372036854775807 at byte 44 lies outside the file (178 bytes)"},
    {0, 44, 8, 124, 0, "byte 123: string 1 of 2 has 1 bytes, but its table "
	"ends at byte 124"},
    {0, 44, 8, 132, 0,
	"the footer counts 3 frames, more than the 14 bytes of their table can "
	"hold"},
    {0, 52, 4, 1, 0, "byte 64: zstd data: Unknown frame descriptor"},
    {0, 52, 4, 2, 0, "compression type 2 at byte 52 is not known (0 is none, "
	"1 is zstd)"},
    {0, 56, 8, UINT64_MAX, 4, NULL},
    {1, 28, 8, 5, 4, "byte 118: the sample data ends after 4 samples, but "
	"the header's sample count at byte 28 is 5"},
    {1, 28, 8, (uint64_t)1 << 32 | 4, 4, "byte 118: the sample data ends "
	"after 4 samples, but the header's sample count at byte 28 is "
	"4294967300"},
    {1, 36, 4, 0, 0, "byte 77: one thread more than the header counts (0 at "
	"byte 36)"},
    {1, 40, 8, 99999, 0, "truncated or damaged: string table offset 99999 "
	"at byte 40 lies outside the file (178 bytes)"},
    {1, 48, 8, 99999, 0, "truncated or damaged: frame table offset 99999 "
	"at byte 48 lies outside the file (178 bytes)"},
    {1, 56, 4, 7, 0, "compression type 7 at byte 56 is not known (0 is none, "
	"1 is zstd)"},
    {1, 60, 4, UINT32_MAX, 4, NULL},
    /* Footer. */
    {0, 146, 4, 1, 0,
	"byte 126: function name of frame 0 is string 1, but there are 1 "
	"strings"},
    {0, 146, 4, 3, 0, "byte 125: length of string 2 of 3 does not end before "
	"the table does"},
    {0, 146, 4, UINT32_MAX, 0, "the footer counts 4294967295 strings, more "
	"than the 7 bytes of their table can hold"},
    {0, 150, 4, 2, 3, "byte 117: frame index 2 of a SUFFIX record, but there "
	"are 2 frames"},
    {0, 150, 4, 4, 0, "the footer counts 4 frames, more than the 21 bytes of "
	"their table can hold"},
    {0, 150, 4, UINT32_MAX, 0, "the footer counts 4294967295 frames, more "
	"than the 21 bytes of their table can hold"},
    {0, 154, 8, 177, 0, "truncated or damaged: the footer at byte 146 gives "
	"a file size of 177, but there are 178 bytes"},
    {0, 154, 8, UINT64_MAX, 0, "truncated or damaged: the footer at byte 146 "
	"gives a file size of 18446744073709551615, but there are 178 "
	"bytes"},
    {0, 162, 1, 1, 4, WRONG_CHECKSUM},
    {0, 162, 8, UINT64_MAX, 4, WRONG_CHECKSUM},
    {0, 170, 8, UINT64_MAX, 4, WRONG_CHECKSUM},
    {0, 177, 1, 1, 4, WRONG_CHECKSUM},
    /* Tables. */
    {0, 118, 1, 200, 0, "byte 118: string 0 of 2 has 12488 bytes, but its "
	"table ends at byte 125"},
    {0, 123, 2, 0xffff, 0, "byte 123: length of string 1 of 2 does not end "
	"before the table does"},
    {0, 125, 1, 2, 0, "byte 125: file name of frame 0 is string 2, but there "
	"are 2 strings"},
    {0, 133, 1, 9, 0, "byte 133: function name of frame 1 is string 9, but "
	"there are 2 strings"},
    {0, 145, 1, 0x80, 4, NULL},
};

static void
check_pokes(void)
{
	for (size_t i = 0; i < COUNT(pokes); i++) {
		const struct poke *p = &pokes[i];
		struct bytes b = small_file(p->wide, false);
		for (unsigned k = 0; k < p->size; k++)
			b.p[p->at + k] = (uint8_t)(p->value >> 8 * k);
		if (p->says != NULL)
			check_says(&b, p->says, p->samples);
		else if (read_profile(&b, NULL) != TACH_END)
			fail_at(__FILE__, __LINE__, "byte %u: %s", p->at,
			    read_error);
		bytes_clear(&b);
	}
}

/* Numbers in a frame that are too long for it. */
static void
check_frame_numbers(void)
{
	struct bytes b = small_file(false, false);

	memset(b.p + 127, 0xff, 5);
	check_says(&b, "byte 127: line of frame 0 of 3 is out of range", 0);
	memset(b.p + 127, 0xff, 4);
	b.p[131] = 0x0f; /* line: the least there is; one less: */
	b.p[132] = 1;
	check_says(&b, "byte 132: end line of frame 0 of 3 is out of range",
	    0);
	bytes_clear(&b);
}

/* Entries that the table ends within. */
static void
check_frame_ends(void)
{
	struct bytes b = small_file(false, false);

	b.p[141] = 0x84; /* the last line has a byte more */
	b.p[145] = 0;
	check_says(&b, "byte 146: opcode of frame 2 of 3 does not end before "
	    "the table does", 0);
	b.p[145] = 0x80;
	check_says(&b, "byte 145: end column of frame 2 of 3 does not end "
	    "before the table does", 0);
	memset(b.p + 139, 0x80, 7);
	check_says(&b, "byte 139: file name of frame 2 of 3 does not end "
	    "before the table does", 0);
	bytes_clear(&b);
}

/* Tables that would take more memory than there may be; most of the file is
 * a hole. */
static void
check_large_tables(uint64_t size, uint32_t strings, const char *says)
{
	struct hand h = {.threads = 1};
	struct bytes b = hand_file(&h), foot = {0};
	struct tach_reader *r = tach_reader_new();
	int fd = bytes_fd(&b);

	bytes_number(&foot, strings, 4, false);
	bytes_number(&foot, 0, 4, false);
	bytes_number(&foot, 64 + size + 32, 8, false);
	bytes_number(&foot, 0, 8, false);
	bytes_number(&foot, 0, 8, false);
	/* All of it is strings. */
	for (unsigned i = 0; i < 8; i++)
		b.p[44 + i] = (uint8_t)((64 + size) >> 8 * i);
	if (pwrite(fd, b.p, 64, 0) != 64 ||
	    pwrite(fd, foot.p, 32, (off_t)(64 + size)) != 32)
		err(2, NULL);
	check(tach_reader_open_fd(r, fd) == TACH_FATAL);
	check_text(reader_why(r), says);
	tach_reader_free(r);
	close(fd);
	bytes_clear(&foot);
	bytes_clear(&b);
}

/* A small profile with something before its footer. */
static struct bytes
with_gap(bool wide, const void *gap, size_t n)
{
	struct bytes b = small_file(wide, false), out = {0};

	bytes_add(&out, b.p, 146);
	bytes_add(&out, gap, n);
	bytes_add(&out, b.p + 146, 32);
	for (unsigned i = 0; i < 8; i++)
		out.p[out.n - 24 + i] = (uint8_t)((uint64_t)out.n >> 8 * i);
	bytes_clear(&b);
	return out;
}

/* Whatever stands there, it is told, and the rest can be read. */
static void
check_gaps(void)
{
	static const uint8_t gap[1000] = {0x80, 0x80, 0xff};
	char want[100];

	for (size_t n = 0; n <= sizeof(gap); n += n < 100 ? 1 : 450) {
		struct bytes b = with_gap(n % 2, gap, n);
		snprintf(want, sizeof(want), "byte 146: %zu unknown bytes "
		    "after the frame table are passed over", n);
		check(read_profile(&b, NULL) == TACH_END);
		check_text(read_warning, n > 0 ? want : "");
		check_number(read_stats.samples, 4);
		bytes_clear(&b);
	}
}

/* CPython's block of statistics, of other sizes, and ones that only look like it. */
static void
check_statistics(void)
{
	static const uint8_t block[57] = {[40] = 'T', 'A', 'C', 'H', 'S', 'T',
	    'A', 'T', 1, 0, 0, 0, 56, 0, 0, 0};
	static const struct {
		unsigned at, value;
		const char *warns;
		bool known;
	} cases[] = {
	    {0, 1, "", true},
	    {52, 55, "byte 146: 1 unknown bytes after the frame table are "
		"passed over", true},
	    {52, 32, "byte 146: 24 unknown bytes after the frame table are "
		"passed over", true},
	    {52, 31, "byte 146: 25 unknown bytes after the frame table are "
		"passed over", false},
	    {52, 16, "byte 146: 40 unknown bytes after the frame table are "
		"passed over", false},
	    {52, 15, "byte 146: 56 unknown bytes after the frame table are "
		"passed over", false},
	    {55, 255, "byte 146: 56 unknown bytes after the frame table are "
		"passed over", false},
	    {48, 2, "byte 146: 56 unknown bytes after the frame table are "
		"passed over", false},
	    {40, 't', "byte 146: 56 unknown bytes after the frame table are "
		"passed over", false},
	    {52, 57, "byte 146: 56 unknown bytes after the frame table are "
		"passed over", false},
	};

	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		struct bytes b = with_gap(i % 2, block, 56);
		b.p[146 + cases[i / 2].at] = (uint8_t)cases[i / 2].value;
		check(read_profile(&b, NULL) == TACH_END);
		check_text(read_warning, cases[i / 2].warns);
		check_number(read_meta.quality.known, cases[i / 2].known);
		check_number(read_stats.samples, 4);
		bytes_clear(&b);
	}
}

/* Behind an unknown block, where an older reader would not look for it. */
static void
check_statistics_behind(void)
{
	uint8_t gap[60] = {[44] = 'T', 'A', 'C', 'H', 'S', 'T', 'A', 'T', 1, 0,
	    0, 0, 56, 0, 0, 0};
	struct bytes b = with_gap(true, gap, sizeof(gap));

	check(read_profile(&b, NULL) == TACH_END);
	check_text(read_warning, "byte 146: 4 unknown bytes after the frame "
	    "table are passed over");
	check(read_meta.quality.known);
	bytes_clear(&b);
}

/* Numbers of the statistics that are none; `at` is where in the block. */
static void
check_no_number(unsigned at, bool known, bool errors, bool missed)
{
	uint8_t gap[56] = {[32] = 3, [40] = 'T', 'A', 'C', 'H', 'S', 'T', 'A',
	    'T', 1, 0, 0, 0, 56, 0, 0, 0};
	static const uint8_t bad[][2] = {{0xf0, 0x7f}, {0xf0, 0xff},
	    {0xf8, 0x7f}, {0xf8, 0xff}};

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct bytes b = with_gap(true, gap, sizeof(gap));
		memcpy(b.p + 146 + at + 6, bad[i], 2);
		check(read_profile(&b, NULL) == TACH_END);
		check_number(read_meta.quality.known, known);
		check_number(read_meta.quality.has_errors, errors);
		check_number(read_meta.quality.has_missed, missed);
		bytes_clear(&b);
	}
}

/* ---- the file as a whole --------------------------------------------- */

/* What is to be said of a profile that has its first n bytes only. */
static void
says_of_cut(char *says, size_t size, const struct bytes *b, bool wide,
    size_t n)
{
	static const char outside[] = "truncated or damaged: %s table offset "
	    "%u at byte %u lies outside the file (%zu bytes)";
	unsigned at = wide ? 40 : 36, strings = b->p[at], frames = b->p[at + 8];
	uint64_t file = 0;

	if (n == 0)
		snprintf(says, size, "the file is empty");
	else if (n < 96)
		snprintf(says, size, "truncated: %zu bytes, and header and "
		    "footer alone take 96", n);
	else if (strings > n - 32)
		snprintf(says, size, outside, "string", strings, at, n);
	else if (frames > n - 32)
		snprintf(says, size, outside, "frame", frames, at + 8, n);
	else {
		for (unsigned i = 8; i-- > 0;)
			file = file << 8 | b->p[n - 24 + i];
		snprintf(says, size, "truncated or damaged: the footer at "
		    "byte %zu gives a file size of %llu, but there are %zu "
		    "bytes", n - 32, (unsigned long long)file, n);
	}
}

/* Whatever its length, a file that lacks its end says so. */
static void
check_truncation(void)
{
	char says[200];

	for (int n = 0; n < 4; n++) {
		struct bytes b = small_file(n & 1, n & 2);
		while (b.n-- > 0) {
			says_of_cut(says, sizeof(says), &b, n & 1, b.n);
			check_says(&b, says, 0);
		}
		b.n = 0;
		bytes_clear(&b);
	}
}

static void
check_no_profile(void)
{
	struct bytes b = small_file(false, false);

	b.n = 95;
	check_says(&b, "truncated: 95 bytes, and header and footer alone take "
	    "96", 0);
	b.n = 178;
	memset(b.p, 0, 64);
	for (int n = 0; n < 3; n++) {
		check_says(&b, "the profile is unfinished, and its "
		    "journal, with .journal after its name, is not here", 0);
		b.n = n == 0 ? 64 : 1;
	}
	b.n = 0;
	bytes_add(&b, "\xff\n\t\"", 4);
	check_says(&b, "not a TACH profile (it begins with \"\\377\\n\\t\"\")",
	    0);
	bytes_clear(&b);
	bytes_add(&b, "HCA", 3);
	check_says(&b, "truncated: 3 bytes, and header and footer alone take "
	    "96", 0);
	bytes_clear(&b);
}

/* Each byte, each of some values: it may be read or refused. */
static void
check_any_byte(void)
{
	static const uint8_t with[] = {0x01, 0x80, 0xff, 0x7f, 0x03};

	for (int n = 0; n < 4; n++) {
		struct bytes b = small_file(n & 1, n & 2);
		for (size_t i = 0; i < b.n * COUNT(with); i++) {
			b.p[i / 5] ^= with[i % 5];
			read_profile(&b, NULL);
			b.p[i / 5] ^= with[i % 5];
		}
		check(read_profile(&b, NULL) == TACH_END);
		bytes_clear(&b);
	}
}

/* What libtach has written tells every bit that has changed, wherever it
 * is: its structure, zstd's checksum or its own. */
static void
check_any_bit(void)
{
	struct tach_table *table = make_table(12);
	struct trace t = {0};

	for (uint32_t i = 0; i < 9; i++)
		trace_add(&t, 1 + i % 2, i % 2, 100 * i, (uint8_t)i,
		    (uint32_t[]){i / 3, 11, 10}, 3);
	write_meta.config = 0x59;
	write_meta.quality = (struct tach_quality){true, true, true, 3.5,
	    999.5, 0.25, 1.5};
	for (int n = 0; n < 4; n++) {
		struct tach_writer_options o = {.size = sizeof(o),
		    n & 1 ? TACH_LAYOUT_CPYTHON : TACH_LAYOUT_EARLY,
		    n & 2 ? TACH_ZSTD : TACH_PLAIN,
		    5};
		struct bytes b = write_profile(&t, &o, table, HINT_NONE);
		check(read_profile(&b, NULL) == TACH_END);
		for (size_t bit = 0; bit < b.n * 8; bit++) {
			b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
			if (read_profile(&b, NULL) != TACH_FATAL)
				fail_at(__FILE__, __LINE__, "%d: bit %zu", n,
				    bit);
			b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		bytes_clear(&b);
	}
	trace_clear(&t);
	tach_table_free(table);
}

/* A checksum is taken note of, and looked for where there is one only. */
static void
check_checked(void)
{
	for (int n = 0; n < 4; n++) {
		struct bytes b = small_file(n & 1, n & 2);
		check(read_profile(&b, NULL) == TACH_END);
		check(!read_info.has_checksum);
		put_checksum(&b);
		check(read_profile(&b, NULL) == TACH_END);
		check(read_info.has_checksum);
		check(memcmp(read_info.checksum, b.p + b.n - 16, 16) == 0);
		b.p[12] ^= 1; /* the start: nothing else would tell */
		check(read_profile(&b, NULL) == TACH_FATAL);
		check(strncmp(read_error, "damaged: its bytes do not have the "
		    "checksum at byte ", 52) == 0);
		check_number(read_stats.samples, 4);
		memset(b.p + b.n - 16, 0, 16);
		check(read_profile(&b, NULL) == TACH_END);
		bytes_clear(&b);
	}
}

/* A byte more or less in the sample data. */
static void
check_trailing(void)
{
	struct bytes b = small_file(false, false);

	b.p[36]--, b.p[44]--;
	memmove(b.p + 117, b.p + 118, 60);
	b.n--;
	b.p[b.n - 24]--;
	check_says(&b, "byte 117: the sample data ends inside the frames of a "
	    "SUFFIX record", 3);
	bytes_clear(&b);
}

/* ---- records --------------------------------------------------------- */

/* Samples that are well, then a record with something wrong. */
struct record {
	unsigned encoding;
	const char *bytes;
	size_t n;
	uint64_t samples; /* that are read all the same */
	const char *at, *says;
};

#define BYTES(s) s, sizeof(s) - 1
#define OVERLONG "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\1"
#define HALF "\x80\x80\x80\x80\x80\x80\x80\x80\x80\1" /* 2^63 */
#define MAX "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"

static const struct record records[] = {
    {4, BYTES(""), 4, "130", "encoding 4 of a record is not known"},
    {255, BYTES("\1\1"), 4, "130", "encoding 255 of a record is not known"},
    {0, BYTES(""), 4, "131",
	"the sample data ends inside the count of a REPEAT record"},
    {0, BYTES("\x80"), 4, "131",
	"the sample data ends inside the count of a REPEAT record"},
    {0, BYTES(OVERLONG), 4, "131",
	"the count of a REPEAT record is out of range"},
    {0, BYTES(MAX "\1\0"), 4, "131", "a REPEAT record of "
	"18446744073709551615 samples, but the header's sample count (1000 "
	"at byte 28) leaves 996"},
    {0, BYTES("\3\1\0\2\1\3"), 6, "136",
	"the sample data ends inside the time and status of a REPEAT record"},
    {0, BYTES("\3"), 4, "132",
	"the sample data ends inside the time and status of a REPEAT record"},
    {0, BYTES("\3\1\0" MAX "\0\1\0"), 5, "134",
	"the time of a REPEAT record is out of range"},
    {0, BYTES("\3" HALF "\0" HALF "\0\1\0"), 5, "143",
	"the time of a REPEAT record is out of range"},
    {0, BYTES("\1" OVERLONG "\0"), 4, "132",
	"the time and status of a REPEAT record is out of range"},
    {1, BYTES("\x80"), 4, "131",
	"the sample data ends inside the time and status of a FULL record"},
    {1, BYTES("\1"), 4, "131",
	"the sample data ends inside the time and status of a FULL record"},
    {1, BYTES("\1\0"), 4, "133",
	"the sample data ends inside the number of frames of a FULL record"},
    {1, BYTES("\1\0\2\1"), 4, "134",
	"the sample data ends inside the frames of a FULL record"},
    {1, BYTES("\1\0\2\1\3"), 4, "135",
	"frame index 3 of a FULL record, but there are 3 frames"},
    {1, BYTES("\1\0\1\xff\xff\xff\xff\x7f"), 4, "134",
	"frame index 34359738367 of a FULL record, but there are 3 frames"},
    {1, BYTES("\1\0\1" OVERLONG), 4, "134",
	"the frame index of a FULL record is out of range"},
    {1, BYTES("\1\0\xff\xff\xff\xff\x0f\1\1"), 4, "133", "a stack of "
	"4294967295 frames: the stacks of all threads may have 67108864 "
	"together"},
    {1, BYTES("\1\0\xff\xff\xff\xff\x1f\1\1"), 4, "133",
	"the number of frames of a FULL record is out of range"},
    {1, BYTES("\1\0\xff\xff\xff\x0f\1\1"), 4, "137",
	"the sample data ends inside the frames of a FULL record"},
    {2, BYTES("\1\0\3\0"), 4, "133",
	"a SUFFIX record keeps 3 frames of a stack of 2"},
    {2, BYTES("\1\0\2\2\1"), 4, "135",
	"the sample data ends inside the frames of a SUFFIX record"},
    {3, BYTES("\1\0\3\0"), 4, "133",
	"a POP_PUSH record removes 3 frames of a stack of 2"},
    {3, BYTES("\1\0\xff\xff\xff\xff\x0f\0"), 4, "133", "a POP_PUSH record "
	"removes 4294967295 frames of a stack of 2"},
    {3, BYTES("\1\0\1\1\x77"), 4, "135",
	"frame index 119 of a POP_PUSH record, but there are 3 frames"},
};

static void
check_record(const struct record *r, bool zstd)
{
	struct hand h = small();
	struct bytes b;
	char says[300];

	h.samples = 1000;
	h.zstd = zstd;
	hand_record(&h, 7, 0, r->encoding);
	bytes_add(&h.data, r->bytes, r->n);
	b = hand_file(&h);
	if (zstd)
		snprintf(says, sizeof(says), "sample data byte %d: %s",
		    atoi(r->at) - 64, r->says);
	else
		snprintf(says, sizeof(says), "byte %s: %s", r->at, r->says);
	check_says(&b, says, r->samples);
	bytes_clear(&b);
	bytes_clear(&h.data);
}

/* A second thread, where there is said to be one; a record cut off early. */
static void
check_threads(void)
{
	struct hand h = small();
	struct bytes b;

	h.samples = 5;
	hand_record(&h, 7, 1, 1);
	bytes_add(&h.data, "\1\0\0", 3);
	b = hand_file(&h);
	check_says(&b, "byte 131: one thread more than the header counts (1 "
	    "at byte 32)", 4);
	bytes_clear(&b);
	h.threads = 2;
	b = hand_file(&h);
	check(read_profile(&b, NULL) == TACH_END);
	bytes_clear(&b);
	h.data.n -= 4;
	b = hand_file(&h);
	check_says(&b, "byte 118: the sample data ends inside the head of a "
	    "record", 4);
	bytes_clear(&b);
	bytes_clear(&h.data);
}

/* ---- zstd ------------------------------------------------------------ */

/* A profile with these bytes as its compressed data. */
static struct bytes
zstd_file(const void *bytes, size_t n)
{
	struct hand h = {.samples = 4, .threads = 1, .frames = 3};
	struct bytes b;

	bytes_add(&h.data, bytes, n);
	b = hand_file(&h);
	b.p[52] = 1;
	bytes_clear(&h.data);
	return b;
}

static void
check_zstd(void)
{
	/* 1 GiB of window; then one raw block. */
	static const uint8_t window[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0xa0, 9, 0,
	    0, 1};
	struct hand h = small();
	struct bytes pack = {0}, b;

	bytes_pack(&pack, &h.data);
	for (size_t n = 1; n < pack.n; n++) {
		b = zstd_file(pack.p, n);
		check(read_profile(&b, NULL) == TACH_FATAL);
		check(strstr(read_error, ": the zstd data ends in the middle "
		    "of a frame") != NULL);
		bytes_clear(&b);
	}
	b = zstd_file(pack.p, 0);
	check_says(&b, "sample data byte 0: the sample data ends after 0 "
	    "samples, but the header's sample count at byte 28 is 4", 0);
	bytes_clear(&b);
	b = zstd_file(window, sizeof(window));
	check_says(&b, "byte 69: zstd data: Frame requires too much memory "
	    "for decoding", 0);
	bytes_clear(&b);
	bytes_u8(&pack, 'x');
	b = zstd_file(pack.p, pack.n);
	check(read_profile(&b, NULL) == TACH_FATAL);
	check_number(read_stats.samples, 4);
	bytes_clear(&b);
	bytes_clear(&pack);
	bytes_clear(&h.data);
}

/* The writer's checksum finds what zstd itself would not. */
static void
check_checksum(void)
{
	struct tach_table *table = make_table(300);
	struct tach_writer_options zstd = {
	    .size = sizeof(zstd), TACH_LAYOUT_EARLY, TACH_ZSTD, 5};
	struct trace t = {0};
	struct bytes b;

	trace_add(&t, 0x123456789abcdef0, 1, 5, 0,
	    (uint32_t[]){9, 1, 7, 3, 5, 2}, 6);
	b = write_profile(&t, &zstd, table, HINT_NONE);
	check(read_profile(&b, NULL) == TACH_END);
	/* In a literal: the thread's id. */
	for (size_t i = 64; i < b.n; i++)
		if (b.p[i] == 0x9a) {
			b.p[i] ^= 1;
			break;
		}
	check(read_profile(&b, NULL) == TACH_FATAL);
	check(strstr(read_error, "checksum") != NULL);
	check_number(read_stats.samples, 1);
	bytes_clear(&b);
	trace_clear(&t);
	tach_table_free(table);
}

/* A few bytes that decode to a stack without end do not take memory without
 * end. */
static void
check_bomb(void)
{
	struct hand h = {.samples = 1, .threads = 1, .frames = 1,
	    .zstd = true};
	uint8_t *zeros = calloc(1, 8 << 20);
	struct bytes b;

	if (zeros == NULL)
		err(2, NULL);
	hand_record(&h, 7, 0, 1);
	bytes_add(&h.data, "\1\0", 2);
	bytes_varint(&h.data, 60000000);
	bytes_add(&h.data, zeros, 8 << 20);
	b = hand_file(&h);
	check(b.n < 2000);
	check_says(&b, "sample data byte 8388627: the sample data ends inside "
	    "the frames of a FULL record", 0);
	bytes_clear(&b);
	bytes_clear(&h.data);
	free(zeros);
}

/* ---- writing --------------------------------------------------------- */

/* Writes until the end or an error; gives the line. */
static const char *
write_to(int fd, enum tach_compression compression, size_t runs)
{
	static char text[512];
	struct tach_table *table = make_table(50000);
	struct tach_writer_options o = {
	    .size = sizeof(o), TACH_LAYOUT_EARLY, compression, 5};
	struct tach_writer *w = tach_writer_new(fd, &o, table);
	struct tach_tick tick = {0, 0, 0};
	uint32_t frames[20];
	int res = TACH_OK;

	if (w == NULL)
		err(2, NULL);
	for (size_t n = 0; res == TACH_OK && n < runs; n++) {
		for (int i = 0; i < 20; i++)
			frames[i] = random_below(50000);
		tick.time++;
		res = tach_writer_run(w, &(struct tach_run){1, 0, 0, frames,
		    20, 0, &tick, 1});
	}
	if (res == TACH_OK)
		res = tach_writer_finish(
		    w, &(struct tach_meta){.size = sizeof(struct tach_meta)});
	check((res == TACH_FATAL) == (writer_why(w)[0] != '\0'));
	snprintf(text, sizeof(text), "%s", writer_why(w));
	/* An error is final, and so is the end. */
	check(tach_writer_run(w, &(struct tach_run){1, 0, 0, frames, 20, 0,
	    &tick, 1}) == TACH_FATAL);
	check(tach_writer_finish(
		  w, &(struct tach_meta){.size = sizeof(struct tach_meta)}) ==
	    TACH_FATAL);
	check_text(writer_why(w), res == TACH_OK ? "the profile is finished" :
						   text);
	tach_writer_free(w);
	tach_table_free(table);
	return text;
}

/* The file may not grow beyond a size: fails in the middle of each part. */
static void
check_limits(void)
{
	static const rlim_t limits[] = {0, 50, 64, 100, 600000, 700000,
	    1000000, 1300000};
	struct rlimit old, limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	for (size_t i = 0; i < 2 * COUNT(limits); i++) {
		struct bytes none = {0};
		int fd = bytes_fd(&none);
		const char *says;
		limit = (struct rlimit){limits[i / 2], old.rlim_max};
		setrlimit(RLIMIT_FSIZE, &limit);
		says = write_to(fd, i % 2 ? TACH_ZSTD : TACH_PLAIN, 20000);
		setrlimit(RLIMIT_FSIZE, &old);
		check_text(says, "cannot write: File too large");
		close(fd);
	}
}

static void
check_writing(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC), fds[2];

	if (fd < 0 || pipe(fds) != 0)
		err(2, NULL);
	check_text(write_to(fd, TACH_PLAIN, 1),
	    "cannot write: No space left on device");
	check_text(write_to(fd, TACH_ZSTD, 0),
	    "cannot write: No space left on device");
	check_text(write_to(fds[1], TACH_ZSTD, 10),
	    "cannot write: Illegal seek");
	close(fd);
	close(fds[0]);
	close(fds[1]);
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	check_text(write_to(fd, TACH_ZSTD, 10), "");
	close(fd);
}

/* Time that runs backwards is the source's fault, and is told. */
static void
check_backwards(void)
{
	static const struct tach_tick ticks[] = {{5, 0, 0}, {4, 0, 0}};
	struct tach_table *table = make_table(1);
	struct tach_writer_options o = {
	    .size = sizeof(o), TACH_LAYOUT_EARLY, TACH_PLAIN, 5};
	struct bytes none = {0};
	int fd = bytes_fd(&none);
	struct tach_writer *w = tach_writer_new(fd, &o, table);

	check(tach_writer_run(w, &(struct tach_run){9, 0, 0, NULL, 0, 0,
	    ticks, 2}) == TACH_FATAL);
	check_text(writer_why(w), "thread 9: a sample at 4 us comes "
	    "after one at 5 us");
	tach_writer_free(w);
	tach_table_free(table);
	close(fd);
}

/* ---- opening --------------------------------------------------------- */

static void
check_open(const char *path, const char *says)
{
	struct tach_reader *r = tach_reader_new();
	struct tach_run run;

	check(tach_reader_open(r, path) == TACH_FATAL);
	check_text(reader_why(r), says);
	check(tach_reader_next(r, &run) == TACH_FATAL);
	tach_reader_free(r);
}

/* A reader of which nothing more is to be had: what it has stays, and what
 * it could not take is not there. */
static void
check_after(void)
{
	struct bytes b = small_file(false, false);
	struct tach_reader *r = tach_reader_new();
	const struct tach_table *t = tach_reader_table(r);
	struct tach_run run;
	int fd;

	b.p[117] = 9; /* in the last record */
	fd = bytes_fd(&b);
	check(tach_reader_open_fd(r, fd) == TACH_OK);
	while (tach_reader_next(r, &run) == TACH_OK)
		continue;
	check_number(tach_table_string_count(t), 2);
	check(memcmp(tach_table_string(t, 0).bytes, "a.py", 4) == 0);
	check(tach_reader_next(r, &run) == TACH_FATAL);
	check(tach_reader_poll(r) == TACH_FATAL);
	check(tach_reader_verify(r) == TACH_FATAL);
	tach_reader_free(r);
	close(fd);
	b.p[140] = 0xff; /* in the last frame */
	fd = bytes_fd(&b);
	r = tach_reader_new();
	check(tach_reader_open_fd(r, fd) == TACH_FATAL);
	check_number(tach_table_string_count(tach_reader_table(r)), 0);
	check_number(tach_table_frame_count(tach_reader_table(r)), 0);
	tach_reader_free(r);
	close(fd);
	bytes_clear(&b);
}

/* A file that is cut while it is read. */
static void
check_shrinking(bool zstd, off_t size, const char *says)
{
	struct bytes b = small_file(false, zstd);
	struct tach_reader *r = tach_reader_new();
	struct tach_run run;
	int fd = bytes_fd(&b), res;

	put_checksum(&b);
	if (pwrite(fd, b.p, b.n, 0) != (ssize_t)b.n)
		err(2, NULL);
	check(tach_reader_open_fd(r, fd) == TACH_OK);
	if (ftruncate(fd, size) != 0)
		err(2, NULL);
	while ((res = tach_reader_next(r, &run)) == TACH_OK)
		continue;
	if (res == TACH_END)
		res = tach_reader_verify(r);
	check(res == TACH_FATAL);
	check_text(reader_why(r), says);
	tach_reader_free(r);
	close(fd);
	bytes_clear(&b);
}

int
main(void)
{
	check_pokes();
	check_frame_numbers();
	check_frame_ends();
	check_large_tables((1 << 30) + 1, 0, "the tables from byte 64 on have "
	    "1073741825 bytes; more than 1073741824 are not read");
	check_large_tables((1 << 26) + 1, (1 << 26) + 1, "the footer counts "
	    "67108865 strings; more than 67108864 are not read");
	check_gaps();
	check_statistics();
	check_statistics_behind();
	check_no_number(0, false, true, true);
	check_no_number(8, false, true, true);
	check_no_number(16, true, false, true);
	check_no_number(24, true, true, false);
	check_truncation();
	check_no_profile();
	check_any_byte();
	check_any_bit();
	check_checked();
	check_trailing();
	for (size_t i = 0; i < COUNT(records); i++) {
		check_record(&records[i], false);
		check_record(&records[i], true);
	}
	check_threads();
	check_zstd();
	check_checksum();
	check_bomb();
	check_writing();
	check_limits();
	check_backwards();
	check_after();
	check_shrinking(false, 0, "byte 64: the file has become shorter");
	check_shrinking(false, 100, "byte 100: the file has become shorter");
	check_shrinking(true, 70, "byte 70: the file has become shorter");
	check_shrinking(false, 130, "byte 130: the file has become shorter");
	check_open("/nonexistent/p.bin", "No such file or directory");
	check_open("/", "cannot read: Is a directory");
	check_open("/dev/null", "the file is empty");
	return failures != 0;
}
