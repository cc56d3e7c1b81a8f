/** A gas model as a Molflow document: see molflow_write.h. Elements and attributes as version 2.9.16 has them. */
#include "io/molflow_write.h"

#include "core/context.h"
#include "core/file.h"
#include "core/number.h"
#include "core/text.h"
#include "io/gas_numbers.h"
#include "io/molflow.h"
#include "model/gas/gas_facet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void molflow_put_real(FILE *file, const char *name, double value)
{
    char text[NUMBER_TEXT];
    fprintf(file, " %s=\"%s\"", name, number_print(text, value));
}

void molflow_put_text(FILE *file, const char *name, const char *text)
{
    fprintf(file, " %s=\"", name);
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc((unsigned char)*text < 0x20 ? ' ' : *text, file);
        }
    }
    fputc('"', file);
}

/* ------------------------------------------------------------------------------------------------------------ geometry
 */

static void put_vertices(FILE *file, const gas_model *model)
{
    fprintf(file, "\t\t<Vertices nb=\"%u\">\n", model->n_vertices);
    for (uint32_t v = 0; v < model->n_vertices; v++) {
        const double *p = model->vertices + 3 * (size_t)v;
        fprintf(file, "\t\t\t<Vertex id=\"%u\"", v);
        molflow_put_real(file, "x", 100 * p[0]);
        molflow_put_real(file, "y", 100 * p[1]);
        molflow_put_real(file, "z", 100 * p[2]);
        fputs(" />\n", file);
    }
    fputs("\t\t</Vertices>\n", file);
}

static void put_wall(FILE *file, const gas_surface *s, double outgassing)
{
    fputs("\t\t\t\t<Sticking", file);
    molflow_put_real(file, "constValue", s->sticking);
    fputs(" parameterId=\"-1\" />\n\t\t\t\t<Opacity", file);
    molflow_put_real(file, "constValue", s->opacity);
    fprintf(file, " parameterId=\"-1\" is2sided=\"%d\" />\n\t\t\t\t<Outgassing", s->is_two_sided);
    molflow_put_real(file, "constValue", outgassing);
    fprintf(file, " parameterId=\"-1\" desType=\"%u\"", outgassing > 0 ? s->desorption : 0);
    molflow_put_real(file, "desExponent", s->desorption_exponent);
    fputs(" hasOutgassingFile=\"0\" useOutgassingFile=\"0\" />\n\t\t\t\t<Temperature", file);
    molflow_put_real(file, "value", s->temperature);
    molflow_put_real(file, "accFactor", s->accommodation);
    fputs(" />\n\t\t\t\t<Reflection", file);
    molflow_put_real(file, "diffusePart", s->diffuse);
    molflow_put_real(file, "specularPart", s->specular);
    molflow_put_real(file, "cosineExponent", s->cosine_exponent);
    fputs(" enableSojournTime=\"0\" sojournFreq=\"10000000000000\" sojournE=\"100\" />\n", file);
}

/** Cells of a texture as Molflow counts them: real numbers along U and V. */
static void put_recordings(FILE *file, const gas_surface *s, const gas_frame *frame)
{
    double u = s->texture_cell > 0 ? frame->length_u / s->texture_cell : s->texture_u;
    double v = s->texture_cell > 0 ? frame->length_v / s->texture_cell : s->texture_v;
    int has_mesh = u > 0 && v > 0;
    fprintf(file, "\t\t\t\t<Recordings>\n\t\t\t\t\t<Profile type=\"%u\" />\n\t\t\t\t\t<Texture hasMesh=\"%d\"",
            s->profile, has_mesh);
    molflow_put_real(file, "texDimX", has_mesh ? u : 0);
    molflow_put_real(file, "texDimY", has_mesh ? v : 0);
    fprintf(file,
            " countDes=\"%d\" countAbs=\"%d\" countRefl=\"%d\" countTrans=\"%d\" countDir=\"0\" countAC=\"0\" />\n"
            "\t\t\t\t</Recordings>\n",
            has_mesh, has_mesh, has_mesh, has_mesh);
}

