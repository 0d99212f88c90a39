#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdio>
#include <map>
#include <string>

namespace {

/// The text as a string of JSON. Names of tests have no control characters.
std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + '"';
}

/// Prints which tests failed and how long the tests of each file took, for `npm test`
/// (tools/counts.js).
class Summary : public doctest::IReporter {
 public:
  explicit Summary(const doctest::ContextOptions&) {}

  void test_case_start(const doctest::TestCaseData& test) override {
    const std::string path = test.m_file.c_str();
    const size_t start = path.find("tests/cpp/");
    file_ = start == std::string::npos ? path : path.substr(start);
    name_ = test.m_name;
  }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    seconds_[file_] += stats.seconds;
    if (stats.testCaseSuccess) return;
    failed_ += (failed_.empty() ? "" : ",") + ("{\"name\":" + json_string(name_)) +
               ",\"file\":" + json_string(file_) + "}";
  }
  void test_run_end(const doctest::TestRunStats&) override {
    std::string list;
    for (const auto& [file, seconds] : seconds_) {
      list += (list.empty() ? "" : ",") + json_string(file) + ":" + std::to_string(seconds);
    }
    if (!failed_.empty()) std::printf("failed [%s]\n", failed_.c_str());
    std::printf("seconds {%s}\n", list.c_str());
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::string file_;
  std::string name_;
  std::string failed_;
  std::map<std::string, double> seconds_;
};

REGISTER_LISTENER("summary", 1, Summary);

}  // namespace
