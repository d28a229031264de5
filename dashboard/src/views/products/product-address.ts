/** The page of a product. Ids are anything: slashes and percent signs too. */
export function productHref(productId: string): string {
  return `/products/${encodeURIComponent(productId)}`;
}
