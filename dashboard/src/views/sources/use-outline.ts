import { useDebouncedValue } from '@mantine/hooks';
import { useApi } from '../../api/queries.ts';
import type { Connector, Outline, Source } from '../../api/resources.ts';
import { faultsByField } from '../../parts/form/faults.ts';
import { type ConfigObject, type ConfigSchema, isObject } from './config-form/schema.ts';

/** Until nothing more is typed. */
const PAUSE = 500;

interface Outlined {
  /** The schema of the connector, with the forms that the configuration itself describes. */
  schema: ConfigSchema;
  outline: Outline | undefined;
  /** Why what describes the rest cannot be understood, by its place. */
  faults: ReadonlyMap<string, string>;
}

/** What a configuration tells by itself, for connectors whose configurations do. */
export function useOutline({ type, config: schema }: Connector, config: ConfigObject, source: Source | undefined): Outlined {
  const described = Object.entries(schema.properties ?? {}).filter(([, member]) => member['x-secrets-by']);
  // What is described is not needed to describe it, and may hold secrets.
  const told = Object.fromEntries(Object.entries(config).filter(([name]) => !described.some(([member]) => member === name)));
  const [settled] = useDebouncedValue(JSON.stringify(told), PAUSE);
  const asked = JSON.parse(settled) as ConfigObject;
  const body = { type, config: asked, ...(source && { id: source.id }) };
  const isTold = described.length > 0 && Object.keys(asked).length > 0;
  const { data, error } = useApi('POST /api/v1/datasync/sources/outline', { body }, { enabled: isTold });
  const outline = (isTold && !error && data?.data) || undefined;
  return { schema: withForms(schema, outline), outline, faults: faultsByField(isTold ? error : null) };
}

function withForms(schema: ConfigSchema, outline: Outline | undefined): ConfigSchema {
  const forms = new Map((outline?.forms ?? []).map(({ member, schema: form }) => [member, form as ConfigSchema]));
  const filled = [...forms].filter(([, form]) => isObject(form.properties));
  if (filled.length === 0) return schema;
  const properties = { ...schema.properties };
  for (const [member, form] of filled) properties[member] = { ...properties[member], ...form };
  return { ...schema, properties, required: [...new Set([...(schema.required ?? []), ...filled.map(([member]) => member)])] };
}
