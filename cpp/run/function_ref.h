#pragma once

#include <type_traits>

namespace attnscope {

template <class Signature>
class FunctionRef;

/// A function that the caller owns, and keeps as long as this may be called; or none. Like
/// std::function_ref of C++26, and unlike std::function, it copies nothing and allocates nothing.
template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  FunctionRef() = default;

  template <class Function>
    requires(!std::is_same_v<Function, FunctionRef>)
  FunctionRef(const Function& function)
      : function_(&function), call_([](const void* it, Args... args) -> Result {
          return (*static_cast<const Function*>(it))(args...);
        }) {}

  explicit operator bool() const { return call_ != nullptr; }

  Result operator()(Args... args) const { return call_(function_, args...); }

 private:
  const void* function_ = nullptr;
  Result (*call_)(const void*, Args...) = nullptr;
};

}  // namespace attnscope
