/** The details of an error about one field. */
export function oneFault(field: string, reason: string): object {
  return { field, reason, errors: [{ field, reason }] };
}
