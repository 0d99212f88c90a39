#pragma once

#include <type_traits>

namespace attnscope {

template <class Signature>
class FunctionRef;

/// A function that the caller owns, for the time of a call: std::function_ref of C++26. Unlike
/// std::function it copies nothing and allocates nothing.
template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class Function>
    requires(!std::is_same_v<Function, FunctionRef>)
  FunctionRef(const Function& function)
      : function_(&function), call_([](const void* it, Args... args) -> Result {
          return (*static_cast<const Function*>(it))(args...);
        }) {}

  Result operator()(Args... args) const { return call_(function_, args...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Args...);
};

}  // namespace attnscope
