/* SPDX-License-Identifier: ISC */
/*
 * sidecar.c: see sidecar.h.
 *
 * pprof takes names and lines from DWARF alone, google-pprof takes them from
 * nm, addr2line and objdump: so the file has both symbols and DWARF 4.  objdump
 * shows only what it can disassemble, so the text section is full of
 * instructions that do nothing.  It is one page behind the object's beginning
 * in memory and also in the file, since readers compare the two.
 *
 * The file is always little-endian and for x86-64: its readers take the byte
 * order of the profile from the profile.
 */
#include "out/sidecar.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- DWARF: bytes -------------------------------------------------------- */

enum {
	DW_TAG_compile_unit = 0x11,
	DW_TAG_subprogram = 0x2e,
	DW_AT_name = 0x03,
	DW_AT_stmt_list = 0x10,
	DW_AT_low_pc = 0x11,
	DW_AT_high_pc = 0x12,
	DW_AT_language = 0x13,
	DW_AT_producer = 0x25,
	DW_FORM_addr = 0x01,
	DW_FORM_data2 = 0x05,
	DW_FORM_data8 = 0x07,
	DW_FORM_string = 0x08,
	DW_FORM_sec_offset = 0x17,
	DW_LANG_Python = 0x14,
	DW_LNS_copy = 1,
	DW_LNS_advance_pc = 2,
	DW_LNS_advance_line = 3,
	DW_LNE_end_sequence = 1,
	DW_LNE_set_address = 2,
};

/* The abbreviations. */
enum { UNIT = 1, FUNCTION = 2 };

/* Adds a little-endian number. */
static void
add_number(struct buf *b, uint64_t n, unsigned size)
{
	for (; size > 0; size--, n >>= 8)
		buf_add_char(b, (char)(n & 0xff));
}

static void
add_signed_leb(struct buf *b, int64_t n)
{
	/* The sign bit of the last byte is that of the number. */
	for (; n < -0x40 || n >= 0x40; n >>= 7)
		buf_add_char(b, (char)((n & 0x7f) | 0x80));
	buf_add_char(b, (char)(n & 0x7f));
}

static void
add_terminated(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text) + 1);
}

/* Reserves a length that is set later. */
static size_t
begin_length(struct buf *b)
{
	add_number(b, 0, 4);
	return b->len;
}

static void
end_length(struct buf *b, size_t from)
{
	uint64_t size = b->len - from;

	if (b->failed)
		return;
	for (int i = 0; i < 4; i++)
		b->text[from - 4 + i] = (char)(size >> (8 * i) & 0xff);
}

/* ---- DWARF: sections ----------------------------------------------------- */

struct sidecar {
	const struct symbols *symbols;
	struct buf text, info, abbrev, line, aranges, symtab, strtab;
};

static uint64_t
bytes_between(uint32_t from, uint32_t to)
{
	return (uint64_t)(to - from) * SYMBOL_SIZE;
}

static void
add_abbrevs(struct buf *b)
{
	static const char abbrevs[] = {
		UNIT, DW_TAG_compile_unit, 1, /* has children */
		DW_AT_producer, DW_FORM_string,
		DW_AT_language, DW_FORM_data2,
		DW_AT_name, DW_FORM_string,
		DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data8,
		DW_AT_stmt_list, DW_FORM_sec_offset,
		0, 0,
		FUNCTION, DW_TAG_subprogram, 0,
		DW_AT_name, DW_FORM_string,
		DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data8,
		0, 0,
		0,
	};

	buf_add(b, abbrevs, sizeof(abbrevs));
}

static void
add_file_text(struct buf *b, const struct symbol *s)
{
	symbol_add_file(b, s->file);
	buf_add_char(b, '\0');
}

static void
add_range(struct buf *b, uint32_t from, uint32_t to)
{
	add_number(b, symbol_address(from), 8);
	add_number(b, bytes_between(from, to), 8);
}

