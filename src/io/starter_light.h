/** Texts of the light starters; included by starter.c only. */
#ifndef IO_STARTER_LIGHT_H
#define IO_STARTER_LIGHT_H

#define STARTER_LIGHT_HEAD(what, name, histories)                                                          \
    "# " what "\n"                                                                                         \
    "# Run it:  corpuscle run FILE        Change a value for one run:  --set layers.1.mu_a=0.3/cm\n"       \
    "version: 1                  # of this format\n"                                                       \
    "kind: light\n"                                                                                        \
    "name: " name "\n"                                                                                     \
    "\n"                                                                                                   \
    "run:\n"                                                                                               \
    "  histories: " histories "            # photons; -n overrides\n"                                      \
    "  batches: 32               # equal parts; their scatter gives the standard errors\n"                 \
    "  seed: 1                   # another seed, another independent run; --seed overrides\n"              \
    "  # until: \"rel_err(Rd)<0.1%\"   # stop sooner when Rd is known this well; --until overrides\n"       \
    "\n"                                                                                                   \
    "ambient:                    # refractive index of what lies around the layers\n"                      \
    "  n_above: 1.0\n"                                                                                     \
    "  n_below: 1.0\n"                                                                                     \
    "\n"                                                                                                   \
    "# From the top. n: refractive index; mu_a, mu_s: absorption and scattering coefficient; g: anisotropy\n" \
    "# (mean cosine of the scattering angle). Lengths take nm, um, mm, cm, m; coefficients /um, /mm, /cm, /m.\n" \
    "# The last layer may be `thickness: infinite`.\n"                                                     \
    "layers:\n"

#define STARTER_LIGHT_TAIL(dz, dr, nz, nr, fluence, mco)                                                   \
    "\n"                                                                                                   \
    "grid:                       # bins of the maps: nz x nr, and na exit angles over 0 to 90 degrees\n"   \
    "  dz: " dz "\n"                                                                                       \
    "  dr: " dr "\n"                                                                                       \
    "  nz: " nz "\n"                                                                                       \
    "  nr: " nr "\n"                                                                                       \
    "  na: 30\n"                                                                                           \
    "\n"                                                                                                   \
    "roulette:                   # below the threshold a photon survives with this chance (1/m), m times heavier\n" \
    "  threshold: 1e-4\n"                                                                                  \
    "  chance: 0.1\n"                                                                                      \
    "\n"                                                                                                   \
    "scores:\n"                                                                                            \
    "  fluence: " fluence "             # map of the fluence; false is a little faster\n"                  \
    "\n"                                                                                                   \
    "output:\n"                                                                                            \
    "  mco: " mco "        # MCML output beside the HDF5 result; leave it out for none\n"

static const char light_slab_text[] =
    STARTER_LIGHT_HEAD("A thin slab of scattering and absorbing medium with matched boundaries. Diffuse reflectance\n"
                       "# 0.09739 and transmittance 0.66096 are known exactly (van de Hulst, 1980, table 35).",
                       "slab, matched", "1e6")
    "  - name: slab\n"
    "    n: 1.0\n"
    "    mu_a: 10 /cm\n"
    "    mu_s: 90 /cm\n"
    "    g: 0.75\n"
    "    thickness: 0.2 mm\n"
    STARTER_LIGHT_TAIL("10 um", "0.1 mm", "20", "50", "true", "slab.mco");

static const char light_skin5_text[] =
    STARTER_LIGHT_HEAD("Five-layer skin at 633 nm, after Tuchin and co-workers.", "\"skin, 5 layers, 633 nm\"", "1e7")
    "  - {name: epidermis,              n: 1.5, mu_a: 4.3 /cm, mu_s: 107 /cm, g: 0.79, thickness: 0.1 mm}\n"
    "  - {name: upper dermis,           n: 1.4, mu_a: 2.7 /cm, mu_s: 187 /cm, g: 0.82, thickness: 0.2 mm}\n"
    "  - {name: plexus superficialis,   n: 1.4, mu_a: 3.3 /cm, mu_s: 192 /cm, g: 0.82, thickness: 0.2 mm}\n"
    "  - {name: lower dermis,           n: 1.4, mu_a: 2.7 /cm, mu_s: 187 /cm, g: 0.82, thickness: 0.9 mm}\n"
    "  - {name: plexus profundus,       n: 1.4, mu_a: 3.4 /cm, mu_s: 194 /cm, g: 0.82, thickness: 0.6 mm}\n"
    STARTER_LIGHT_TAIL("20 um", "0.1 mm", "256", "256", "true", "skin5.mco");

static const char light_skin7_text[] =
    STARTER_LIGHT_HEAD("Seven-layer skin at 600 nm, after Meglinski and Matcher.", "\"skin, 7 layers, 600 nm\"", "1e7")
    "  - {name: stratum corneum,        n: 1.53, mu_a: 0.2 /cm,  mu_s: 1000 /cm, g: 0.90, thickness: 20 um}\n"
    "  - {name: living epidermis,       n: 1.34, mu_a: 0.15 /cm, mu_s: 400 /cm,  g: 0.85, thickness: 80 um}\n"
    "  - {name: papillary dermis,       n: 1.40, mu_a: 0.7 /cm,  mu_s: 300 /cm,  g: 0.80, thickness: 100 um}\n"
    "  - {name: upper blood net dermis, n: 1.39, mu_a: 1.0 /cm,  mu_s: 350 /cm,  g: 0.90, thickness: 80 um}\n"
    "  - {name: dermis,                 n: 1.40, mu_a: 0.7 /cm,  mu_s: 200 /cm,  g: 0.76, thickness: 1.62 mm}\n"
    "  - {name: deep blood net dermis,  n: 1.39, mu_a: 1.0 /cm,  mu_s: 350 /cm,  g: 0.95, thickness: 0.2 mm}\n"
    "  - {name: subcutaneous fat,       n: 1.44, mu_a: 0.3 /cm,  mu_s: 150 /cm,  g: 0.80, thickness: 5.9 mm}\n"
    STARTER_LIGHT_TAIL("20 um", "0.1 mm", "500", "200", "true", "skin7.mco");

#endif
