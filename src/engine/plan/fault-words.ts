import { sentence } from '../../lib/sentence.ts';
import type { StreamDefinition } from '../definition.ts';
import type { PlanFault } from './end-view.ts';

/** What stands against a stream, for people: places such as `fields[3].from` are for programs. */
export function faultWords({ member, reason }: PlanFault, definition: StreamDefinition): string {
  return sentence(`${placeWords(member, definition)} ${reason}`);
}

function placeWords(member: string, { fields, filter }: StreamDefinition): string {
  const [, list, place] = /^(fields|filter)\[(\d+)\]/.exec(member) ?? [];
  if (list === 'fields') return `the field "${fields?.[Number(place)]?.to ?? ''}"`;
  if (list === 'filter') return `the condition on "${filter[Number(place)]?.field ?? ''}"`;
  return member === 'source' ? 'it' : `its ${OWN[member] ?? member}`;
}

/** How people call what belongs to a stream, where that is not the name of the member. */
const OWN: Readonly<Record<string, string>> = { deletes: 'rule for deleted rows', filter: 'conditions', target: 'target' };
