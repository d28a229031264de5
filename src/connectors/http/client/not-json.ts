import { printable } from '../../../lib/check.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Answer } from '../../../outside/http/exchange.ts';

/** An answer that is something else. */
export function notJsonBut(what: string, { url }: Answer): OutsideError {
  return new OutsideError('config', 'NOT_JSON', `${url.host}${url.pathname} answered with ${what} instead of JSON.`, {
    hint: 'Check the base URL and the path. A web page is often the login page of a server that wants other credentials.',
  });
}

/** What begins with a tag, in words. */
export function webPage(text: string): string {
  const title = /<title[^>]*>([^<]{1,100})/i.exec(text)?.[1]?.trim();
  return /^<\?xml/i.test(text) ? 'XML' : `a web page${title ? ` titled "${printable(title)}"` : ''} (HTML)`;
}

export function shortType({ headers }: Answer): string {
  return printable(headers['content-type'] ?? 'of no declared type').slice(0, 60);
}

/** Made for people to look at, by what it is or by what it is said to be. */
export function isWebPage({ headers }: Answer, text: string): boolean {
  return /^<(!doctype|html|head|body)\b/i.test(text) || (text !== '' && /^text\/html\b/i.test(headers['content-type'] ?? ''));
}
