// What names a file that was handed in, and what its inputs are made of.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::classroom {

/// SHA-256 of a text, 64 hexadecimal digits, as sha256sum prints it.
std::string sha256_of(std::string_view text);

/// 32 bytes that the system draws. Throws std::system_error where it has none.
std::string new_class_secret();

/// The secret of one student's gradings of one exercise, 64 hexadecimal digits: `grade --secret-file` derives
/// seeds from it and the file's text. By HMAC-SHA-256 of the class's secret, so that whoever knows one knows
/// no other.
std::string grading_secret(std::string_view class_secret, std::string_view student,
                           std::string_view exercise);

}  // namespace lockstep::classroom
