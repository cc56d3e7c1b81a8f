/* crp_input_load: read a file whole, look at its contents, and hand it to the reader of its kind. */
#include "model/model.h"

#include "core/context.h"
#include "io/gas_load.h"
#include "io/molflow.h"
#include "io/stl.h"
#include "io/molecules.h"
#include "model/chem/chem_yaml.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define INPUT_KINDS ".mci, STL, Molflow XML or ZIP, molecules as CSV or gMicroMC binary, YAML or JSON"

/* An input is text written by people or scripts: more than this is the wrong file. */
static const size_t max_bytes = (size_t)1 << 30;

static crp_status open_input(crp_context *context, const char *path, FILE **file)
{
    *file = fopen(path, "rb");
    CRP_CHECK(context, *file != NULL, CRP_ERR_IO, "%s: cannot be opened (%s)", path, strerror(errno));
    struct stat about;
    if (fstat(fileno(*file), &about) == 0) {
        if (S_ISDIR(about.st_mode)) {
            fclose(*file);
            return context_fail(context, CRP_ERR_IO, "%s: is a directory (give an input file: " INPUT_KINDS ")", path);
        }
        if (S_ISREG(about.st_mode) && (uint64_t)about.st_size > max_bytes) {
            fclose(*file);
            return context_fail(context, CRP_ERR_FORMAT,
                                "%s: has %.3g bytes (an input file has at most 2^30): is it a file of results?", path,
                                (double)about.st_size);
        }
    }
    return CRP_OK;
}

/* Pipes have no size, so the buffer grows as the data come. One zero byte stands behind the text. */
static crp_status read_stream(crp_context *context, const char *path, FILE *file, char **text, size_t *n_bytes)
{
    size_t room = 0, n = 0;
    char *buffer = NULL;
    for (;;) {
        if (n + 1 >= room) {
            room = room == 0 ? 65536 : 2 * room;
            room = room < max_bytes + 3 ? room : max_bytes + 3;
            char *larger = realloc(buffer, room);
            if (larger == NULL) {
                free(buffer);
                return context_fail(context, CRP_ERR_MEMORY, "%s: no memory to read it (%zu bytes)", path, room);
            }
            buffer = larger;
        }
        size_t got = fread(buffer + n, 1, room - 1 - n, file);
        n += got;
        if (n > max_bytes) {
            free(buffer);
            return context_fail(context, CRP_ERR_FORMAT, "%s: has more than 2^30 bytes (not an input file)", path);
        }
        if (got == 0) {
            break;
        }
    }
    if (ferror(file)) {
        free(buffer);
        return context_fail(context, CRP_ERR_IO, "%s: cannot be read (%s)", path, strerror(errno));
    }
    buffer[n] = '\0';
    *text = buffer;
    *n_bytes = n;
    return CRP_OK;
}

/* The first line that is neither blank nor a comment. */
static const char *first_data_line(const char *text, const char *end, const char **line_end)
{
    if (end - text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* byte order mark */
        text += 3;
    }
    while (text < end) {
        while (text < end && isspace((unsigned char)*text)) {
            text++;
        }
        const char *stop = text;
        while (stop < end && *stop != '\n' && *stop != '\r') {
            stop++;
        }
        if (text < end && *text != '#') {
            *line_end = stop;
            return text;
        }
        text = stop;
    }
    *line_end = end;
    return end;
}

/* `key:` followed by a blank or the end of the line, as in YAML; a quoted key counts too. */
static bool has_key(const char *line, const char *end)
{
    const char *at = line;
    bool is_quoted = at < end && (*at == '"' || *at == '\'');
    at += is_quoted;
    if (at >= end || !(isalpha((unsigned char)*at) || *at == '_')) {
        return false;
    }
    while (at < end && *at != '\0' && (isalnum((unsigned char)*at) || strchr("_-. ", *at) != NULL)) {
        at++;
    }
    if (is_quoted && at < end && (*at == '"' || *at == '\'')) {
        at++;
    }
    return at < end && *at == ':' && (at + 1 == end || isspace((unsigned char)at[1]));
}

static bool has_extension(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot + 1, extension) == 0;
}

/* The contents decide; the extension only where they say nothing (a data line that is neither form). */
static bool is_yaml(const char *path, const char *text, size_t n_bytes)
{
    const char *end = text + n_bytes, *line_end;
    const char *line = first_data_line(text, end, &line_end);
    size_t n = (size_t)(line_end - line);
    if (n > 0 && (*line == '{' || *line == '[')) {
        return true;
    }
    if ((n >= 3 && memcmp(line, "---", 3) == 0) || (n >= 5 && memcmp(line, "%YAML", 5) == 0) || has_key(line, line_end)) {
        return true;
    }
    bool is_number = n > 0 && (isdigit((unsigned char)*line) || *line == '.');
    return !is_number && (has_extension(path, "yaml") || has_extension(path, "yml") || has_extension(path, "json"));
}

