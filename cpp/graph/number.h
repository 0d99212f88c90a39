#pragma once

#include <string>

namespace attnscope {

/// The shortest digits that read back as `number`, as JavaScript and Python's repr print them.
std::string number_text(double number);

/// The same digits as people write them in Python, where small numbers have an exponent: "1e-5".
std::string python_number(double number);

}  // namespace attnscope
