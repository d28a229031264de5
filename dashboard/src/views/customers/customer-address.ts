/** The page of a customer. Ids are anything: slashes and percent signs too. */
export function customerHref(customerId: string): string {
  return `/customers/${encodeURIComponent(customerId)}`;
}