/* Adds the unit of one file: its symbols are those from `from` up to `to`. */
static void
add_unit(struct sidecar *c, uint32_t from, uint32_t to)
{
	struct buf *b = &c->info;
	size_t start = begin_length(b);

	add_number(b, 4, 2); /* the version of DWARF */
	add_number(b, 0, 4); /* where its abbreviations are */
	add_number(b, 8, 1); /* the size of an address */
	buf_add_char(b, UNIT);
	add_terminated(b, "tach");
	add_number(b, DW_LANG_Python, 2);
	add_file_text(b, &c->symbols->list[from]);
	add_range(b, from, to);
	add_number(b, c->line.len, 4);
	for (uint32_t next; from < to; from = next) {
		next = symbols_next_function(c->symbols, from);
		buf_add_char(b, FUNCTION);
		symbol_add_name(b, c->symbols->list[from].func);
		buf_add_char(b, '\0');
		add_range(b, from, next);
	}
	buf_add_char(b, 0); /* no more children */
	end_length(b, start);
}

/* A special opcode moves the address on by its difference from OPCODE_BASE, the
 * first of them, and keeps the line. */
#define OPCODE_BASE 13
#define NEXT_SYMBOL (OPCODE_BASE + SYMBOL_SIZE)

static void
add_line_header(struct buf *b, const struct symbol *s)
{
	static const char header[] = {
		1,	     /* the shortest instruction's bytes */
		1,	     /* operations an instruction */
		1,	     /* rows begin statements */
		0, 1,	     /* special opcodes: line base and range */
		OPCODE_BASE, /* then each standard opcode's operands */
		0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1,
		0, /* no more directories */
	};
	size_t start;

	add_number(b, 4, 2);
	start = begin_length(b);
	buf_add(b, header, sizeof(header));
	add_file_text(b, s);
	add_number(b, 0, 3); /* its directory, time and size */
	add_number(b, 0, 1); /* no more files */
	end_length(b, start);
}

static void
add_lines(struct sidecar *c, uint32_t from, uint32_t to)
{
	struct buf *b = &c->line;
	size_t start = begin_length(b);
	int32_t line = 1;

	add_line_header(b, &c->symbols->list[from]);
	buf_add(b, (char[]){0, 1 + 8, DW_LNE_set_address}, 3);
	add_number(b, symbol_address(from), 8);
	for (uint32_t i = from; i < to; i++) {
		buf_add_char(b, DW_LNS_advance_line);
		add_signed_leb(b, (int64_t)c->symbols->list[i].line - line);
		buf_add_char(b, i == from ? DW_LNS_copy : NEXT_SYMBOL);
		line = c->symbols->list[i].line;
	}
	buf_add(b, (char[]){DW_LNS_advance_pc, SYMBOL_SIZE,
	    0, 1, DW_LNE_end_sequence}, 5);
	end_length(b, start);
}

/* Adds the address range of a unit, which comes next in the other section. */
static void
add_aranges(struct sidecar *c, uint32_t from, uint32_t to)
{
	struct buf *b = &c->aranges;
	size_t start = begin_length(b);

	add_number(b, 2, 2);
	add_number(b, c->info.len, 4);
	add_number(b, 8, 1);
	add_number(b, 0, 1 + 4); /* no segments; filled up to 16 bytes */
	add_range(b, from, to);
	add_number(b, 0, 16);
	end_length(b, start);
}

static void
add_units(struct sidecar *c)
{
	uint32_t next;

	add_abbrevs(&c->abbrev);
	for (uint32_t i = 0; i < c->symbols->count; i = next) {
		next = symbols_next_file(c->symbols, i);
		add_aranges(c, i, next);
		add_unit(c, i, next);
		add_lines(c, i, next);
	}
}

/* ---- ELF ----------------------------------------------------------------- */

/* Sections by their index. */
enum {
	NONE,
	TEXT,
	INFO,
	ABBREV,
	LINE,
	ARANGES,
	SYMTAB,
	STRTAB,
	SHSTRTAB,
	SECTIONS,
};

static const char section_names[] = "\0.text\0.debug_info\0.debug_abbrev\0"
    ".debug_line\0.debug_aranges\0.symtab\0.strtab\0.shstrtab";

