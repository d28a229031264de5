import { type Section, WORDS } from '../../configuration/document.ts';
import { printable, visible } from '../../lib/check.ts';

export interface ShownChange {
  section: Section;
  name: string;
  action: 'create' | 'update' | 'delete';
  fields: { field: string; before: unknown; after: unknown }[];
  effects: string[];
}

export interface ShownPlan {
  changes: ShownChange[];
  warnings: string[];
  digest: string;
}

const SIGNS = { create: '+', update: '~', delete: '-' };
const LONGEST = 200;

/** A plan as people read it: what is new, what becomes another, what goes. */
export function planText({ changes, warnings }: Pick<ShownPlan, 'changes' | 'warnings'>): string {
  const told = changes.map(({ section, name, action, fields, effects }) => {
    const width = Math.min(60, Math.max(0, ...fields.map(({ field }) => field.length)));
    const lines =
      action === 'delete'
        ? []
        : fields
            .filter(({ before, after }) => before !== null || after !== null)
            .map((change) => `    ${visible(change.field).padEnd(width)}  ${valuesOf(action, change)}`);
    return [
      `${SIGNS[action]} ${WORDS[section]} "${printable(name)}"`,
      ...lines,
      ...effects.map((effect) => `    → ${visible(effect)}`),
    ].join('\n');
  });
  return [...told, ...warnings.map((warning) => `! ${visible(warning)}`)].map((text) => `${text}\n`).join('');
}

function valuesOf(action: ShownChange['action'], { before, after }: { before: unknown; after: unknown }): string {
  return action === 'create' ? text(after) : `${text(before)} → ${text(after)}`;
}

function text(value: unknown): string {
  if (value === null) return '(none)';
  const whole = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole);
}

/** Something that was made, with what is shown of it once. */
export interface MadeThing {
  section: Section;
  name: string;
  secret: string | null;
  url: string | null;
  key: string | null;
}

export function madeText({ section, name, secret, url, key }: MadeThing): string {
  const lines = [
    ...(key === null ? [] : [`  key     ${key}`]),
    ...(url === null ? [] : [`  address ${url}`]),
    ...(secret === null ? [] : [`  secret  ${secret}`]),
  ];
  return lines.length === 0 ? '' : `\nMade for the ${WORDS[section]} "${printable(name)}", and not shown again:\n${lines.join('\n')}\n`;
}

/** How many of each. */
export function summary(changes: readonly ShownChange[], done: boolean): string {
  const count = (action: ShownChange['action']): number => changes.filter((change) => change.action === action).length;
  if (changes.length === 0) return 'Nothing to change: everything is as the files say.';
  const words = done ? ['created', 'changed', 'deleted'] : ['to create', 'to change', 'to delete'];
  const counts = (['create', 'update', 'delete'] as const).map((action, at) => `${count(action)} ${words[at]}`);
  return `${counts.join(', ')}.`;
}
