// Before the first paint: the colours that were chosen last time.
try {
  var theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch (error) {
  // Storage may be forbidden; then the system decides.
}
