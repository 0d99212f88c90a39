#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdio>
#include <map>
#include <string>

namespace {

/// Prints how long the tests of each file took, for `npm test` (tools/counts.js).
class Seconds : public doctest::IReporter {
 public:
  explicit Seconds(const doctest::ContextOptions&) {}

  void test_case_start(const doctest::TestCaseData& test) override {
    const std::string path = test.m_file.c_str();
    const size_t name = path.find("tests/cpp/");
    file_ = name == std::string::npos ? path : path.substr(name);
  }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    seconds_[file_] += stats.seconds;
  }
  void test_run_end(const doctest::TestRunStats&) override {
    std::string list;
    for (const auto& [file, seconds] : seconds_) {
      list += (list.empty() ? "\"" : ",\"") + file + "\":" + std::to_string(seconds);
    }
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
  std::map<std::string, double> seconds_;
};

REGISTER_LISTENER("seconds", 1, Seconds);

}  // namespace
