#pragma once

#include <string>

namespace attnscope {

/// The shortest digits that read back as `number`, as JavaScript and Python's repr print them.
std::string number_text(double number);

}  // namespace attnscope
