declare global {
  // The name by which the package that locks scrolling under a dialog looks for the nonce of its style element.
  var __webpack_nonce__: string | undefined;
}

/** The page's Content-Security-Policy takes style elements that carry the nonce of this answer; answers that nonce. */
export function allowStyles(): string {
  const { nonce = '' } = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]') ?? {};
  globalThis.__webpack_nonce__ = nonce;
  return nonce;
}
