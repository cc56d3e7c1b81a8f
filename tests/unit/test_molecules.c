/* Readers of molecules: gMicroMC's binary file, corpuscle's own text; every bad input has its message. */
#include "io/molecules.h"
#include "reader_fixture.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------- gMicroMC */

enum { MAX_RECORDS = 64 };

/* Six arrays of n words, as gMicroMC writes them. */
typedef struct binary {
    size_t n;
    uint32_t words[6 * MAX_RECORDS];
} binary;

static uint32_t bits(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static binary make_binary(size_t n)
{
    binary b = {.n = n};
    for (size_t i = 0; i < n; i++) {
        b.words[i] = bits((float)i);
        b.words[n + i] = bits(-2.5f);
        b.words[2 * n + i] = bits(1e6f + (float)i);
        b.words[3 * n + i] = bits(i % 2 == 0 ? INFINITY : 1e-13f);
        b.words[4 * n + i] = (uint32_t)(i / 3);
        b.words[5 * n + i] = (uint32_t)(i % 11);
    }
    return b;
}

static crp_status parse(crp_context *context, const void *bytes, size_t n_bytes, molecule_format format, molecule_list **list)
{
    void *exact = reader_exact(bytes, n_bytes);
    crp_status status = molecules_parse(context, "test.bin", exact, n_bytes, format, list);
    free(exact);
    assert_true((status == CRP_OK) == (*list != NULL));
    return status;
}

static void binary_is_read(void **state)
{
    (void)state;
    reader_log log;
    crp_context *context = reader_context(&log);
    binary b = make_binary(22);
    molecule_list *list = NULL;
    assert_int_equal(molecules_recognise(b.words, 24 * b.n), MOLECULES_GMICROMC);
    assert_int_equal(parse(context, b.words, 24 * b.n, MOLECULES_NONE, &list), CRP_OK);
    assert_int_equal(list->n, 22);
    assert_int_equal(list->n_tracks, 1); /* the parent event is no track */
    assert_int_equal(list->tracks[0].count, 22);
    assert_int_equal(list->n_names, 11);
    assert_true(list->x[7] == 7.0 && list->y[7] == -2.5 && list->z[7] == 1000007.0 && isnan(list->time[7]));
    assert_string_equal(list->names[list->name[3]].name, "H3O+");
    assert_string_equal(list->names[list->name[10]].name, "HO2-");
    assert_int_equal(list->names[list->name[3]].count, 2);
    assert_non_null(strstr(log.text, "test.bin: times set to the start time: 11 infinite, 0 not a number, 0 negative, of 22"));
    assert_true(isnan(list->energy));
    molecules_destroy(&list);
    assert_null(list);
    crp_context_destroy(&context);
}

static void binary_faults(void **state)
{
    (void)state;
    static const struct {
        int array;
        uint32_t word;
        crp_status status;
        const char *message;
    } cases[] = {
        {5, 11, CRP_ERR_CONFIG, "test.bin: molecule 13: species id 11 is not known (0 e_aq, 1 OH, "},
        {5, 0xffffffffu, CRP_ERR_CONFIG, "test.bin: molecule 13: species id -1 is not known"},
        {0, 0x7fc00000u, CRP_ERR_CONFIG, "test.bin: molecule 13: x = nan must be finite (nm)"},
        {1, 0x7f800000u, CRP_ERR_CONFIG, "test.bin: molecule 13: y = inf must be finite (nm)"},
        {2, 0xff800000u, CRP_ERR_CONFIG, "test.bin: molecule 13: z = -inf must be finite (nm)"},
        {3, 0x7fc00000u, CRP_OK, NULL}, /* a time that is no number is repaired */
        {3, 0xbf800000u, CRP_OK, NULL}, /* so is a negative one */
        {4, 0x80000000u, CRP_OK, NULL}, /* the parent is not looked at */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reader_log log;
        crp_context *context = reader_context(&log);
        binary b = make_binary(22);
        molecule_list *list = NULL;
        b.words[(size_t)cases[i].array * b.n + 12] = cases[i].word;
        reader_expect(context, parse(context, b.words, 24 * b.n, MOLECULES_NONE, &list), cases[i].status, cases[i].message);
        molecules_destroy(&list);
        crp_context_destroy(&context);
    }
}

static void binary_sizes(void **state)
{
    (void)state;
    reader_log log;
    crp_context *context = reader_context(&log);
    binary one = make_binary(1);
    molecule_list *list = NULL;
    assert_int_equal(parse(context, one.words, 24, MOLECULES_NONE, &list), CRP_OK); /* one molecule */
    assert_int_equal(list->n, 1);
    molecules_destroy(&list);
    reader_expect(context, parse(context, one.words, 0, MOLECULES_GMICROMC, &list), CRP_ERR_FORMAT,
                  "test.bin: is empty (no molecules)");
    binary b = make_binary(3);
    reader_expect(context, parse(context, b.words, 71, MOLECULES_GMICROMC, &list), CRP_ERR_FORMAT,
                  "test.bin: has 71 bytes, 23 too many for 2 molecules (gMicroMC writes 24 for each): is it cut off");
    reader_expect(context, parse(context, b.words, 71, MOLECULES_NONE, &list), CRP_ERR_FORMAT,
                  "test.bin: holds no molecules that are known here");
    crp_context_destroy(&context);
}

/* Text of a length that fits is not taken for a binary file. */
static void text_is_not_binary(void **state)
{
    (void)state;
    char text[240];
    memset(text, ' ', sizeof text);
    memcpy(text, "species,x,y,z\nOH,1,2,3", 22);
    assert_int_equal(molecules_recognise(text, sizeof text), MOLECULES_CSV);
    memset(text, 'a', sizeof text);
    assert_int_equal(molecules_recognise(text, sizeof text), MOLECULES_NONE);
    assert_int_equal(molecules_recognise("kind: chem\nspecies: [x, y]\n", 27), MOLECULES_NONE);
}

static void format_names(void **state)
{
    (void)state;
    reader_log log;
    crp_context *context = reader_context(&log);
    molecule_format format = MOLECULES_NONE;
    assert_int_equal(molecules_format(context, "gmicromc", &format), CRP_OK);
    assert_int_equal(format, MOLECULES_GMICROMC);
    reader_expect(context, molecules_format(context, "gmicroMc2", &format), CRP_ERR_ARG,
                  "unknown format of molecules \"gmicroMc2\" (known: auto, gmicromc, csv): did you mean gmicromc");
    crp_context_destroy(&context);
}

/* The two files of this kind that there are, where they are: read whole, charge -1 and +1. */
static void real_files(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t n;
        int charge;
    } files[] = {{CRP_SOURCE_DIR "/../shared/data/chem/electron_750keV.bin", 124501, -1},
                 {CRP_SOURCE_DIR "/../shared/data/chem/proton_5MeV.bin", 64190, 1}};
    for (size_t i = 0; i < 2; i++) {
        reader_log log;
        crp_context *context = reader_context(&log);
        molecule_list *list = NULL;
        if (access(files[i].path, R_OK) != 0) {
            print_message("SKIPPED, NOT CHECKED: %s is not there\n", files[i].path);
            crp_context_destroy(&context);
            skip();
        }
        assert_int_equal(molecules_read(context, files[i].path, MOLECULES_NONE, &list), CRP_OK);
        assert_int_equal(list->n, files[i].n);
        int32_t charges[16] = {0};
        for (size_t k = 0; k < list->n_names; k++) {
            const char *name = list->names[k].name;
            charges[k] = strcmp(name, "H3O+") == 0 ? 1 : strcmp(name, "e_aq") == 0 || strcmp(name, "OH-") == 0 ? -1 : 0;
        }
        assert_int_equal(molecules_check_charge(context, list, charges), 1);
        assert_non_null(strstr(log.text, files[i].charge < 0 ? "net charge -1 e" : "net charge +1 e"));
        molecules_destroy(&list);
        crp_context_destroy(&context);
    }
}

