#include "../../../cpp/graph/text.h"

#include "../support.h"

using namespace attnscope;

TEST_CASE("pieces of every kind take the places of a pattern") {
  const std::string string = "c";
  const std::string_view view = std::string_view("deep").substr(0, 1);
  CHECK(format("{}{}{}", {"b", string, view}) == "bcd");
  CHECK(format("{} of {}: {}", {3, Shape{32, 1}, 0.5}) == "3 of (32, 1): 0.5");
  CHECK(format("({}, {})", {int64_t{1} << 40, size_t{7}}) == "(1099511627776, 7)");
}

TEST_CASE("a piece and a pattern may hold braces") {
  CHECK(format("{\n{}}\n", {"{}"}) == "{\n{}}\n");
  CHECK(format("nothing", {}) == "nothing");
}
