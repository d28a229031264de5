import { family } from './text-format.ts';

/** What this node has heard of other systems. */
export interface HookFigures {
  readonly accepted: number;
  readonly duplicates: number;
  readonly refused: Readonly<Record<string, number>>;
}

export function hookFamilies({ accepted, duplicates, refused }: HookFigures): string {
  return [
    family('syncline_hook_calls_total', 'counter', 'Calls of hooks that this node has taken and kept.', [{ value: accepted }]),
    family('syncline_hook_duplicates_total', 'counter', 'Calls that were there already, by the id of their sender.', [
      { value: duplicates },
    ]),
    family(
      'syncline_hook_refused_total',
      'counter',
      'Calls that were not taken, by what is wrong with the signature: missing, malformed, wrong, or of a time that is too far off.',
      Object.entries(refused).map(([reason, value]) => ({ labels: { reason }, value })),
    ),
  ].join('');
}
