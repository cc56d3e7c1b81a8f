# Options and flags shared by all targets.
option(CRP_TESTS "Build the tests" ON)
option(CRP_SHARED "Build libcorpuscle.so beside the program" ON)
option(CRP_WERROR "Warnings are errors" OFF)
option(CRP_FUZZ "Build the libFuzzer targets (clang)" OFF)
set(CRP_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")

set(CRP_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wdouble-promotion -Wshadow -Wvla -Wno-unknown-pragmas)
if(CRP_WERROR)
  list(APPEND CRP_WARNINGS -Werror)
endif()

# Strict arithmetic: no contraction, so that a product and a sum round twice everywhere; fma is always written out.
set(CRP_STRICT_FLAGS -ffp-contract=off)
if(CRP_SANITIZE)
  add_compile_options(-fsanitize=${CRP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CRP_SANITIZE})
endif()

# The commit goes into every result. A build from an archive has none.
# Every commit configures again, so that results never name an older one.
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} rev-parse --path-format=absolute --git-path logs/HEAD
                OUTPUT_VARIABLE CRP_GIT_LOG OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(CRP_GIT_LOG AND EXISTS ${CRP_GIT_LOG})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CRP_GIT_LOG})
endif()
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} rev-parse --short=12 HEAD OUTPUT_VARIABLE CRP_COMMIT
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE CRP_GIT_FAILED)
if(CRP_GIT_FAILED OR NOT CRP_COMMIT)
  set(CRP_COMMIT "unknown")
endif()
