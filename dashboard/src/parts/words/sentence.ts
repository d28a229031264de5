/** Ends a text with one full stop. What was ended already stays as it is. */
export function sentence(text: string): string {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}

/** Several texts as sentences, one behind the other; what is missing is left out. */
export function sentences(...texts: readonly (string | null | undefined)[]): string {
  return texts.flatMap((text) => (text ? [sentence(text)] : [])).join(' ');
}
