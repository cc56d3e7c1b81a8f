/** Version and commit, as the build passes them in. */
#include "corpuscle/corpuscle.h"

const char *crp_version(void)
{
    return CRP_VERSION;
}

const char *crp_commit(void)
{
    return CRP_COMMIT;
}