/* ---------------------------------------------------------------------------------------------------- text */

static void text_is_read(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf# corpuscle molecules 1\r\n"
                               "# time: ns\r\n"
                               "# energy[7]: 12 keV\r\n"
                               "# made by hand: 3 molecules\r\n"
                               "id; Species; x [um]; y; z(cm); T; track; weight; note\r\n"
                               "10; \"e_aq\"; 1.5; -2e0; 1e-7; 2; 7; 0.25; a\r\n"
                               "\r\n"
                               "# a comment\r\n"
                               "11; OH; +.5; 3.; 0; ; 9; 2; b\r\n"
                               "12; e_aq; 0; 0.1234567890123456789; 0; 0; 9; 2; c";
    reader_log log;
    crp_context *context = reader_context(&log);
    molecule_list *list = NULL;
    assert_int_equal(molecules_recognise(text, sizeof text - 1), MOLECULES_CSV);
    assert_int_equal(parse(context, text, sizeof text - 1, MOLECULES_NONE, &list), CRP_OK);
    assert_int_equal(list->n, 3);
    assert_true(list->x[0] == 1500.0 && list->y[0] == -2.0 && fabs(list->z[0] - 1.0) < 1e-12 && list->time[0] == 2000.0);
    assert_true(list->x[1] == 500.0 && list->y[1] == 3.0 && isnan(list->time[1]) && list->time[2] == 0.0);
    assert_true(list->y[2] == 0.1234567890123456789);
    assert_int_equal(list->n_tracks, 2);
    assert_true(list->tracks[0].label == 7 && list->tracks[0].energy == 12000.0 && list->tracks[0].weight == 0.25);
    assert_true(list->tracks[1].label == 9 && isnan(list->tracks[1].energy) && list->tracks[1].count == 2);
    assert_int_equal(list->n_names, 2);
    assert_true(list->names[1].line == 9 && strcmp(list->names[1].name, "OH") == 0);
    assert_int_equal(log.n_warnings, 1);
    assert_non_null(strstr(log.text, "test.bin:5: column \"note\" is not used"));
    molecules_destroy(&list);
    crp_context_destroy(&context);
}

