/** The id in an address such as `/products/a%2Fb`. The router's own parameter is decoded half, so that `a%2Fb` and `a/b` would be the same. */
export function idIn(pathname: string): string {
  const [, , encoded = ''] = pathname.split('/');
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
