// A signature's linker name must be the compiler's own: the dynamic linker looks each one up.
#include "course/signature.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "signature_functions.h"

namespace lockstep::course {
namespace {

template <class Function>
void expect_linker_finds(const Signature& signature, Function* function) {
  EXPECT_EQ(dlsym(RTLD_DEFAULT, signature.linker_name.c_str()), reinterpret_cast<void*>(function))
      << signature.linker_name;
}

TEST(Signature, LinkerNameIsTheCompilersOwn) {
  expect_linker_finds(LOCKSTEP_SIGNATURE(no_parameters), &no_parameters);
  expect_linker_finds(LOCKSTEP_SIGNATURE(transpose_like), &transpose_like);
  expect_linker_finds(LOCKSTEP_SIGNATURE(workspace_like), &workspace_like);
  expect_linker_finds(LOCKSTEP_SIGNATURE(repeated), &repeated);
  expect_linker_finds(LOCKSTEP_SIGNATURE(pointer_result), &pointer_result);
  expect_linker_finds(LOCKSTEP_SIGNATURE(scalars), &scalars);
  expect_linker_finds(LOCKSTEP_SIGNATURE(pointers_to_pointers), &pointers_to_pointers);
  expect_linker_finds(LOCKSTEP_SIGNATURE(restricted), &restricted);
}

TEST(Signature, DeclarationReadsAsWritten) {
  EXPECT_EQ(LOCKSTEP_SIGNATURE(transpose_like).declaration,
            "void transpose_like(const float*, float*, int, int, cudaStream_t)");
  EXPECT_EQ(LOCKSTEP_SIGNATURE(workspace_like).declaration, "size_t workspace_like(int)");
  EXPECT_EQ(LOCKSTEP_SIGNATURE(pointer_result).declaration,
            "float* pointer_result(float*, const float*, float*, cudaStream_t, cudaStream_t)");
  EXPECT_EQ(LOCKSTEP_SIGNATURE(no_parameters).declaration, "void no_parameters()");
}

TEST(Signature, ReadableKeepsOtherNames) {
  EXPECT_EQ(readable("scan(unsigned int const*, unsigned long*, unsigned long long const*)"),
            "scan(const unsigned int*, size_t*, const unsigned long long*)");
}

TEST(Signature, ReadableTakesAnyText) {
  for (const char* text : {"", " const*", "f( const*)", "f(int* const*)", "unsigned"})
    EXPECT_EQ(readable(text), text);
  EXPECT_EQ(readable("f(ns::T const*, signed char const*, 7 const*)"),
            "f(const ns::T*, const signed char*, 7 const*)");
  const std::string letters(1'000'000, 'a');
  EXPECT_EQ(readable("f(" + letters + " const*)"), "f(const " + letters + "*)");
  std::string words;
  for (int i = 0; i < 300'000; ++i) words += " int";
  EXPECT_EQ(readable("f(a" + words + " const*)"), "f(const a" + words + "*)");
}

TEST(Signature, ParametersTellHowToCall) {
  const Signature signature = LOCKSTEP_SIGNATURE(transpose_like);
  ASSERT_EQ(signature.parameters.size(), 5U);
  EXPECT_EQ(signature.result, ValueKind::none);
  EXPECT_EQ(signature.parameters[0].kind, ValueKind::pointer);
  EXPECT_TRUE(signature.parameters[0].read_only);
  EXPECT_FALSE(signature.parameters[1].read_only);
  EXPECT_EQ(signature.parameters[2].kind, ValueKind::i32);
  EXPECT_EQ(signature.parameters[4].kind, ValueKind::stream);
  EXPECT_EQ(LOCKSTEP_SIGNATURE(workspace_like).result, ValueKind::i64);
  EXPECT_EQ(LOCKSTEP_SIGNATURE(scalars).parameters[0].kind, ValueKind::f32);
  EXPECT_EQ(LOCKSTEP_SIGNATURE(scalars).parameters[1].kind, ValueKind::f64);
}

}  // namespace
}  // namespace lockstep::course
