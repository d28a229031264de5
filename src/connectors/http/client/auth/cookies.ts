interface Cookie {
  readonly value: string;
  readonly path: string;
  readonly isSecure: boolean;
  /** Milliseconds since 1970; undefined for the time of the session. */
  readonly ends: number | undefined;
}

// An API that sets more has lost its mind.
const MAX_COOKIES = 100;
const MAX_COOKIE = 8192;

/** The cookies of one origin, for as long as the session lasts. Those of other origins are never taken. */
export class CookieJar {
  readonly #cookies = new Map<string, Cookie>();

  /** Takes what an answer sets; true when that was something. */
  take(url: URL, set: readonly string[] | undefined): boolean {
    let isSome = false;
    for (const text of set ?? []) {
      const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
      const at = pair.indexOf('=');
      if (at <= 0 || pair.length > MAX_COOKIE || !/^[\x21-\x7e]*$/.test(pair)) continue;
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      const told = new Map(
        attributes.map((attribute) => attribute.split('=', 2)).map(([key = '', word = '']) => [key.toLowerCase(), word]),
      );
      const ends = endOf(told);
      const path = told.get('path')?.startsWith('/') ? (told.get('path') as string) : defaultPath(url);
      this.#cookies.delete(name);
      if (ends !== undefined && ends <= Date.now()) continue;
      if (this.#cookies.size >= MAX_COOKIES) continue;
      this.#cookies.set(name, { value, path, isSecure: told.has('secure'), ends });
      isSome = true;
    }
    return isSome;
  }

  /** What to send to an address; empty when there is nothing. */
  header(url: URL): string {
    const isFit = ({ path, isSecure, ends }: Cookie): boolean =>
      (ends === undefined || ends > Date.now()) && (!isSecure || url.protocol === 'https:') && isBelow(url.pathname, path);
    return [...this.#cookies].flatMap(([name, cookie]) => (isFit(cookie) ? [`${name}=${cookie.value}`] : [])).join('; ');
  }

  clear(): void {
    this.#cookies.clear();
  }

  values(): string[] {
    return [...this.#cookies.values()].map(({ value }) => value);
  }
}

function endOf(told: ReadonlyMap<string, string>): number | undefined {
  const age = told.get('max-age');
  if (age !== undefined && /^-?\d+$/.test(age)) return Date.now() + Number(age) * 1000;
  const time = Date.parse(told.get('expires') ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function defaultPath({ pathname }: URL): string {
  return pathname.slice(0, Math.max(pathname.lastIndexOf('/'), 1)) || '/';
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}
