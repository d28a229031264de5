import { OutsideError } from '../../../../outside/errors.ts';
import { printable } from '../../../../lib/check.ts';
import { pythonText } from '../python-text.ts';
import { encoded } from './options.ts';

/** The base and the path joined as Python's `urljoin` does, with one slash between. */
export function joinUrl(base: string, path: string): string {
  if (path === '') return base;
  const folder = base.endsWith('/') ? base : `${base}/`;
  return URL.parse(path, folder)?.href ?? `${folder}${path.replace(/^\//, '')}`;
}

/** The address with its parameters. Those that it has already, with the same value, are not given twice. */
export function addressOf(written: string, params: Readonly<Record<string, unknown>>): URL {
  const url = URL.parse(written.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new OutsideError('config', 'URL_INVALID', `The manifest leads to what is no web address: "${printable(bare(written))}".`, {
      field: 'settings',
      hint: 'Check the settings that the address is made of.',
    });
  url.hash = '';
  const fresh = Object.fromEntries(Object.entries(params).filter(([name, value]) => url.searchParams.get(name) !== pythonText(value)));
  const query = encoded(fresh);
  if (query !== '') url.search = url.search === '' ? `?${query}` : `${url.search}&${query}`;
  return url;
}

/** Without the query, which may hold a key. */
function bare(written: string): string {
  return written.split('?')[0] ?? '';
}