struct section {
	const char *name;
	uint32_t type;
	const struct buf *bytes;
	uint64_t align, flags, addr, entry;
	uint32_t link, info;
	uint64_t offset; /* in the file */
};

static void
add_code(struct sidecar *c)
{
	static const char nop[SYMBOL_SIZE] = {
		0x0f, 0x1f, (char)0x84, 0, 0, 0, 0, 0, /* nopl 0(%rax,%rax) */
		0x0f, 0x1f, (char)0x84, 0, 0, 0, 0, 0,
	};

	for (uint32_t i = 0; i < c->symbols->count; i++)
		buf_add(&c->text, nop, sizeof(nop));
}

static void
add_symbol(struct sidecar *c, uint32_t from, uint32_t to)
{
	struct buf *b = &c->symtab;

	add_number(b, c->strtab.len, 4);
	add_number(b, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 1);
	add_number(b, STV_DEFAULT, 1);
	add_number(b, TEXT, 2);
	add_range(b, from, to);
	symbol_add_name(&c->strtab, c->symbols->list[from].func);
	buf_add_char(&c->strtab, '\0');
}

static void
add_symbols(struct sidecar *c)
{
	uint32_t next;

	buf_add_char(&c->strtab, '\0');
	for (size_t i = 0; i < sizeof(Elf64_Sym); i++)
		buf_add_char(&c->symtab, '\0'); /* the first one is none */
	for (uint32_t i = 0; i < c->symbols->count; i = next) {
		next = symbols_next_function(c->symbols, i);
		add_symbol(c, i, next);
	}
}

static uint64_t
aligned(uint64_t offset, uint64_t align)
{
	return (offset + align - 1) / align * align;
}

/* Sets the offsets of the sections, the first one page from the beginning.
 * Returns the offset of the section table. */
static uint64_t
lay_out(struct section *sections)
{
	uint64_t at = SYMBOLS_PAGE;

	for (int i = TEXT; i < SECTIONS; i++) {
		at = aligned(at, sections[i].align);
		sections[i].offset = at;
		at += sections[i].bytes->len;
	}
	return aligned(at, 8);
}

/* Adds the header of the file and its only segment. */
static void
add_header(struct buf *b, uint64_t text_size, uint64_t table)
{
	static const char ident[EI_NIDENT] = {0x7f, 'E', 'L', 'F', ELFCLASS64,
	    ELFDATA2LSB, EV_CURRENT};

	buf_add(b, ident, sizeof(ident));
	add_number(b, ET_DYN, 2);
	add_number(b, EM_X86_64, 2);
	add_number(b, EV_CURRENT, 4);
	add_number(b, 0, 8); /* no entry */
	add_number(b, sizeof(Elf64_Ehdr), 8);
	add_number(b, table, 8);
	add_number(b, 0, 4); /* no flags */
	add_number(b, sizeof(Elf64_Ehdr), 2);
	add_number(b, sizeof(Elf64_Phdr), 2);
	add_number(b, 1, 2);
	add_number(b, sizeof(Elf64_Shdr), 2);
	add_number(b, SECTIONS, 2);
	add_number(b, SHSTRTAB, 2);

	add_number(b, PT_LOAD, 4);
	add_number(b, PF_R | PF_X, 4);
	add_number(b, 0, 8); /* from the file's beginning */
	add_number(b, SYMBOLS_BASE, 8);
	add_number(b, SYMBOLS_BASE, 8);
	add_number(b, SYMBOLS_PAGE + text_size, 8); /* in the file */
	add_number(b, SYMBOLS_PAGE + text_size, 8); /* in memory */
	add_number(b, SYMBOLS_PAGE, 8);
}

static void
add_section(struct buf *b, const struct section *s)
{
	const char *name = memmem(section_names, sizeof(section_names),
	    s->name, strlen(s->name) + 1);

	add_number(b, (uint64_t)(name - section_names), 4);
	add_number(b, s->type, 4);
	add_number(b, s->flags, 8);
	add_number(b, s->addr, 8);
	add_number(b, s->offset, 8);
	add_number(b, s->bytes != NULL ? s->bytes->len : 0, 8);
	add_number(b, s->link, 4);
	add_number(b, s->info, 4);
	add_number(b, s->align, 8);
	add_number(b, s->entry, 8);
}

