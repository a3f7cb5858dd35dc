# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# Writes a C++ source that defines one function returning the bytes of a file.
# cmake -DINPUT=file -DOUTPUT=file.cpp -DHEADER=header -DNAMESPACE=a::b -DFUNCTION=name -P embed_file.cmake
file(READ ${INPUT} hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR bytes "${digits} / 2")
# Pieces of a string literal: compilers read those far faster than lists of numbers.
string(REGEX REPLACE "(................................................................)" "\\1\"\n\"" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" hex "${hex}")
file(WRITE ${OUTPUT} "// Generated from ${INPUT}.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

std::string_view ${FUNCTION}() {
  static constexpr char kBytes[] = \"${hex}\";
  return {kBytes, ${bytes}};
}

}  // namespace ${NAMESPACE}
")
