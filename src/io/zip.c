/** ZIP files with one XML file in them: see molflow.h. */
#include "io/molflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zip.h>

/* Deflate packs at most about 1032 times. Textures full of zeros come near that, so small files may. */
static const uint64_t max_text = (uint64_t)1 << 30, free_text = (uint64_t)1 << 26, max_ratio = 500;

bool zip_recognise(const char *bytes, size_t n_bytes)
{
    return n_bytes >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

static crp_status fail_zip(crp_context *context, const char *path, zip_error_t *error)
{
    return context_fail(context, CRP_ERR_FORMAT, "%s: the ZIP cannot be read (%s): is it cut or damaged?", path,
                        zip_error_strerror(error));
}

static bool is_xml(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcasecmp(name + n - 4, ".xml") == 0 && strncmp(name, "__MACOSX/", 9) != 0;
}

/** The index of the only XML file. */
static crp_status find_xml(crp_context *context, const char *path, zip_t *archive, zip_uint64_t *found)
{
    zip_int64_t n = zip_get_num_entries(archive, 0);
    uint32_t n_xml = 0;
    for (zip_int64_t i = 0; i < n; i++) {
        const char *name = zip_get_name(archive, (zip_uint64_t)i, 0);
        if (name != NULL && is_xml(name)) {
            n_xml++;
            *found = (zip_uint64_t)i;
        }
    }
    CRP_CHECK(context, n_xml != 0, CRP_ERR_FORMAT, "%s: the ZIP holds no .xml file (%d others): is it a Molflow model?",
              path, (int)n);
    CRP_CHECK(context, n_xml == 1, CRP_ERR_FORMAT,
              "%s: the ZIP holds %u .xml files (a Molflow model has one): unpack one", path, n_xml);
    return CRP_OK;
}

/** Read the file piece by piece: the length that the ZIP claims is not to be believed. */
static crp_status read_text(crp_context *context, const char *path, zip_file_t *file, size_t n_packed, char **text,
                            size_t *n_text)
{
    size_t room = 0, n = 0;
    *text = NULL;
    for (;;) {
        if (n + 1 >= room) {
            room = room == 0 ? 1 << 16 : 2 * room;
            char *larger = realloc(*text, room);
            CRP_CHECK(context, larger != NULL, CRP_ERR_MEMORY, "%s: no memory to unpack it (%zu bytes)", path, room);
            *text = larger;
        }
        zip_int64_t got = zip_fread(file, *text + n, room - 1 - n);
        if (got < 0) {
            return fail_zip(context, path, zip_file_get_error(file));
        }
        n += (size_t)got;
        CRP_CHECK(context, n <= max_text && (n <= free_text || n / max_ratio <= n_packed), CRP_ERR_FORMAT,
                  "%s: unpacks to more than %zu bytes, from %zu (a ZIP bomb?): unpack it yourself if it is not", path,
                  n, n_packed);
        if (got == 0) {
            break;
        }
    }
    (*text)[n] = '\0';
    *n_text = n;
    return CRP_OK;
}

static crp_status unpack_only(crp_context *context, const char *path, zip_t *archive, size_t n_packed, char **text,
                              size_t *n_text, char name[256])
{
    zip_uint64_t i = 0;
    zip_stat_t about;
    CRP_TRY(find_xml(context, path, archive, &i));
    zip_stat_init(&about);
    if (zip_stat_index(archive, i, 0, &about) == 0 && (about.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0) {
        CRP_CHECK(context, about.encryption_method == ZIP_EM_NONE, CRP_ERR_FORMAT,
                  "%s: the ZIP is encrypted: unpack it first", path);
    }
    snprintf(name, 256, "%s", zip_get_name(archive, i, 0));
    zip_file_t *file = zip_fopen_index(archive, i, 0);
    if (file == NULL) {
        return fail_zip(context, path, zip_get_error(archive));
    }
    crp_status status = read_text(context, path, file, n_packed, text, n_text);
    zip_fclose(file);
    if (status != CRP_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

crp_status zip_unpack_xml(crp_context *context, const char *path, const char *bytes, size_t n_bytes, char **text,
                          size_t *n_text, char name[256])
{
    zip_error_t error;
    *text = NULL;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(bytes, n_bytes, 0, &error);
    zip_t *archive = source == NULL ? NULL : zip_open_from_source(source, ZIP_RDONLY, &error);
    if (archive == NULL) {
        crp_status status = fail_zip(context, path, &error);
        zip_source_free(source);
        zip_error_fini(&error);
        return status;
    }
    crp_status status = unpack_only(context, path, archive, n_bytes, text, n_text, name);
    zip_discard(archive);
    zip_error_fini(&error);
    return status;
}

/* --------------------------------------------------------------------------------------------------------------
 * packing */

/** The bytes of a source that a ZIP was written into. */
static bool take_bytes(zip_source_t *source, void **bytes, size_t *n_bytes)
{
    zip_stat_t about;
    zip_stat_init(&about);
    if (zip_source_stat(source, &about) != 0 || zip_source_open(source) != 0) {
        return false;
    }
    *bytes = malloc((size_t)about.size + 1);
    *n_bytes = (size_t)about.size;
    bool is_fine = *bytes != NULL && zip_source_read(source, *bytes, about.size) == (zip_int64_t)about.size;
    zip_source_close(source);
    return is_fine;
}

crp_status zip_pack(crp_context *context, const char *name, const char *text, size_t n_text, void **bytes,
                    size_t *n_bytes)
{
    zip_error_t error;
    bool is_fine = false;
    *bytes = NULL;
    zip_error_init(&error);
    zip_source_t *target = zip_source_buffer_create(NULL, 0, 0, &error);
    zip_t *archive = target == NULL ? NULL : zip_open_from_source(target, ZIP_TRUNCATE, &error);
    if (archive != NULL) {
        zip_source_keep(target); /* it outlives the archive, to be read */
        zip_source_t *content = zip_source_buffer(archive, text, n_text, 0);
        zip_int64_t entry = content == NULL ? -1 : zip_file_add(archive, name, content, ZIP_FL_ENC_UTF_8);
        if (content != NULL && entry < 0) {
            zip_source_free(content);
        }
        /* The time of day would make two equal results differ. */
        is_fine = entry >= 0 && zip_file_set_mtime(archive, (zip_uint64_t)entry, 315576000, 0) == 0;
        if (!is_fine || zip_close(archive) != 0) {
            is_fine = false;
            zip_discard(archive);
        } else {
            is_fine = take_bytes(target, bytes, n_bytes);
        }
    }
    zip_source_free(target);
    zip_error_fini(&error);
    if (!is_fine) {
        free(*bytes);
        *bytes = NULL;
        return context_fail(context, CRP_ERR_MEMORY, "the ZIP cannot be formed (not enough memory?)");
    }
    return CRP_OK;
}