static crp_status put_facet(crp_context *context, FILE *file, const gas_model *model, uint32_t f, const double *areas)
{
    const gas_surface *s = &model->surfaces[model->facets[f].surface];
    gas_frame frame = gas_facet_frame(model, f);
    uint32_t *corners = NULL, n = 0;
    CRP_TRY(molflow_outline(context, model, f, &corners, &n));
    int teleport = s->teleport == GAS_NONE ? 0 : s->teleport == GAS_TELEPORT_BACK ? -1 : s->teleport + 1;
    fprintf(file, "\t\t\t<Facet id=\"%u\">\n", f);
    put_wall(file, s, gas_facet_outgassing(model, f, frame.area, areas));
    fprintf(file, "\t\t\t\t<Structure inStructure=\"%d\" linksTo=\"%d\" />\n",
            s->structure == GAS_NONE ? -1 : s->structure, s->link == GAS_NONE ? 0 : s->link + 1);
    fprintf(file, "\t\t\t\t<Teleport target=\"%d\" />\n\t\t\t\t<Motion isMoving=\"0\" />\n", teleport);
    put_recordings(file, s, &frame);
    fputs("\t\t\t\t<ViewSettings textureVisible=\"true\" volumeVisible=\"true\" />\n", file);
    fprintf(file, "\t\t\t\t<Indices nb=\"%u\">\n", n);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(file, "\t\t\t\t\t<Indice id=\"%u\" vertex=\"%u\" />\n", i, corners[i]);
    }
    fputs("\t\t\t\t</Indices>\n\t\t\t\t<Histograms />\n\t\t\t</Facet>\n", file);
    free(corners);
    return CRP_OK;
}

static crp_status put_geometry(crp_context *context, FILE *file, const gas_model *model)
{
    double *areas = NULL;
    crp_status status = CRP_OK;
    CRP_TRY(gas_surface_areas(context, model, &areas));
    fputs("\t<Geometry>\n", file);
    put_vertices(file, model);
    fprintf(file, "\t\t<Facets nb=\"%u\">\n", model->n_facets);
    for (uint32_t f = 0; f < model->n_facets && status == CRP_OK; f++) {
        status = put_facet(context, file, model, f, areas);
    }
    fprintf(file, "\t\t</Facets>\n\t\t<Structures nb=\"%u\">\n", model->n_structures);
    for (uint32_t i = 0; i < model->n_structures; i++) {
        fprintf(file, "\t\t\t<Structure id=\"%u\"", i);
        molflow_put_text(file, "name", model->structure_names[i]);
        fputs(" />\n", file);
    }
    fputs("\t\t</Structures>\n\t</Geometry>\n", file);
    free(areas);
    return status;
}

/* ---------------------------------------------------------------------------------------------- settings and interface
 */

static void put_settings(FILE *file, const gas_model *model)
{
    fputs("\t<MolflowSimuSettings>\n\t\t<Gas", file);
    molflow_put_real(file, "mass", 1000 * model->mass);
    fprintf(file,
            " enableDecay=\"0\" halfLife=\"1\" />\n\t\t<LowFluxMode enabled=\"0\" cutoff=\"1e-07\" />\n"
            "\t\t<TimeSettings timeWindow=\"0.1\" useMaxwellDistr=\"%d\" calcConstFlow=\"1\">\n"
            "\t\t\t<UserMoments nb=\"0\" />\n\t\t</TimeSettings>\n\t\t<Motion type=\"0\" />\n"
            "\t\t<MeasureForces enabled=\"%d\">\n\t\t\t<Torque>\n\t\t\t\t<refPoint x=\"0\" y=\"0\" z=\"0\" />\n"
            "\t\t\t</Torque>\n\t\t</MeasureForces>\n\t\t<Parameters nb=\"0\" />\n\t\t<Global_histograms />\n"
            "\t</MolflowSimuSettings>\n",
            model->speed == GAS_SPEED_MAXWELL, model->score_forces);
}

static void begin_selection(FILE *file, uint32_t *id, const char *name, uint32_t n)
{
    fprintf(file, "\t\t\t<Selection id=\"%u\"", (*id)++);
    molflow_put_text(file, "name", name);
    fprintf(file, " nb=\"%u\">\n", n);
}

static void put_selected(FILE *file, uint32_t i, uint32_t facet)
{
    fprintf(file, "\t\t\t\t<selItem id=\"%u\" facet=\"%u\" />\n", i, facet);
}

/** Groups first, so that S1 in formulas stays what it is; then surfaces that have a name. */
static void put_selections(FILE *file, const gas_model *model)
{
    uint32_t id = 0, n = model->n_groups;
    for (uint32_t i = 0; i < model->n_surfaces; i++) {
        n += model->surfaces[i].name[0] != '\0' && model->surfaces[i].n_facets > 0;
    }
    fprintf(file, "\t\t<Selections nb=\"%u\">\n", n);
    for (uint32_t i = 0; i < model->n_groups; i++) {
        begin_selection(file, &id, model->groups[i].name, model->groups[i].n_facets);
        for (uint32_t k = 0; k < model->groups[i].n_facets; k++) {
            put_selected(file, k, model->groups[i].facets[k]);
        }
        fputs("\t\t\t</Selection>\n", file);
    }
    for (uint32_t i = 0; i < model->n_surfaces; i++) {
        if (model->surfaces[i].name[0] != '\0' && model->surfaces[i].n_facets > 0) {
            uint32_t k = 0;
            begin_selection(file, &id, model->surfaces[i].name, model->surfaces[i].n_facets);
            for (uint32_t f = 0; f < model->n_facets; f++) {
                if (model->facets[f].surface == i) {
                    put_selected(file, k++, f);
                }
            }
            fputs("\t\t\t</Selection>\n", file);
        }
    }
    fputs("\t\t</Selections>\n", file);
}