static const struct {
    const char *text;
    crp_status status;
    const char *message;
} text_cases[] = {
    {"species,x,y,z\nOH,1,2,3\n", CRP_OK, NULL},
    {"species x y z\nOH  1 2\t3\n", CRP_OK, NULL},
    {"species\tx\ty\tz\nOH\t1\t2\t3\n", CRP_OK, NULL},
    {"# energy: 750 keV\nspecies,x,y,z\nOH,1,2,3\n", CRP_OK, NULL},
    {"species,x,y,z\n", CRP_ERR_FORMAT, "test.bin: has a header and no molecules"},
    {"# corpuscle molecules 1\n", CRP_ERR_FORMAT, "test.bin: has no header line"},
    {"# corpuscle molecules 2\nspecies,x,y,z\nOH,1,2,3\n", CRP_ERR_UNSUPPORTED, "test.bin:1: version 2 of the format"},
    {"# corpuscle molecules one\nspecies,x,y,z\nOH,1,2,3\n", CRP_ERR_FORMAT, "test.bin:1: version = \"one\""},
    {"species,x,y\nOH,1,2\n", CRP_ERR_FORMAT, "test.bin:1: no column z in the header"},
    {"species,x,y,z,x\nOH,1,2,3,4\n", CRP_ERR_FORMAT, "test.bin:1: column x stands twice"},
    {"species,x [kg],y,z\nOH,1,2,3\n", CRP_ERR_CONFIG, "test.bin:1: x = 1 kg"},
    {"species [nm],x,y,z\nOH,1,2,3\n", CRP_ERR_FORMAT, "test.bin:1: column species has no unit"},
    {"# length: ps\nspecies,x,y,z\nOH,1,2,3\n", CRP_ERR_CONFIG, "test.bin:1: length = 1 ps"},
    {"species,x,y,z\nOH,1,2\n", CRP_ERR_FORMAT, "test.bin:2: 3 fields where the header has 4 columns"},
    {"species,x,y,z\nOH,1,2,3,4\n", CRP_ERR_FORMAT, "test.bin:2: 5 fields where the header has 4 columns"},
    {"species,x,y,z\nOH,1,nan,3\n", CRP_ERR_FORMAT, "test.bin:2: y = \"nan\" is not a finite decimal number"},
    {"species,x,y,z\nOH,1,2,-inf\n", CRP_ERR_FORMAT, "test.bin:2: z = \"-inf\" is not a finite decimal number"},
    {"species,x,y,z\nOH,1e400,2,3\n", CRP_ERR_CONFIG, "test.bin:2: x = 1e400 is too large"},
    {"species,x,y,z\nOH,,2,3\n", CRP_ERR_FORMAT, "test.bin:2: x = \"\" is not a finite decimal number"},
    {"species,x,y,z\nOH,1 nm,2,3\n", CRP_ERR_FORMAT, "test.bin:2: x = \"1 nm\" is not a finite decimal number"},
    {"species,x,y,z\nOH,0x10,2,3\n", CRP_ERR_FORMAT, "test.bin:2: x = \"0x10\" is not a finite decimal number"},
    {"species,x,y,z\n,1,2,3\n", CRP_ERR_FORMAT, "test.bin:2: species \"\" has 0 characters"},
    {"species,x,y,z,t\nOH,1,2,3,-1\n", CRP_ERR_CONFIG, "test.bin:2: t = -1 is negative"},
    {"species,x,y,z,t\nOH,1,2,3,inf\n", CRP_ERR_FORMAT, "test.bin:2: t = \"inf\" is not a finite decimal number"},
    {"species,x,y,z,track\nOH,1,2,3,-1\n", CRP_ERR_FORMAT, "test.bin:2: track = \"-1\" is not a whole number"},
    {"species,x,y,z,track\nOH,1,2,3,1.5\n", CRP_ERR_FORMAT, "test.bin:2: track = \"1.5\" is not a whole number"},
    {"species,x,y,z,weight\nOH,1,2,3,0\n", CRP_ERR_CONFIG, "test.bin:2: weight = 0 must be > 0"},
    {"species,x,y,z,weight\nOH,1,2,3,1\nOH,1,2,4,2\n", CRP_ERR_CONFIG, "test.bin:3: weight = 2 differs"},
    {"species,x,y,z,id\nOH,1,2,3,5\nOH,1,2,4,6\nOH,1,2,4,5\n", CRP_ERR_CONFIG, "test.bin:4: id 5 is that of line 2 too"},
    {"# energy: 0 eV\nspecies,x,y,z\nOH,1,2,3\n", CRP_ERR_CONFIG, "test.bin:1: energy = 0 eV must be > 0"},
    {"# energy: 5 nm\nspecies,x,y,z\nOH,1,2,3\n", CRP_ERR_CONFIG, "test.bin:1: energy = 5 nm"},
    {"# energy: 1 eV\n# energy: 1 eV\nspecies,x,y,z\nOH,1,2,3\n", CRP_ERR_CONFIG, "test.bin:2: the deposited energy is given"},
    {"# energy[2]: 1 eV\nspecies,x,y,z\nOH,1,2,3\n", CRP_ERR_CONFIG, "test.bin:1: there is an energy for track 2, but no"},
    {"# energies: none.csv\nspecies,x,y,z\nOH,1,2,3\n", CRP_ERR_IO, "none.csv: "},
    {"species,x,y,z\nOH,1,2,3\nOH,1,2,\x01\n", CRP_ERR_FORMAT, "test.bin:3: z = \"?\""},
};

