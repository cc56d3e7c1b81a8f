/*
 * One core against Embree 3: the same rays, those of molecules that fly through a model, in the same triangles and
 * parallelograms. Ours in double precision, by candidate records and by the tree; Embree's single rays in single
 * precision.
 *
 * Usage: embree RAYS STARTER PATH=VALUE ...   Prints one line of a table; bench/embree.sh makes the table.
 */
#include "core/context.h"
#include "gas/launch.h"
#include "gas/records.h"
#include "io/starter.h"
#include "model/gas/gas_plan.h"

#include <embree3/rtcore.h>
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct ray {
    gas_vector place, way;
    uint32_t skip, facet, hit; /* hit: facet, GAS_NOTHING: none */
} ray;

typedef struct scene {
    gas_params p;
    const uint32_t *nodes;
    const gas_primitive *primitives;
    const gas_surface_row *surfaces;
    const gas_source *sources;
    const gas_view *views;
    const uint32_t *records;
    const double *planes;
} scene;

typedef struct rate {
    double seconds;
    uint64_t n_same, n_missed; /* the facet that the tree finds; none */
} rate;

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static gas_hit find(const scene *s, const ray *r, int by_records)
{
    gas_hit hit = gas_no_hit();
    if (by_records) {
        hit = gas_look_up(r->facet, r->place, r->way, s->views, s->records, s->planes);
    }
    return hit.primitive != GAS_NOTHING ? hit : gas_trace(r->place, r->way, r->skip, 0, s->p, s->nodes, s->primitives);
}

/* Follow molecules until there are n rays. */
static void make_rays(scene *s, ray *rays, size_t n)
{
    size_t k = 0;
    s->p.n_histories = 1u << 30;
    for (uint32_t number = 0; k < n; number++) {
        gas_molecule m = gas_launch(number, s->sources, s->primitives, s->surfaces, s->p).molecule;
        for (uint32_t what = GAS_REFLECTED; what == GAS_REFLECTED && k < n; k++) {
            rays[k] = (ray){m.place, m.way, m.skip, m.facet, GAS_NOTHING};
            gas_hit hit = find(s, &rays[k], 0);
            rays[k].hit = hit.facet;
            if (hit.primitive == GAS_NOTHING) {
                k++;
                break;
            }
            gas_turnout t = gas_turn(m, hit, s->primitives, s->surfaces, s->p);
            m = t.molecule;
            what = t.what;
        }
    }
}

static rate run_own(const scene *s, const ray *rays, size_t n, int by_records)
{
    rate result = {0};
    double start = processor_seconds();
    for (size_t i = 0; i < n; i++) {
        uint32_t hit = find(s, &rays[i], by_records).facet;
        result.n_same += hit == rays[i].hit;
        result.n_missed += hit == GAS_NOTHING;
    }
    result.seconds = processor_seconds() - start;
    return result;
}

/* ------------------------------------------------------------------------------------------------- Embree */

/* Primitives as quads, a triangle as one whose last two corners are one. */
static RTCScene make_scene(RTCDevice device, const gas_mesh *mesh, int is_robust)
{
    RTCScene embree = rtcNewScene(device);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_QUAD);
    float *v = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, 4 * (size_t)mesh->n);
    uint32_t *q = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT4, 16, mesh->n);
    for (uint32_t i = 0; i < mesh->n; i++) {
        const gas_corner *c = &mesh->corners[i];
        int is_triangle = (mesh->primitives[i].facet & GAS_IS_TRIANGLE) != 0;
        for (int k = 0; k < 3; k++) {
            v[12 * (size_t)i + k] = (float)c->corner[k];
            v[12 * (size_t)i + 3 + k] = (float)(c->corner[k] + c->edge_u[k]);
            v[12 * (size_t)i + 6 + k] = (float)(c->corner[k] + c->edge_v[k] + (is_triangle ? 0.0 : c->edge_u[k]));
            v[12 * (size_t)i + 9 + k] = (float)(c->corner[k] + c->edge_v[k]);
        }
        for (uint32_t k = 0; k < 4; k++) {
            q[4 * (size_t)i + k] = 4 * i + k;
        }
    }
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(embree, geometry);
    rtcReleaseGeometry(geometry);
    rtcSetSceneFlags(embree, is_robust ? RTC_SCENE_FLAG_ROBUST : RTC_SCENE_FLAG_NONE);
    rtcSetSceneBuildQuality(embree, RTC_BUILD_QUALITY_HIGH);
    rtcCommitScene(embree);
    return embree;
}