static void put_interface(FILE *file, const gas_model *model)
{
    fputs("\t<Interface>\n", file);
    put_selections(file, model);
    fprintf(file, "\t\t<UserSavedViews nb=\"0\" />\n\t\t<Formulas nb=\"%u\">\n", model->n_formulas);
    for (uint32_t i = 0; i < model->n_formulas; i++) {
        fprintf(file, "\t\t\t<Formula id=\"%u\"", i);
        molflow_put_text(file, "name", model->formulas[i].name);
        molflow_put_text(file, "expression", model->formulas[i].text);
        fputs(" />\n", file);
    }
    fputs("\t\t</Formulas>\n\t\t<ProfilePlotter>\n\t\t\t<Parameters logScale=\"0\" />\n\t\t\t<Views />\n"
          "\t\t</ProfilePlotter>\n\t\t<ConvergencePlotter>\n\t\t\t<Parameters logScale=\"0\" />\n\t\t\t<Views />\n"
          "\t\t</ConvergencePlotter>\n\t</Interface>\n",
          file);
}

static crp_status put_document(crp_context *context, const gas_model *model, const crp_result *result, FILE *file)
{
    fputs("<?xml version=\"1.0\"?>\n<SimulationEnvironment type=\"molflow\" version=\"2916\">\n", file);
    CRP_TRY(put_geometry(context, file, model));
    put_settings(file, model);
    put_interface(file, model);
    if (result != NULL) {
        fputc('\t', file);
        CRP_TRY(molflow_write_results(context, model, result, file));
        fputc('\n', file);
    }
    fputs("</SimulationEnvironment>\n", file);
    return CRP_OK;
}

/* ----------------------------------------------------------------------------------------------------------- template
 */

/** The XML text of a file, out of its ZIP if it is one. Free with free(). */
static crp_status read_template(crp_context *context, const char *path, char **text, size_t *n_text)
{
    void *bytes = NULL;
    size_t n_bytes = 0;
    CRP_TRY(file_read(context, path, &bytes, &n_bytes));
    if (!zip_recognise(bytes, n_bytes)) {
        *text = bytes;
        *n_text = n_bytes;
        return CRP_OK;
    }
    char name[256];
    crp_status status = zip_unpack_xml(context, path, bytes, n_bytes, text, n_text, name);
    free(bytes);
    return status;
}

static crp_status put_edited(crp_context *context, const gas_model *model, const crp_result *result, const char *path,
                             FILE *file)
{
    char *text = NULL;
    size_t n_text = 0;
    CRP_TRY(read_template(context, path, &text, &n_text));
    crp_status status = molflow_edit(context, path, text, n_text, model, result, file);
    free(text);
    return status;
}

static bool has_ending(const char *path, const char *ending)
{
    size_t n = path == NULL ? 0 : strlen(path), n_ending = strlen(ending);
    return n >= n_ending && strcmp(path + n - n_ending, ending) == 0;
}

/** "dir/out.zip" holds "out.xml". */
static void inner_name(const char *path, char name[256])
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    snprintf(name, 256, "%.*s.xml", (int)(strlen(base) - 4 < 240 ? strlen(base) - 4 : 240), base);
}

crp_status molflow_form(crp_context *context, const crp_model *model, const crp_result *result,
                        const output_options *options, const char *path, void **bytes, size_t *n_bytes)
{
    text_buffer text;
    const char *from = options == NULL ? NULL : options->template_path;
    CRP_TRY(text_open(context, &text));
    crp_status status = from == NULL ? put_document(context, model->data, result, text.file)
                                     : put_edited(context, model->data, result, from, text.file);
    CRP_TRY(text_close(context, &text, status));
    if (!has_ending(path, ".zip")) {
        *bytes = text.bytes;
        *n_bytes = text.n_bytes;
        return CRP_OK;
    }
    char name[256];
    inner_name(path, name);
    status = zip_pack(context, name, text.bytes, text.n_bytes, bytes, n_bytes);
    free(text.bytes);
    return status;
}
