// A second line of defence: the code that logs leaves secrets out; what slips through is masked here before it is stored.

const MASK = '********';
const SECRET_NAME = /pass(word|wd|phrase)?$|secret|token|authorization|cookie|credential|(api|access|private|secret)_?-?key/i;
/** `scheme://user:password@host`. It begins with what is rare, so that long texts are looked through quickly. */
const URL_PASSWORD = /:\/\/([^\s:/@]*):[^\s/@]+@/g;
/** A key, or the token in the address of a hook. */
const OWN_KEY = /(slk_(?=[0-9a-z]{26}_)|slh_)[0-9a-z_]{27,}/gi;
const AUTHORIZATION = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/g;
/** `password=…`, as in connection strings. */
const ASSIGNED = /\b(password|passwd|pwd|secret|token|api_?key)\s*=\s*("[^"]*"|'[^']*'|[^\s;,&]+)/gi;

/** Far more than is ever stored; what is behind need not be looked through. */
const MOST_TEXT = 65_536;

/** The text, or the beginning of a very long one, without what looks like a secret. */
export function maskText(text: string): string {
  return text
    .slice(0, MOST_TEXT)
    .replace(URL_PASSWORD, `://$1:${MASK}@`)
    .replace(OWN_KEY, `$1${MASK}`)
    .replace(AUTHORIZATION, `$1 ${MASK}`)
    .replace(ASSIGNED, `$1=${MASK}`);
}

/** For `JSON.stringify`: members named like a secret are masked, texts are looked through, numbers of any size are kept. */
export function maskMember(name: string, value: unknown): unknown {
  if (value !== null && value !== undefined && typeof value !== 'object' && SECRET_NAME.test(name)) return MASK;
  if (typeof value === 'string') return maskText(value);
  return typeof value === 'bigint' ? String(value) : value;
}
