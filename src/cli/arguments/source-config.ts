import { variantOf } from '../../connectors/config-values.ts';
import type { TSchema } from '../../lib/schema.ts';
import { UsageError } from '../errors.ts';
import { parseObject } from './json-argument.ts';

type Members = Record<string, unknown>;

/** The configuration in a JSON text, with `--set path=value` over it. The connector's schema tells how a value is to be read. */
export function configFrom(text: string, settings: readonly string[], schema: TSchema): Members {
  const config = parseObject(text, 'configuration', '{"host": "db.example.com"}');
  for (const setting of settings) {
    const at = setting.indexOf('=');
    if (at < 1) throw new UsageError(`--set takes name=value, not "${setting}".`);
    const path = setting.slice(0, at).split('.');
    let place = config;
    let schemaOf: TSchema | undefined = schema;
    for (const name of path.slice(0, -1)) {
      schemaOf = schemaOf && variantOf(schemaOf, place).properties?.[name];
      place = (place[name] ??= {}) as Members;
    }
    const last = path.at(-1) ?? '';
    place[last] = valueOf(setting.slice(at + 1), schemaOf && variantOf(schemaOf, place).properties?.[last]);
  }
  return config;
}

/** Text stays text where the schema wants text; everything else is read as JSON, and what is none stays for the service to refuse. */
function valueOf(text: string, schema: TSchema | undefined): unknown {
  if (schema === undefined || schema.type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
