import { isJsonObject } from '../../../../lib/exact-json.ts';
import { evaluateText, type TemplateScope } from '../evaluate.ts';
import { type Part, textAt } from '../parts.ts';
import { pythonText } from '../python-text.ts';

/** Where a value is put into a request. */
type Into = 'request_parameter' | 'header' | 'body_data' | 'body_json';

/** What is put into a request, by where. */
export interface Options {
  params: Record<string, unknown>;
  headers: Record<string, unknown>;
  data: Record<string, unknown> | string;
  json: Record<string, unknown>;
}

export function noOptions(): Options {
  return { params: {}, headers: {}, data: {}, json: {} };
}

/** Puts a value where a `RequestOption` says. */
export function inject(options: Options, option: Part, value: unknown, scope: TemplateScope): void {
  const into = textAt(option, 'inject_into') as Into | undefined;
  const target =
    into === 'header' ? options.headers : into === 'body_data' ? options.data : into === 'body_json' ? options.json : options.params;
  if (typeof target === 'string') return;
  const path = option['field_path'];
  if (!Array.isArray(path)) {
    target[evaluateText(option['field_name'], scope)] = value;
    return;
  }
  const steps = path.map((step) => evaluateText(step, scope));
  let place = target;
  for (const step of steps.slice(0, -1)) {
    const known = place[step];
    const next: Record<string, unknown> = isJsonObject(known) ? { ...known } : {};
    place[step] = next;
    place = next;
  }
  place[steps.at(-1) ?? ''] = value;
}

/** Several sets of options as one; what comes later wins, and objects of a JSON body are joined. */
export function combined(all: readonly Options[]): Options {
  const result = noOptions();
  for (const { params, headers, data, json } of all) {
    Object.assign(result.params, params);
    Object.assign(result.headers, headers);
    merge(result.json, json);
    if (typeof data === 'string') result.data = data;
    else if (typeof result.data !== 'string') Object.assign(result.data, data);
  }
  return result;
}

function merge(target: Record<string, unknown>, source: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(source)) {
    const known = target[name];
    if (isJsonObject(known) && isJsonObject(value)) {
      const copy = { ...known };
      merge(copy, value);
      target[name] = copy;
    } else target[name] = value;
  }
}

/** `a=1&b=2`: a list is given once for each of its entries, what is null not at all. */
export function encoded(values: Readonly<Record<string, unknown>>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    // Python takes the names of an object for its entries.
    const entries = Array.isArray(value) ? value : isJsonObject(value) ? Object.keys(value) : [value];
    for (const entry of entries)
      if (entry !== null && entry !== undefined) pairs.push(`${quotePlus(name)}=${quotePlus(pythonText(entry))}`);
  }
  return pairs.join('&');
}

function quotePlus(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}