static crp_status refuse_foreign(crp_context *context, const char *path, const char *text, size_t n_bytes)
{
    CRP_CHECK(context, n_bytes > 0, CRP_ERR_FORMAT, "%s: is empty (give an input file: " INPUT_KINDS ")", path);
    CRP_CHECK(context, n_bytes < 4 || memcmp(text, "\x89HDF", 4) != 0, CRP_ERR_FORMAT,
              "%s: is an HDF5 file of results (not an input): see it with 'corpuscle info', or go on from it with "
              "--restart and its input file",
              path);
    CRP_CHECK(context, n_bytes < 4 || memcmp(text, "7z\xbc\xaf", 4) != 0, CRP_ERR_UNSUPPORTED,
              "%s: is a 7z archive (XML and ZIP are read): unpack it first", path);
    bool is_geo = n_bytes > 12 && memcmp(text, "version:", 8) == 0 && isdigit((unsigned char)text[8]) &&
                  strstr(text, "totalHit:") != NULL;
    CRP_CHECK(context, !is_geo, CRP_ERR_UNSUPPORTED,
              "%s: is a Molflow GEO file (of Molflow's formats XML and ZIP are read): open it there and save it as XML or ZIP",
              path);
    bool is_utf16 = n_bytes >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
    CRP_CHECK(context, !is_utf16, CRP_ERR_FORMAT, "%s:1: is UTF-16 text (wanted: ASCII or UTF-8): save it as UTF-8", path);
    return CRP_OK;
}

/* What no signature told, and is no text. */
static crp_status refuse_binary(crp_context *context, const char *path, const char *text, size_t n_bytes,
                                const crp_input_options *options, crp_input **input)
{
    (void)text;
    (void)options;
    (void)input;
    return context_fail(context, CRP_ERR_FORMAT,
                        "%s: is a binary file of no known kind, or UTF-16 text (%zu bytes; gMicroMC's list of molecules has 24 for each, "
                        "and ends with species 0 to 10): --format gmicromc says what is wrong with such a list; text is to be UTF-8",
                        path, n_bytes);
}

typedef crp_status (*input_reader)(crp_context *context, const char *path, const char *text, size_t n_bytes,
                                   const crp_input_options *options, crp_input **input);

/* A setting that says what list of molecules the file is: its own reader then says what is wrong with it. */
static bool names_format(const crp_input_options *options)
{
    for (size_t i = 0; i < options->n_settings; i++) {
        if (strncmp(options->settings[i], "source.format=", strlen("source.format=")) == 0) {
            return true;
        }
    }
    return false;
}

static crp_status molecules_load(crp_context *context, const char *path, const char *text, size_t n_bytes,
                                 const crp_input_options *options, crp_input **input)
{
    (void)text;
    (void)n_bytes;
    return chem_molecules_load(context, path, options, input);
}

/* Signatures first; binary STL files may begin with any text. */
static input_reader find_reader(const char *path, const char *text, size_t n_bytes, const crp_input_options *options)
{
    if (names_format(options) && !is_yaml(path, text, n_bytes)) {
        return molecules_load;
    }
    if (zip_recognise(text, n_bytes)) {
        return molflow_zip_load;
    }
    if (stl_recognise(text, n_bytes)) {
        return stl_load;
    }
    if (molflow_recognise_xml(text, n_bytes)) {
        return molflow_load;
    }
    if (molecules_recognise(text, n_bytes) != MOLECULES_NONE) {
        return molecules_load;
    }
    if (is_yaml(path, text, n_bytes)) {
        return yaml_load;
    }
    /* What is called .stl or .csv and is none gets a message about that. */
    bool is_binary = memchr(text, '\0', n_bytes) != NULL && !has_extension(path, "mci");
    return has_extension(path, "stl")   ? stl_load
           : has_extension(path, "csv") ? molecules_load
           : is_binary                  ? refuse_binary
                                        : mci_load;
}

static crp_status check_stl_options(crp_context *context, const char *path, const crp_input_options *options)
{
    bool has_any = options->unit != NULL || options->is_flipped || !isnan(options->vertex_tolerance) ||
                   !isnan(options->plane_tolerance);
    CRP_CHECK(context, !has_any, CRP_ERR_ARG,
              "%s: --unit, --flip and the tolerances are for STL files (this one has units of its own): leave them out", path);
    return CRP_OK;
}

crp_status crp_input_load(crp_context *context, const char *path, const crp_input_options *options, crp_input **input)
{
    if (context == NULL) {
        return CRP_ERR_ARG;
    }
    CRP_CHECK(context, path != NULL && input != NULL, CRP_ERR_ARG, "crp_input_load: path and input must not be NULL");
    *input = NULL;
    crp_input_options used = crp_input_options_default();
    if (options != NULL) {
        CRP_CHECK(context, options->size == sizeof used, CRP_ERR_ARG,
                  "crp_input_load: options.size = %u is not that of this library: begin with crp_input_options_default()",
                  options->size);
        used = *options;
    }
    FILE *file = NULL;
    char *text = NULL;
    size_t n_bytes = 0;
    CRP_TRY(open_input(context, path, &file));
    crp_status status = read_stream(context, path, file, &text, &n_bytes);
    fclose(file);
    CRP_TRY(status);
    CRP_GOTO(refuse_foreign(context, path, text, n_bytes), done);
    input_reader reader = find_reader(path, text, n_bytes, &used);
    if (reader != stl_load) {
        CRP_GOTO(check_stl_options(context, path, &used), done);
    }
    CRP_GOTO(reader(context, path, text, n_bytes, &used, input), done);
done:
    free(text);
    return status;
}
