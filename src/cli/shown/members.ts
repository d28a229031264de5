import { printable } from '../../lib/check.ts';
import type { TSchema } from '../../lib/schema.ts';
import { table } from './table.ts';

/** The members of a form, one a line: what each is called, what it takes, and what it is for. */
export function membersTable(schema: TSchema): string {
  return table(['MEMBER', 'TAKES', '', 'MEANS'], rowsOf(schema, ''));
}

function rowsOf(schema: TSchema, before: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]): string[][] => {
    const place = `${before}${printable(name)}`;
    const isNeeded = schema.required?.includes(name) ?? false;
    const row = [
      place,
      kindOf(member),
      isNeeded ? 'mandatory' : '',
      shortened(wordOf(member, 'title') ?? wordOf(member, 'description') ?? ''),
    ];
    return [row, ...(member.type === 'object' && !member.oneOf ? rowsOf(member, `${place}.`) : [])];
  });
}

function kindOf(schema: TSchema): string {
  if ((schema as { writeOnly?: boolean }).writeOnly) return 'a secret';
  if (schema.oneOf) return `one of: ${schema.oneOf.map((one) => wordOf(one, 'title') ?? '?').join(', ')}`;
  const kinds = schema.enum ? schema.enum.map(String).join(' | ') : schema.type === 'array' ? 'a list' : (schema.type ?? 'anything');
  const preset = (schema as { default?: unknown }).default;
  return shortened(
    typeof preset === 'string' || typeof preset === 'number' || typeof preset === 'boolean' ? `${kinds} (${preset})` : kinds,
  );
}

function wordOf(schema: TSchema, name: 'title' | 'description'): string | undefined {
  const word = (schema as Record<string, unknown>)[name];
  return typeof word === 'string' ? word : undefined;
}

const MOST = 70;

function shortened(text: string): string {
  const words = printable(text);
  return words.length > MOST ? `${words.slice(0, MOST - 1)}…` : words;
}
