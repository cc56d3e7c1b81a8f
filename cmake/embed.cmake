# Write the kernel headers as byte arrays into one C file: cmake -DROOT=dir -DOUTPUT=file.c -DFILES=a.h;b.h -P embed.cmake
# Bytes, not string literals, because C compilers need accept no literal longer than 4095 characters.

set(arrays "")
set(table "")
set(i 0)
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH path ${ROOT} ${file})
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char text_${i}[] = {${bytes}0x00};\n")
  string(APPEND table "    {\"${path}\", (const char *)text_${i}, sizeof text_${i} - 1},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUTPUT} "/* Made by cmake/embed.cmake from kernel/: do not edit. */
#include \"device/kernel_source.h\"

${arrays}
const kernel_file kernel_files[] = {
${table}    {NULL, NULL, 0},
};
")
