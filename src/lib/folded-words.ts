// What a search takes for a word: letters and digits, in lower case and without accents, so that "Müller" is found by "muller" and the other way round.

/** A longer word counts as several. */
const WORD = /[\p{L}\p{N}]{1,64}/gu;
const PLAIN = /^[\x20-\x7e]*$/;
const PLAIN_WORD = /[a-z0-9]{1,64}/g;

/** The words of a text, in their order; one may come twice. */
export function foldedWords(text: string): readonly string[] {
  if (PLAIN.test(text)) return text.toLowerCase().match(PLAIN_WORD) ?? [];
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
  return bare.match(WORD) ?? [];
}