static void text_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof text_cases / sizeof *text_cases; i++) {
        reader_log log;
        crp_context *context = reader_context(&log);
        molecule_list *list = NULL;
        crp_status status = parse(context, text_cases[i].text, strlen(text_cases[i].text), MOLECULES_CSV, &list);
        reader_expect(context, status, text_cases[i].status, text_cases[i].message);
        molecules_destroy(&list);
        crp_context_destroy(&context);
    }
}

static void text_warnings(void **state)
{
    (void)state;
    static const char text[] = "# energie: 750 keV\n# note: this\nspecies,x,y,z\nOH,1,2,3\n";
    reader_log log;
    crp_context *context = reader_context(&log);
    molecule_list *list = NULL;
    assert_int_equal(parse(context, text, sizeof text - 1, MOLECULES_CSV, &list), CRP_OK);
    assert_string_equal(log.text, "test.bin:1: comment \"energie:\" is no directive: did you mean energies?\n");
    static const char zero[] = "species,x,y,z\nOH,1,2,3\n\0";
    molecules_destroy(&list);
    reader_expect(context, parse(context, zero, sizeof zero, MOLECULES_CSV, &list), CRP_ERR_FORMAT,
                  "test.bin:3: holds a NUL byte");
    crp_context_destroy(&context);
}

