/** Ends a text with one full stop. What was ended already stays as it is. */
export function sentence(text: string): string {
  const written = text.trimEnd();
  return /[.?!…]$/.test(written) ? written : `${written}.`;
}

/** Several texts as sentences, one behind the other; what is missing or empty is left out. */
export function sentences(texts: readonly (string | null | undefined)[]): string {
  return texts.flatMap((text) => (text == null || text.trim() === '' ? [] : [sentence(text)])).join(' ');
}