/* Writes zeros up to an offset, and the bytes there. */
static void
put_at(FILE *out, uint64_t *at, uint64_t offset, const struct buf *b)
{
	for (; *at < offset; ++*at)
		putc('\0', out);
	fwrite(b->text, 1, b->len, out);
	*at += b->len;
}

static void
put_sections(FILE *out, struct section *sections, struct buf *b)
{
	uint64_t at = 0, table = lay_out(sections);

	add_header(b, sections[TEXT].bytes->len, table);
	put_at(out, &at, 0, b);
	for (int i = TEXT; i < SECTIONS; i++)
		put_at(out, &at, sections[i].offset, sections[i].bytes);
	b->len = 0;
	for (int i = NONE; i < SECTIONS; i++)
		add_section(b, &sections[i]);
	put_at(out, &at, table, b);
}

/* False, with errno, if that failed. */
static bool
put_elf(FILE *out, const struct sidecar *c)
{
	struct buf b = {0}, names = {.text = (char *)(uintptr_t)section_names,
	    .len = sizeof(section_names)};
	struct section sections[SECTIONS] = {
		[NONE] = {"", SHT_NULL, .bytes = NULL},
		[TEXT] = {".text", SHT_PROGBITS, &c->text, .align = SYMBOL_SIZE,
		    .flags = SHF_ALLOC | SHF_EXECINSTR, .addr = SYMBOLS_START},
		[INFO] = {".debug_info", SHT_PROGBITS, &c->info, .align = 1},
		[ABBREV] = {".debug_abbrev", SHT_PROGBITS, &c->abbrev, .align = 1},
		[LINE] = {".debug_line", SHT_PROGBITS, &c->line, .align = 1},
		[ARANGES] = {".debug_aranges", SHT_PROGBITS, &c->aranges, .align = 1},
		[SYMTAB] = {".symtab", SHT_SYMTAB, &c->symtab, .align = 8,
		    .entry = sizeof(Elf64_Sym), .link = STRTAB,
		    .info = (uint32_t)(c->symtab.len / sizeof(Elf64_Sym))},
		[STRTAB] = {".strtab", SHT_STRTAB, &c->strtab, .align = 1},
		[SHSTRTAB] = {".shstrtab", SHT_STRTAB, &names, .align = 1},
	};
	bool ok;

	put_sections(out, sections, &b);
	if ((ok = !b.failed))
		ok = fflush(out) == 0 && !ferror(out);
	else
		errno = ENOMEM;
	buf_clear(&b);
	return ok;
}

/* ---- all of it ----------------------------------------------------------- */

/* Whether offsets into a section exceed 32 bits. */
static bool
too_long(const struct sidecar *c)
{
	return c->info.len > INT32_MAX || c->line.len > INT32_MAX ||
	    c->strtab.len > INT32_MAX;
}

static int
sidecar_write_parts(FILE *out, const struct sidecar *c, struct error *e)
{
	if (c->text.failed || c->info.failed || c->abbrev.failed ||
	    c->line.failed || c->aranges.failed || c->symtab.failed ||
	    c->strtab.failed)
		return error_system(e, "", ENOMEM);
	if (too_long(c))
		return error_set(e, TACH_ELIMIT,
		    "the names are longer than 2 GiB: select fewer samples");
	if (!put_elf(out, c))
		return error_system(e, "the symbols", errno);
	return TACH_OK;
}

int
sidecar_write(FILE *out, const struct symbols *symbols, struct error *e)
{
	struct sidecar c = {.symbols = symbols};
	int rc;

	add_code(&c);
	add_units(&c);
	add_symbols(&c);
	rc = sidecar_write_parts(out, &c, e);
	buf_clear(&c.text);
	buf_clear(&c.info);
	buf_clear(&c.abbrev);
	buf_clear(&c.line);
	buf_clear(&c.aranges);
	buf_clear(&c.symtab);
	buf_clear(&c.strtab);
	return rc;
}