static rate run_embree(RTCDevice device, const gas_mesh *mesh, const ray *rays, size_t n, int is_robust)
{
    rate result = {0};
    RTCScene embree = make_scene(device, mesh, is_robust);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    float nearest = (float)(1e-6 * mesh->size); /* past the facet that it leaves */
    double start = processor_seconds();
    for (size_t i = 0; i < n; i++) {
        struct RTCRayHit r;
        r.ray = (struct RTCRay){.org_x = (float)rays[i].place.x,
                                .org_y = (float)rays[i].place.y,
                                .org_z = (float)rays[i].place.z,
                                .tnear = nearest,
                                .dir_x = (float)rays[i].way.x,
                                .dir_y = (float)rays[i].way.y,
                                .dir_z = (float)rays[i].way.z,
                                .tfar = 1e30f,
                                .mask = ~0u};
        r.hit.geomID = r.hit.primID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(embree, &context, &r);
        if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
            result.n_missed++;
        } else {
            result.n_same += (mesh->primitives[r.hit.primID].facet & GAS_FACET_MASK) == rays[i].hit;
        }
    }
    result.seconds = processor_seconds() - start;
    rtcReleaseScene(embree);
    return result;
}

/* --------------------------------------------------------------------------------------------------- main */

static void print_rate(const rate *r, size_t n)
{
    printf(" %.2f | %.2g | %.1g |", (double)n / r->seconds / 1e6, 1.0 - (double)r->n_same / (double)n,
           (double)r->n_missed / (double)n);
}

static crp_status measure(crp_context *context, const crp_model *model, size_t n, const char *name)
{
    crp_plan *plan = NULL;
    gas_mesh mesh;
    CRP_TRY(gas_plan_create(context, model, 1, &plan));
    CRP_TRY(gas_mesh_build(context, model->data, &mesh));
    scene s = {((gas_plan *)plan->data)->params,
               plan->tables[0].data, /* in the order of the kernel's arguments */
               plan->tables[1].data,
               plan->tables[2].data,
               plan->tables[3].data,
               plan->tables[6].data,
               plan->tables[7].data,
               plan->tables[8].data};
    ray *rays = malloc(n * sizeof *rays);
    CRP_CHECK(context, rays != NULL, CRP_ERR_MEMORY, "no memory for %zu rays", n);
    make_rays(&s, rays, n);
    printf("| %s | %u | %.2g |", name, mesh.n, (double)n);
    rate own = run_own(&s, rays, n, 0);
    if (s.p.has_records) {
        rate records = run_own(&s, rays, n, 1);
        print_rate(&records, n);
    } else {
        printf(" none | | |");
    }
    print_rate(&own, n);
    RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
    for (int is_robust = 0; is_robust < 2; is_robust++) {
        rate r = run_embree(device, &mesh, rays, n, is_robust);
        print_rate(&r, n);
    }
    rtcReleaseDevice(device);
    puts("");
    free(rays);
    gas_mesh_destroy(&mesh);
    plan_destroy(&plan);
    return CRP_OK;
}

int main(int argc, char **argv)
{
    crp_context *context = NULL;
    crp_input *input = NULL;
    if (argc < 3 || crp_context_create(&context) != CRP_OK) {
        fprintf(stderr, "usage: embree RAYS STARTER PATH=VALUE ...\n");
        return 2;
    }
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON); /* as Embree asks for */
    _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
    char name[256] = "";
    for (int i = 2; i < argc; i++) {
        snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s", i > 2 ? " " : "", argv[i]);
    }
    crp_status status = starter_load(context, argv[2], (const char *const *)argv + 3, (size_t)argc - 3, &input);
    if (status == CRP_OK) {
        status = measure(context, crp_input_model(input, 0), (size_t)strtod(argv[1], NULL), name);
    }
    if (status != CRP_OK) {
        fprintf(stderr, "embree: %s\n", crp_context_error(context));
    }
    crp_input_destroy(&input);
    crp_context_destroy(&context);
    return status == CRP_OK ? 0 : 1;
}
