import { isJsonObject } from '../../../lib/exact-json.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** They are the connection's own. */
const OURS = new Set(
  'host content-length transfer-encoding connection keep-alive upgrade expect te trailer accept-encoding proxy-authorization'.split(' '),
);

export type ReportFault = (field: string, reason: string) => void;

export function urlFaults(field: string, text: string, fault: ReportFault): void {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) fault(field, 'must be an address that begins with http:// or https://');
  else if (url.username !== '' || url.password !== '') fault(field, 'must not hold a user name or password; they belong to `auth`');
  else if (url.hash !== '' || (field === 'base_url' && url.search !== '')) fault(field, 'must end with the path: without ? and #');
}

export function headerFaults(field: string, name: string, fault: ReportFault): void {
  if (!TOKEN.test(name)) fault(field, 'is not the name of a header');
  else if (OURS.has(name.toLowerCase())) fault(field, 'is set by Syncline itself');
}

export function valueFaults(field: string, value: string, fault: ReportFault): void {
  if (!HEADER_VALUE.test(value)) fault(field, 'must not contain line breaks or characters that no header can hold');
}

export function pathFaults(field: string, path: string | undefined, fault: ReportFault): void {
  if (path === undefined) return;
  if (!path.startsWith('/') || path.startsWith('//')) fault(field, 'must begin with a single /');
  else if (/[#\s\\]/.test(path)) fault(field, 'must not contain spaces, backslashes or #');
  else if (/[{}]/.test(path.replace(/\{[^{}]+\}/g, ''))) fault(field, 'has a brace without its partner');
  else if (/(^|\/)(\.|%2e){1,2}(\/|\?|$)/i.test(path)) fault(field, 'must not contain . or .. as a step');
}

export function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
