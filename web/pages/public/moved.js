// `train.html?…` is `train/?…` now: old links lead there with all that they say.
location.replace(location.pathname.replace(/\.html$/, '/') + location.search + location.hash);
