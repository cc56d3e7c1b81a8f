/* Starters of vacuum models: a tube, a duct, an elbow, a chamber full of bodies. */
#include "io/starter_gas.h"

#include "core/number.h"

#include <math.h>
#include <stdbool.h>

static const double PI = 3.14159265358979323846;

static void write_head(FILE *file, const char *what, const char *name, const char *until)
{
    fprintf(file,
            "# %s\n"
            "# Run it:  corpuscle run FILE        Change a value for one run:  --set facets.outlet.sticking=0.1\n"
            "version: 1                  # of this format\n"
            "kind: gas\n"
            "name: %s\n"
            "\n"
            "run:\n"
            "  histories: 1000000        # molecules; -n overrides\n"
            "  seed: 1                   # another seed, another independent run\n"
            "  # until: \"%s\"   # stop sooner when it is known this well\n"
            "\n"
            "gas:\n"
            "  mass: 28.0134 g/mol       # nitrogen\n"
            "\n"
            "# Named sets of facets. sticking: chance to be pumped on a hit; outgassing: of all facets of the set "
            "together;\n"
            "# temperature, opacity, two_sided, accommodation, reflection, texture, profile: see "
            "docs/formats/gas_yaml.md.\n"
            "# polygons: one facet a line, its corners counter-clockwise as seen from the gas.\n"
            "facets:\n",
            what, name, until);
}

static void write_set(FILE *file, const char *name, const char *properties)
{
    fprintf(file, "  - name: %s\n%s    polygons: |\n", name, properties);
}

static void write_geometry(FILE *file)
{
    fputs("\ngeometry:\n  unit: 1 cm                # of the coordinates\n  vertices: |                # x y z, one a "
          "line\n",
          file);
}

static void write_vertex(FILE *file, double x, double y, double z)
{
    char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT];
    fprintf(file, "    %s %s %s\n", number_print(a, x), number_print(b, y), number_print(c, z));
}

static const char inlet_text[] = "    sticking: 1              # what comes back to the inlet is gone\n"
                                 "    outgassing: 1e-6 mbar l/s\n"
                                 "    temperature: 293.15 K\n";
static const char outlet_text[] = "    sticking: 1\n"
                                  "    temperature: 293.15 K\n";
static const char wall_text[] = "    sticking: 0\n"
                                "    temperature: 293.15 K\n";

/* -------------------------------------------------------------------------------------------------- tube */

const starter_parameter starter_gas_tube_parameters[] = {
    {"length_over_radius", 10, 1e-3, 1e6, "length over radius"},
    {"sides", 100, 3, 1e6, "flat walls"},
    {"radius", 1, 1e-6, 1e6, "radius [cm]: of the circle round the polygon, or of that of equal area"},
    {"equal_area", 0, 0, 1, "1: the polygon has the circle's area"},
    {0},
};

crp_status starter_gas_tube(crp_context *context, const double *values, FILE *file)
{
    double length = values[0] * values[2], radius = values[2];
    unsigned n = (unsigned)values[1];
    (void)context;
    radius *= values[3] != 0.0 ? sqrt(2.0 * PI / n / sin(2.0 * PI / n)) : 1.0;
    write_head(file, "A tube: how much of what enters comes out?", "tube", "rel_err(transmission)<0.1%");
    write_set(file, "inlet", inlet_text);
    fputs("     ", file);
    for (unsigned i = 0; i < n; i++) {
        fprintf(file, " %u", i);
    }
    fputc('\n', file);
    write_set(file, "outlet", outlet_text);
    fputs("     ", file);
    for (unsigned i = n; i-- > 0;) {
        fprintf(file, " %u", n + i);
    }
    fputc('\n', file);
    write_set(file, "wall", wall_text);
    for (unsigned i = 0; i < n; i++) {
        unsigned next = (i + 1) % n;
        fprintf(file, "      %u %u %u %u\n", i, n + i, n + next, next);
    }
    write_geometry(file);
    for (unsigned end = 0; end < 2; end++) {
        for (unsigned i = 0; i < n; i++) {
            double angle = 2.0 * PI * i / n;
            write_vertex(file, radius * cos(angle), radius * sin(angle), end == 0 ? 0.0 : length);
        }
    }
    return CRP_OK;
}

/* -------------------------------------------------------------------------------------------------- duct */

const starter_parameter starter_gas_duct_parameters[] = {
    {"width", 1, 1e-6, 1e6, "[cm]"},
    {"height", 1, 1e-6, 1e6, "[cm]"},
    {"length", 10, 1e-6, 1e6, "[cm]"},
    {0},
};

