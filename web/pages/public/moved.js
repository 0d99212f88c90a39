// `train.html?…` is `train/?…` now: old links lead there with all that they say. Hosts also send this file as `train`.
const page = location.pathname.replace(/(\.html|\/+)?$/, '/');
if (page !== location.pathname) location.replace(page + location.search + location.hash);
