// The page's Content-Security-Policy, which any host gets that sends none of its own. It is no element of the HTML:
// Chromium does not look ahead for a page's files where one is (crbug.com/1458493), and a slow phone waits half a
// second longer.

const content = document.currentScript?.getAttribute('data-policy');
if (content) {
  const meta = document.createElement('meta');
  document.head.append(Object.assign(meta, { httpEquiv: 'Content-Security-Policy', content }));
}