/* Numbers on the fast way are those of the slow way. */
static void numbers_are_exact(void **state)
{
    (void)state;
    static const char *const numbers[] = {"0.1", "-123456.789012", "1e-7", "99999999999999.9", "0.000123456789",
                                          "1234567890.12345678", "5e-324", "-0", "00012.50", "1E3", "179769313486231570e291"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        reader_log log;
        crp_context *context = reader_context(&log);
        molecule_list *list = NULL;
        char text[128];
        bool is_time = numbers[i][0] != '-'; /* a time may be as large as a number can be, and a place not */
        snprintf(text, sizeof text, "species,y,z,%s\nOH,0,0,%s\n", is_time ? "x,t" : "x", is_time ? "0," : "");
        snprintf(text + strlen(text) - 1, sizeof text - strlen(text) + 1, "%s\n", numbers[i]);
        assert_int_equal(parse(context, text, strlen(text), MOLECULES_CSV, &list), CRP_OK);
        double wanted = strtod(numbers[i], NULL);
        assert_memory_equal(is_time ? &list->time[0] : &list->x[0], &wanted, sizeof wanted);
        molecules_destroy(&list);
        crp_context_destroy(&context);
    }
}

/* ------------------------------------------------------------------------------------------------ energies */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void side_file(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        crp_status status;
        const char *message;
    } cases[] = {
        {"track,energy\n1,750 keV\n2,80\n", CRP_OK, NULL},
        {"# two tracks\nTrack;Energy\n\n2;80\n1;1e3\n", CRP_OK, NULL},
        {"track,energy\n1,750 keV\n", CRP_ERR_CONFIG, "energies.csv: has no energy for track 2 of "},
        {"track,energy\n1,750 keV\n1,2\n2,1\n", CRP_ERR_CONFIG, "energies.csv:3: the energy of track 1 is given twice"},
        {"track,energy\n1,1\n2,1\n3,1\n", CRP_ERR_CONFIG, "energies.csv:4: there is no track 3 in "},
        {"track,energy\n1,1\n2,-1\n", CRP_ERR_CONFIG, "energies.csv:3: energy = -1 eV must be > 0"},
        {"track,energy\n1,1\n2\n", CRP_ERR_FORMAT, "energies.csv:3: wanted two fields"},
        {"track,dose\n1,1\n2,1\n", CRP_ERR_FORMAT, "energies.csv:1: the header must be: track,energy"},
        {"", CRP_ERR_CONFIG, "energies.csv: has no energy for track 1 of "},
    };
    char folder[] = "/tmp/corpuscle_XXXXXX", molecules[64], energies[64];
    assert_non_null(mkdtemp(folder));
    snprintf(molecules, sizeof molecules, "%s/m.csv", folder);
    snprintf(energies, sizeof energies, "%s/energies.csv", folder);
    write_file(molecules, "# energies: energies.csv\nspecies,x,y,z,track\nOH,1,2,3,1\nOH,1,2,3,2\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reader_log log;
        crp_context *context = reader_context(&log);
        molecule_list *list = NULL;
        write_file(energies, cases[i].text);
        reader_expect(context, molecules_read(context, molecules, MOLECULES_NONE, &list), cases[i].status,
                      cases[i].message);
        if (list != NULL) {
            assert_true(list->tracks[1].energy == 80.0);
        }
        molecules_destroy(&list);
        crp_context_destroy(&context);
    }
    unlink(molecules);
    unlink(energies);
    rmdir(folder);
}

/* Many tracks in any order: each is found again. */
static void many_tracks(void **state)
{
    (void)state;
    reader_log log;
    crp_context *context = reader_context(&log);
    molecule_list *list = NULL;
    uint32_t first, again;
    assert_int_equal(molecules_create(context, "many", &list), CRP_OK);
    for (uint64_t i = 0; i < 20000; i++) {
        assert_int_equal(molecules_track(context, list, i * 0x9E3779B97F4A7C15u, i, &first), CRP_OK);
        assert_int_equal(first, i);
    }
    for (uint64_t i = 20000; i-- > 0;) {
        assert_int_equal(molecules_track(context, list, i * 0x9E3779B97F4A7C15u, i, &again), CRP_OK);
        assert_int_equal(again, i);
    }
    assert_false(molecules_find_track(list, 12345, &first));
    molecules_destroy(&list);
    crp_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_is_read),     cmocka_unit_test(binary_faults),     cmocka_unit_test(binary_sizes),
        cmocka_unit_test(text_is_not_binary), cmocka_unit_test(format_names),      cmocka_unit_test(real_files),
        cmocka_unit_test(text_is_read),       cmocka_unit_test(text_faults),       cmocka_unit_test(text_warnings),
        cmocka_unit_test(numbers_are_exact),  cmocka_unit_test(side_file),         cmocka_unit_test(many_tracks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
