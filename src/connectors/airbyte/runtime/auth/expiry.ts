/** When a token ends, in milliseconds since 1970: a number of seconds, or a date as people write it. */
export function readExpiry(text: string): number | undefined {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number > 1e11 ? number : number * 1000;
  const hasZone = /(?:z|[+-]\d{2}:?\d{2})$/i.test(text.trim());
  const date = Date.parse(hasZone || !/\d{2}:\d{2}/.test(text) ? text : `${text.trim().replace(' ', 'T')}Z`);
  return Number.isNaN(date) ? undefined : date;
}
