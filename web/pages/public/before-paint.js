// Before the first paint: the colours that were chosen last time, and whether the address holds a configuration, which
// the static content does not show.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; then the system decides.
}
if (location.search) document.documentElement.dataset.linked = '';
