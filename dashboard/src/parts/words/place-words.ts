/** One step on the way to a member: its name, or its place in a list, counted from 0. */
export type PathPart = string | number;

/** `streams[3].fields[7].from` → `['streams', 3, 'fields', 7, 'from']` */
export function pathParts(path: string): PathPart[] {
  return Array.from(path.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([part, place]) => (place === undefined ? part : Number(place)));
}

/** Says a place as people do: `items[2].unit_price` → `Item 3, unit price`. Views that know better names give better words. */
export function placeWords(path: string): string {
  const words: string[] = [];
  for (const part of pathParts(path)) {
    if (typeof part === 'string') words.push(part === 'q' ? 'search' : part.replaceAll('_', ' '));
    else words.push(`${(words.pop() ?? 'entry').replace(/s$/, '')} ${part + 1}`);
  }
  return sentenceCase(words.join(', ')) || 'The request';
}

export function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
