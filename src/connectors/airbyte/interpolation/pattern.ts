import { TemplateError } from './failures.ts';
import { type PatternStep, patternSteps } from '../../../lib/pattern-steps.ts';
import { type ParsedPattern, type PythonPatternSingle, parsePattern } from './pattern-parse.ts';
import { beginTemplate, spend, spendOnText } from './work.ts';

// Regular expressions with groups whose time grows with text × pattern, and never faster: all ways through the pattern are
// followed at once, a character at a time, the preferred one first. JavaScript's own try one way after the other, and a
// short hostile pattern keeps those busy for years.

type Step = PatternStep<PythonPatternSingle>;

interface Program {
  readonly steps: readonly Step[];
  readonly parsed: ParsedPattern;
}

/** Where a pattern's match and its groups begin and end; -1 for a group that is not part of it. */
type Slots = readonly number[];

interface Way {
  readonly step: number;
  readonly slots: Slots;
}

const MOST_STEPS = 3000;
const REMEMBERED = 200;
const known = new Map<string, Program>();

/** The same for a pattern that stands in no template: it has the steps of one to itself. */
export function findPattern(pattern: string, text: string): string | undefined {
  beginTemplate();
  return searchPattern(pattern, text)?.[0];
}

/** The first match in a text and its groups; undefined when there is none. */
export function searchPattern(pattern: string, text: string): (string | undefined)[] | undefined {
  const program = programOf(pattern);
  const slots = search(program.steps, text, 0, -1);
  return slots && groupsOf(text, slots, program.parsed.groups);
}

/** The text with all matches replaced; `\1` and `\g<name>` in the replacement are groups. */
export function replacePattern(pattern: string, text: string, replacement: string): string {
  const program = programOf(pattern);
  let result = '';
  let kept = 0;
  // After a match of nothing another one may not stand at the same place.
  for (let at = 0, notEmptyAt = -1; at <= text.length; ) {
    const slots = search(program.steps, text, at, notEmptyAt);
    if (!slots) break;
    const [start = 0, end = 0] = slots;
    result += text.slice(kept, start) + filled(replacement, groupsOf(text, slots, program.parsed.groups), program.parsed.names);
    spendOnText(result.length);
    kept = end;
    at = end;
    notEmptyAt = end > start ? -1 : end;
  }
  return result + text.slice(kept);
}

function groupsOf(text: string, slots: Slots, groups: number): (string | undefined)[] {
  return Array.from({ length: groups + 1 }, (_, i) => {
    const [start = -1, end = -1] = [slots[2 * i], slots[2 * i + 1]];
    return start < 0 || end < 0 ? undefined : text.slice(start, end);
  });
}

function filled(replacement: string, groups: readonly (string | undefined)[], names: ReadonlyMap<string, number>): string {
  return replacement.replace(
    /\\(?:g<([^>]*)>|(\d{1,2})|([\s\S]))/g,
    (whole, name: string | undefined, digits: string | undefined, other: string | undefined) => {
      if (other !== undefined) return other === '\\' ? '\\' : other === 'n' ? '\n' : other === 't' ? '\t' : whole;
      const index = digits !== undefined ? Number(digits) : /^\d+$/.test(name ?? '') ? Number(name) : names.get(name ?? '');
      if (index === undefined || index >= groups.length)
        throw new TemplateError(`A replacement names the group ${whole}, which its pattern does not have.`);
      return groups[index] ?? '';
    },
  );
}

function programOf(pattern: string): Program {
  const found = known.get(pattern);
  if (found) return found;
  spend(pattern.length * 10);
  const parsed = parsePattern(pattern);
  const steps = patternSteps({ kind: 'group', index: 0, part: parsed.node }, demandRoom);
  const program = { steps, parsed };
  if (known.size >= REMEMBERED) known.clear();
  known.set(pattern, program);
  return program;
}

function demandRoom(count: number): void {
  if (count > MOST_STEPS)
    throw new TemplateError(`A pattern is too large: it has more than ${MOST_STEPS} steps.`, 'Make its repeats smaller.');
}

function search(steps: readonly Step[], text: string, from: number, notEmptyAt: number): Slots | undefined {
  const seen = new Int32Array(steps.length).fill(-1);
  let here: Way[] = [];
  let found: Slots | undefined;
  for (let at = from; ; ) {
    // A pattern may begin anywhere, but an earlier beginning counts more.
    if (!found) follow(steps, { step: 0, slots: [] }, text, at, seen, here);
    spend(here.length + 1);
    const point = text.codePointAt(at);
    const after = at + (point !== undefined && point > 0xffff ? 2 : 1);
    const next: Way[] = [];
    for (const way of here) {
      const step = steps[way.step] as Step;
      if (step.kind === 'match') {
        if (at === notEmptyAt && way.slots[0] === at) continue;
        found = way.slots;
        break;
      }
      if (step.kind === 'character' && point !== undefined && step.test(point))
        follow(steps, { step: way.step + 1, slots: way.slots }, text, after, seen, next);
    }
    if (point === undefined || (found && next.length === 0)) return found;
    here = next;
    at = after;
  }
}

/** Collects the characters that can come next, the preferred first. */
function follow(steps: readonly Step[], from: Way, text: string, at: number, seen: Int32Array, into: Way[]): void {
  const waiting: Way[] = [from];
  for (let way = waiting.pop(); way !== undefined; way = waiting.pop()) {
    spend(1);
    if (seen[way.step] === at) continue;
    seen[way.step] = at;
    const step = steps[way.step] as Step;
    if (step.kind === 'fork') waiting.push({ step: step.second, slots: way.slots }, { step: step.first, slots: way.slots });
    else if (step.kind === 'save') waiting.push({ step: way.step + 1, slots: saved(way.slots, step.slot, at) });
    else if (step.kind !== 'place') into.push(way);
    else if (isAt(step.place, text, at)) waiting.push({ step: way.step + 1, slots: way.slots });
  }
}

function saved(slots: Slots, slot: number, at: number): Slots {
  const copy = [...slots];
  while (copy.length <= slot) copy.push(-1);
  copy[slot] = at;
  spend(copy.length / 8);
  return copy;
}

const WORD = /[\p{L}\p{N}_]/u;

function isAt(place: Extract<PythonPatternSingle, { kind: 'place' }>['place'], text: string, at: number): boolean {
  switch (place) {
    case 'start':
      return at === 0;
    case 'last':
      return at === text.length;
    case 'end':
      return at === text.length || (at === text.length - 1 && text[at] === '\n');
    case 'line-start':
      return at === 0 || text[at - 1] === '\n';
    case 'line-end':
      return at === text.length || text[at] === '\n';
    default: {
      const isEdge = WORD.test(text[at - 1] ?? ' ') !== WORD.test(text[at] ?? ' ');
      return isEdge === (place === 'edge');
    }
  }
}
