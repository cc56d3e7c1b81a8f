/* The shipped sets, as text that a user may copy and change. Every value names its published source. */
#include "model/chem/chem.h"

#include <string.h>

#include "model/chem/chem_sets.h"

/* Tian, Jiang, Jia 2017, Tables 3 and 4: fully diffusion-controlled, R = k/(4 pi (D1 + D2) N_A), for A + A too. */
static const char set_paper[] =
    "set paper \"Tian, Jiang, Jia 2017, Phys. Med. Biol. 62, 3081: Tables 3 and 4\"\n"
    "source \"Tian, Jiang, Jia 2017, Tables 3, 4 (as Geant4-DNA's first set, Karamitros et al. 2011)\"\n"
    "rate_convention k\n"
    "# D in 1e-9 m2/s, k in 1/(M s)\n"
    "species e_aq D=4.9 radius=0.50\n"
    "species OH   D=2.8 radius=0.22\n"
    "species H    D=7.0 radius=0.19\n"
    "species H3O+ D=9.0 radius=0.25\n"
    "species H2   D=4.8 radius=0.14\n"
    "species OH-  D=5.0 radius=0.33\n"
    "species H2O2 D=2.3 radius=0.21\n"
    "reaction OH + OH -> H2O2           k=0.44e10\n"
    "reaction OH + e_aq -> OH-          k=2.95e10\n"
    "reaction OH + H -> H2O             k=1.44e10\n"
    "reaction e_aq + e_aq -> H2 + 2 OH- k=0.50e10\n"
    "reaction e_aq + H3O+ -> H          k=2.11e10\n"
    "reaction e_aq + H -> OH- + H2      k=2.65e10\n"
    "reaction e_aq + H2O2 -> OH- + OH   k=1.41e10\n"
    "reaction H + H -> H2               k=1.20e10\n"
    "reaction H3O+ + OH- -> 2 H2O       k=14.3e10\n"
    "reaction H2 + OH -> H              k=0.00417e10\n";

const char *const chem_set_names[] = {"paper", "geant4", "topas", "fricke", NULL};

const char *chem_set_text(const char *name)
{
    static const char *const texts[] = {set_paper, set_geant4, set_topas, set_fricke};
    for (size_t i = 0; chem_set_names[i] != NULL; i++) {
        if (strcmp(name, chem_set_names[i]) == 0) {
            return texts[i];
        }
    }
    return NULL;
}
