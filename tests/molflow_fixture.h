/* Molflow XML for tests, written here: an open tube along z between two square caps, as the program writes it. */
#ifndef TESTS_MOLFLOW_FIXTURE_H
#define TESTS_MOLFLOW_FIXTURE_H

#include <stdio.h>
#include <string.h>

enum { FIXTURE_XML = 1 << 16 };

typedef struct molflow_text {
    const char *head;       /* of the document */
    const char *sticking;   /* attributes of facet 2 */
    const char *opacity;
    const char *outgassing; /* of facet 1 */
    const char *temperature, *reflection, *structure, *teleport, *motion, *recordings; /* of facet 3 */
    const char *facet_extra;   /* elements inside facet 3 */
    const char *vertex_7;      /* the eighth vertex */
    const char *indices_1;     /* corners of facet 1 */
    const char *settings;      /* inside MolflowSimuSettings */
    const char *interface;     /* inside Interface */
    const char *extra;         /* top level */
    const char *tail;
} molflow_text;

static inline molflow_text molflow_text_default(void)
{
    return (molflow_text){
        .head = "<?xml version=\"1.0\"?>\n<SimulationEnvironment type=\"molflow\" version=\"2916\">\n",
        .sticking = "constValue=\"0.25\" stickingParam=\"\"",
        .opacity = "constValue=\"1\" is2sided=\"0\" opacityParam=\"\"",
        .outgassing = "constValue=\"1e-6\" desType=\"2\" desExponent=\"0\" hasOutgassingFile=\"0\" useOutgassingFile=\"0\" "
                      "outgassingParam=\"\"",
        .temperature = "value=\"300\" accFactor=\"0.5\" tempParam=\"\"",
        .reflection = "diffusePart=\"0.7\" specularPart=\"0.2\" cosineExponent=\"2\" enableSojournTime=\"0\" "
                      "sojournFreq=\"1e13\" sojournE=\"100\"",
        .structure = "inStructure=\"0\" linksTo=\"0\"",
        .teleport = "target=\"0\"",
        .motion = "isMoving=\"0\"",
        .recordings = "<Profile type=\"1\"/><Texture hasMesh=\"1\" texDimX=\"4.5\" texDimY=\"8\" countDes=\"0\" "
                      "countAbs=\"1\" countRefl=\"1\" countTrans=\"0\" countDir=\"0\" countAC=\"0\"/>",
        .facet_extra = "",
        .vertex_7 = "id=\"7\" x=\"0\" y=\"1\" z=\"5\"",
        .indices_1 = "<Indice id=\"0\" vertex=\"0\"/><Indice id=\"1\" vertex=\"1\"/><Indice id=\"2\" vertex=\"2\"/>"
                     "<Indice id=\"3\" vertex=\"3\"/>",
        .settings = "<Gas mass=\"4\" enableDecay=\"0\" halfLife=\"1\"/>\n<TimeSettings timeWindow=\"0.1\" "
                    "useMaxwellDistr=\"1\" calcConstFlow=\"1\"><UserMoments nb=\"0\"/></TimeSettings>\n"
                    "<Motion type=\"0\"/>\n<MeasureForces enabled=\"0\"/>",
        .interface = "<Selections nb=\"1\"><Selection id=\"0\" name=\"walls\"><selItem id=\"0\" facet=\"5\"/><selItem "
                     "id=\"1\" facet=\"2\"/></Selection></Selections>\n"
                     "<Formulas nb=\"1\"><Formula id=\"0\" name=\"T\" expression=\"A2/SUMDES\"/></Formulas>\n"
                     "<UserSavedViews nb=\"1\"><View id=\"0\" name=\"from above\"/></UserSavedViews>",
        .extra = "",
        .tail = "</SimulationEnvironment>\n",
    };
}

static inline void molflow_facet_text(char *text, int id, const char *sticking, const char *opacity,
                                      const char *outgassing, const molflow_text *third, const char *indices)
{
    const molflow_text plain = molflow_text_default();
    size_t n = strlen(text);
    snprintf(text + n, FIXTURE_XML - n,
             "<Facet id=\"%d\">\n<Sticking %s/>\n<Opacity %s/>\n<Outgassing %s/>\n<Temperature %s/>\n<Reflection "
             "%s/>\n<Structure %s/>\n<Teleport %s/>\n<Motion %s/>\n<Recordings>%s</Recordings>\n%s<ViewSettings "
             "textureVisible=\"1\" volumeVisible=\"1\"/>\n<Indices nb=\"4\">%s</Indices>\n</Facet>\n",
             id, sticking, opacity, outgassing, third ? third->temperature : "value=\"293.15\" accFactor=\"1\"",
             third ? third->reflection : "diffusePart=\"1\" specularPart=\"0\" cosineExponent=\"0\"",
             third ? third->structure : plain.structure, third ? third->teleport : plain.teleport,
             third ? third->motion : plain.motion, third ? third->recordings : "<Profile type=\"0\"/>",
             third ? third->facet_extra : "", indices);
}

/* A box of 1 x 1 x 5 cm: facet 1 is z = 0, facet 2 is z = 5, four sides; normals point inwards. */
static inline const char *molflow_write(const molflow_text *t, char text[FIXTURE_XML])
{
    static const int sides[5][4] = {{4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};
    static const char none[] = "constValue=\"0\" desType=\"0\" desExponent=\"0\"";
    snprintf(text, FIXTURE_XML, "%s<Geometry>\n<Vertices nb=\"8\">\n", t->head);
    for (int i = 0; i < 7; i++) {
        size_t n = strlen(text);
        snprintf(text + n, FIXTURE_XML - n, "<Vertex id=\"%d\" x=\"%d\" y=\"%d\" z=\"%d\"/>\n", i,
                 i % 4 == 1 || i % 4 == 2, i % 4 >= 2, i < 4 ? 0 : 5);
    }
    size_t n = strlen(text);
    snprintf(text + n, FIXTURE_XML - n, "<Vertex %s/>\n</Vertices>\n<Facets nb=\"6\">\n", t->vertex_7);
    molflow_facet_text(text, 0, "constValue=\"1\"", "constValue=\"1\" is2sided=\"0\"", t->outgassing, NULL, t->indices_1);
    for (int f = 0; f < 5; f++) {
        char indices[400] = "";
        for (int k = 0; k < 4; k++) {
            size_t used = strlen(indices);
            snprintf(indices + used, sizeof indices - used, "<Indice id=\"%d\" vertex=\"%d\"/>", k, sides[f][k]);
        }
        molflow_facet_text(text, f + 1, f == 0 ? t->sticking : "constValue=\"0\"",
                           f == 0 ? t->opacity : "constValue=\"1\" is2sided=\"0\"", none, f == 1 ? t : NULL, indices);
    }
    n = strlen(text);
    snprintf(text + n, FIXTURE_XML - n,
             "</Facets>\n<Structures nb=\"1\"><Structure id=\"0\" name=\"main\"/></Structures>\n</Geometry>\n<Interface>\n"
             "%s\n</Interface>\n<MolflowSimuSettings>\n%s\n</MolflowSimuSettings>\n%s%s",
             t->interface, t->settings, t->extra, t->tail);
    return text;
}

#endif