crp_status starter_gas_duct(crp_context *context, const double *values, FILE *file)
{
    (void)context;
    write_head(file, "A rectangular duct", "duct", "rel_err(transmission)<0.1%");
    write_set(file, "inlet", inlet_text);
    fputs("      0 1 2 3\n", file);
    write_set(file, "outlet", outlet_text);
    fputs("      7 6 5 4\n", file);
    write_set(file, "wall", wall_text);
    fputs("      0 4 5 1\n      1 5 6 2\n      2 6 7 3\n      3 7 4 0\n", file);
    write_geometry(file);
    for (int i = 0; i < 8; i++) {
        bool is_right = i % 4 == 1 || i % 4 == 2, is_top = i % 4 >= 2;
        write_vertex(file, is_right ? values[0] : 0.0, is_top ? values[1] : 0.0, i < 4 ? 0.0 : values[2]);
    }
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------- elbow */

const starter_parameter starter_gas_elbow_parameters[] = {
    {"side", 1, 1e-6, 1e6, "of the square opening [cm]"},
    {"arm_in", 5, 1e-6, 1e6, "from the inlet to the inner corner [cm]"},
    {"arm_out", 5, 1e-6, 1e6, "from the inner corner to the outlet [cm]"},
    {0},
};

crp_status starter_gas_elbow(crp_context *context, const double *values, FILE *file)
{
    double a = values[0], in = values[1], out = values[2];
    /* The L in the plane of the bend, counter-clockwise; the inner corner is the origin. */
    const double x[6] = {-in, 0, 0, a, a, -in}, y[6] = {0, 0, -out, -out, a, a};
    (void)context;
    write_head(file, "A square elbow with a mitred corner", "elbow", "rel_err(transmission)<0.1%");
    write_set(file, "inlet", inlet_text);
    fputs("      5 11 6 0\n", file);
    write_set(file, "outlet", outlet_text);
    fputs("      2 8 9 3\n", file);
    write_set(file, "wall", wall_text);
    fputs("      0 6 7 1\n      1 7 8 2\n      3 9 10 4\n      4 10 11 5\n      0 1 2 3 4 5\n      11 10 9 8 7 6\n",
          file);
    write_geometry(file);
    for (int i = 0; i < 12; i++) {
        write_vertex(file, x[i % 6], y[i % 6], i < 6 ? 0.0 : a);
    }
    return CRP_OK;
}

/* ----------------------------------------------------------------------------------------------- chamber */

const starter_parameter starter_gas_chamber_parameters[] = {
    {"size", 40, 1e-3, 1e6, "edge of the box [cm]"},
    {"port", 10, 1e-4, 1e6, "edge of inlet and pump [cm], less than the box"},
    {"bodies", 8, 0, 1e6, "spheres inside"},
    {"segments", 16, 4, 1e5, "of a sphere's circumference: even"},
    {0},
};

enum { SIZE, PORT, BODIES, SEGMENTS };

/* Spheres of (segments / 2 - 1) rings of corners and two poles. Corners of sphere b begin at 16 + b *
 * of_sphere(segments). */
static unsigned corners_of_sphere(unsigned segments)
{
    return (segments / 2 - 1) * segments + 2;
}

static void write_sphere(FILE *file, unsigned first, unsigned segments)
{
    unsigned rings = segments / 2 - 1, south = first + rings * segments, north = south + 1;
    for (unsigned i = 0; i < segments; i++) {
        unsigned next = (i + 1) % segments, last = first + (rings - 1) * segments;
        fprintf(file, "      %u %u %u\n      %u %u %u\n", south, first + next, first + i, north, last + i, last + next);
        for (unsigned r = 0; r + 1 < rings; r++) {
            unsigned low = first + r * segments, high = low + segments;
            fprintf(file, "      %u %u %u\n      %u %u %u\n", low + i, low + next, high + next, low + i, high + next,
                    high + i);
        }
    }
}

static void write_sphere_vertices(FILE *file, const double *centre, double radius, unsigned segments)
{
    unsigned rings = segments / 2 - 1;
    for (unsigned r = 0; r < rings; r++) {
        double polar = PI * (r + 1.0) / (rings + 1.0), z = centre[2] - radius * cos(polar);
        for (unsigned i = 0; i < segments; i++) {
            double angle = 2.0 * PI * i / segments, rho = radius * sin(polar);
            write_vertex(file, centre[0] + rho * cos(angle), centre[1] + rho * sin(angle), z);
        }
    }
    write_vertex(file, centre[0], centre[1], centre[2] - radius);
    write_vertex(file, centre[0], centre[1], centre[2] + radius);
}

crp_status starter_gas_chamber(crp_context *context, const double *values, FILE *file)
{
    double size = values[SIZE], port = values[PORT];
    unsigned bodies = (unsigned)values[BODIES], segments = (unsigned)values[SEGMENTS] / 2 * 2, edge = 0;
    CRP_CHECK(context, port < size, CRP_ERR_CONFIG, "gas-chamber: port = %g cm must be less than size = %g cm", port,
              size);
    while (edge * edge * edge < bodies) {
        edge++;
    }
    write_head(file, "A box with an inlet, a pump and round bodies inside", "chamber", "rel_err(pressure[pump])<1%");
    write_set(file, "inlet", "    outgassing: 1e-6 mbar l/s\n    temperature: 293.15 K\n");
    fputs("      8 9 10 11\n", file);
    write_set(file, "pump", "    sticking: 0.5\n    temperature: 293.15 K\n");
    fputs("      15 14 13 12\n", file);
    write_set(file, "wall", wall_text);
    fputs("      0 1 2 3 / 8 11 10 9\n      7 6 5 4 / 12 13 14 15\n", file);
    fputs("      0 4 5 1\n      1 5 6 2\n      2 6 7 3\n      3 7 4 0\n", file);
    if (bodies > 0) {
        write_set(file, "bodies", wall_text);
        for (unsigned b = 0; b < bodies; b++) {
            write_sphere(file, 16 + b * corners_of_sphere(segments), segments);
        }
    }
    write_geometry(file);
    for (int i = 0; i < 16; i++) { /* the box, then inlet and pump in the middle of its ends */
        bool is_right = i % 4 == 1 || i % 4 == 2, is_top = i % 4 >= 2, is_port = i >= 8;
        double low = is_port ? 0.5 * (size - port) : 0.0, high = is_port ? 0.5 * (size + port) : size;
        write_vertex(file, is_right ? high : low, is_top ? high : low, i % 8 < 4 ? 0.0 : size);
    }
    for (unsigned b = 0; b < bodies; b++) {
        double step = size / edge;
        const double centre[3] = {(b % edge + 0.5) * step, (b / edge % edge + 0.5) * step,
                                  (b / edge / edge + 0.5) * step};
        write_sphere_vertices(file, centre, 0.35 * step, segments);
    }
    return CRP_OK;
}
