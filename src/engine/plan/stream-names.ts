import { type Naming, partsOf, qualifiedName } from '../../connectors/naming.ts';

/** How names are made at one end: by its connector, and by its configuration. */
export interface EndNaming extends Naming {
  /** Where tables without a schema go; undefined where there are no schemas. */
  readonly schema: string | undefined;
}

export function endNaming(naming: Naming, config: unknown): EndNaming {
  const { schemas } = naming;
  const named = schemas && (config as Record<string, readonly string[] | undefined>)[schemas.member];
  return { ...naming, schema: named?.[0] ?? schemas?.default };
}

/** A name as discovery spells it: with its schema, where there are some. */
export function fullName(name: string, { schema }: EndNaming): string {
  if (schema === undefined) return name;
  const parts = partsOf(name);
  return parts ? qualifiedName(parts.schema ?? schema, parts.table) : name;
}

/** How a stream of the source is called at the target, when nobody says otherwise: the same, as far as the target can. */
export function defaultTarget(source: string, from: EndNaming, to: EndNaming): string {
  const parts = from.schema === undefined ? undefined : partsOf(source);
  const table = parts?.table ?? source;
  if (to.schema !== undefined) return qualifiedName(parts?.schema ?? to.schema, table);
  return (to.replaces ?? []).reduce((name, { pattern, by }) => name.replaceAll(new RegExp(pattern, 'gu'), by), table);
}
