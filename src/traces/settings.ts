/** As the standard calls them. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Which traces are recorded. */
export interface SamplerSettings {
  readonly name: (typeof SAMPLERS)[number];
  /** Of those with a ratio: how many of the traces, from 0 to 1. */
  readonly ratio: number;
}

/** Where traces go, and which. */
export interface TraceSettings {
  /** Where spans are posted to. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampler: SamplerSettings;
}

/** Reads `name=value,name=value`, with values percent-encoded; throws where it is not that. What stands there is a secret, and is not repeated. */
export function readHeaderList(text: string): Record<string, string> {
  const entries = text.split(',').map((entry): [string, string] => {
    const [, name = '', value = ''] = /^\s*([\w!#$%&'*.^`|~+-]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
    if (name === '') throw new Error('must be name=value,name=value');
    try {
      return [name.toLowerCase(), decodeURIComponent(value)];
    } catch {
      throw new Error('must hold values in which % is written as %25');
    }
  });
  if (entries.some(([, value]) => /[^\t\x20-\x7e]/.test(value))) throw new Error('must hold values of printable characters');
  return Object.fromEntries(entries);
}
