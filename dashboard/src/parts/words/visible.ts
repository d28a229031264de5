// Characters that cannot be seen but that change how what is around them is read: controls, and marks of direction.
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Text with its unseen characters written out: a name cannot pretend to be another one. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}
