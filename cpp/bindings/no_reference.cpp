// run_reference() of the modules that pages load: the reference loops are in the build `reference`.

#include "../layers/field.h"
#include "../run/reference.h"

namespace attnscope {

Outputs run_reference(const Graph&, const ParameterValues&, const Inputs&, const Keep&,
                      const Progress&) {
  throw FieldError("reference",
                   "reference must be false here, got true: the reference loops are in the build "
                   "\"reference\", open({ build: 'reference' })");
}

}  // namespace attnscope
