/** The page of a product. Ids are anything: slashes and percent signs too. */
export function productHref(productId: string): string {
  return `/products/${encodeURIComponent(productId)}`;
}

/** The id in such an address. The router's own parameter is decoded half, so that `a%2Fb` and `a/b` would be the same. */
export function productIdIn(pathname: string): string {
  const [, , encoded = ''] = pathname.split('/');
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
