import type { Row } from '../../connectors/canonical.ts';
import { shownValue } from '../../connectors/shown-values.ts';
import type { ProofSample } from '../run.ts';
import type { ProofShape } from './proof-shape.ts';
import type { DifferenceSample } from './suspects.ts';

const MOST_SAMPLES = 20;
// They are to be looked at: a value may have megabytes, and nobody reads those.
const MOST_CHARACTERS = 500;
const MOST_IN_ALL = 200_000;

/** Rows that differ, as they are shown: of one that both ends have, the fields in which it differs. */
export function shownSamples(shape: ProofShape, found: Iterable<DifferenceSample>): ProofSample[] {
  const samples: ProofSample[] = [];
  let length = 0;
  for (const one of found) {
    const sample = sampleOf(shape, one);
    length += JSON.stringify(sample).length;
    if (length > MOST_IN_ALL || samples.push(sample) === MOST_SAMPLES) break;
  }
  return samples;
}

function sampleOf(shape: ProofShape, { source, target, difference: told }: DifferenceSample): ProofSample {
  const difference = told ?? (source && target ? 'different' : source ? 'missing' : 'extra');
  const fields = source && target ? shape.differences(source, target) : shape.fields.map(({ name }) => name);
  const key = shape.hasKey ? keyShown(shape, source ?? target ?? []) : null;
  return { difference, key, fields, source: shown(shape, source, fields), target: shown(shape, target, fields) };
}

function keyShown(shape: ProofShape, row: Row): ProofSample['key'] {
  const names = shape.keyPlaces.map((place) => shape.fields[place]?.name ?? '');
  return shown(shape, row, names);
}

function shown(shape: ProofShape, row: Row | undefined, names: readonly string[]): ProofSample['key'] {
  if (!row) return null;
  const values = shape.fields.flatMap(({ name, type }, place) =>
    names.includes(name) ? [[name, shownValue(type, shortened(row[place] ?? null))] as const] : [],
  );
  return Object.fromEntries(values);
}

function shortened(value: string | null): string | null {
  return value !== null && value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS).toWellFormed()}…` : value;
}
