// What the first paint shows: the colours that were chosen last time, the fonts if this browser has them already, and
// whether the address holds a configuration, which the static content does not show.

const { dataset } = document.documentElement;
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') dataset.theme = theme;
  if (localStorage.getItem('fonts')) dataset.fonts = '';
} catch {
  // Storage may be forbidden; then the system decides, and the fonts come after the figure.
}
if (location.search) dataset.linked = '';
