import { spend, spendOnPattern } from './work.ts';
import { type PatternStep, patternSteps } from '../../lib/pattern-steps.ts';
import { parsePattern, type PatternSingle } from './pattern-parse.ts';

// Regular expressions whose time grows with text × pattern, and never faster: all ways through the pattern are followed at
// the same time, a character at a time, as RE2 does. JavaScript's own try one way after the other, and a short hostile
// pattern keeps those busy for years.

type Step = PatternStep<PatternSingle>;

/** Patterns with more steps than this are refused. */
const MAX_STEPS = 2000;
const REMEMBERED = 100;
const known = new Map<string, (text: string) => boolean>();

/** The test that a pattern stands for; it throws an ExpressionError when the pattern is none. */
export function patternOf(pattern: string): (text: string) => boolean {
  const found = known.get(pattern);
  if (found) return found;
  // Reading it takes more than a test does.
  spend(pattern.length * 100);
  const steps = patternSteps(parsePattern(pattern, MAX_STEPS));
  spend(steps.length * 10);
  const test = (text: string): boolean => runs(steps, text);
  // Patterns that come from data are as many as the rows.
  if (known.size >= REMEMBERED) known.clear();
  known.set(pattern, test);
  return test;
}

function runs(steps: readonly Step[], text: string): boolean {
  // Where each step was seen last, so that none is followed twice at the same place.
  const seen = new Int32Array(steps.length).fill(-1);
  let here: number[] = [];
  for (let at = 0; ; ) {
    const next: number[] = [];
    // A pattern may begin anywhere in the text.
    if (follow(steps, 0, text, at, seen, here)) return true;
    if (at >= text.length) return false;
    let work = 0;
    const point = text.codePointAt(at) as number;
    const after = at + (point > 0xffff ? 2 : 1);
    for (const index of here) {
      const step = steps[index] as Extract<Step, { kind: 'character' }>;
      work += step.cost;
      if (step.test(point) && follow(steps, index + 1, text, after, seen, next)) return true;
    }
    spendOnPattern(work);
    here = next;
    at = after;
  }
}

/** Collects the characters that can come next, from a step on; true when the end is reached. */
function follow(steps: readonly Step[], from: number, text: string, at: number, seen: Int32Array, into: number[]): boolean {
  const waiting = [from];
  let work = 0;
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    work++;
    if (seen[index] === at) continue;
    seen[index] = at;
    const step = steps[index] as Step;
    if (step.kind === 'match') return true;
    if (step.kind === 'character') into.push(index);
    else if (step.kind === 'fork') waiting.push(step.second, step.first);
    else if (step.kind === 'place' && isAt(step.place, text, at)) waiting.push(index + 1);
  }
  spendOnPattern(work);
  return false;
}

function isAt(place: 'start' | 'end' | 'edge' | 'inside', text: string, at: number): boolean {
  if (place === 'start') return at === 0;
  if (place === 'end') return at === text.length;
  const isEdge = WORD.test(text[at - 1] ?? ' ') !== WORD.test(text[at] ?? ' ');
  return isEdge === (place === 'edge');
}

const WORD = /\w/;
