// A file's digest is that of other programs, and a grading's secret differs by class, student and exercise.
#include "classroom/digests.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lockstep::classroom {
namespace {

// By sha256sum.
TEST(Digests, AreThoseOfOtherPrograms) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// HMAC-SHA-256 of "lockstep class scan/anna" under the key "secret", by Python.
TEST(Digests, AGradingsSecretIsTheSameOnEveryMachine) {
  EXPECT_EQ(grading_secret("secret", "anna", "scan"),
            "37dfa6cad0f569decbca9e4a54de405a1096519932900540d985338d946c93bf");
}

TEST(Digests, AGradingsSecretIsNobodyElses) {
  std::set<std::string> secrets;
  for (const char* key : {"secret", "other"})
    for (const char* student : {"anna", "bob", "an", ""})
      for (const char* exercise : {"scan", "transpose"})
        secrets.insert(grading_secret(key, student, exercise));
  EXPECT_EQ(secrets.size(), 16U);
}

TEST(Digests, AClassesSecretIsNew) {
  EXPECT_EQ(new_class_secret().size(), 32U);
  EXPECT_NE(new_class_secret(), new_class_secret());
}

}  // namespace
}  // namespace lockstep::classroom
