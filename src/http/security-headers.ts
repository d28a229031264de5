/** On every answer, whatever it is: nothing of ours belongs into a cache, a frame, or another site's page. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/** On pages also these: browsers heed them on what they show as a page, and nowhere else. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Over TLS also this: browsers do not come back without it for half a year. */
export const TLS_HEADERS = { 'strict-transport-security': 'max-age=15552000' };
