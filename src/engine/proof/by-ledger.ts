import type { Row } from '../../connectors/canonical.ts';
import { keyOfRow, LineKeys, rowOfKey } from '../delivered/keyed-lines.ts';
import { lastEntries, readLedger, segmentsOf } from '../delivered/ledger.ts';
import type { StreamProof } from '../run.ts';
import type { StreamWork } from '../stream-work.ts';
import { sourceFeed } from './feeds.ts';
import { shownSamples } from './proof-samples.ts';
import { quarantinedKeys } from './quarantined.ts';
import { ProofShape } from './proof-shape.ts';
import { rowsDigest } from './rows-digest.ts';
import type { DifferenceSample } from './suspects.ts';

const MOST_HELD = 100;
const MOST_LOOKS = 3;

/** What one look at the source and the ledger has found. */
interface LedgerLook {
  readonly rows: number;
  readonly digest: string;
  /** The digests of rows that the target has not accepted like this, by their keys; empty for one that is gone. */
  readonly open: ReadonlyMap<string, string>;
  readonly missing: ReadonlySet<string>;
  readonly samples: readonly DifferenceSample[];
  readonly quarantined: number;
}

/** A target that cannot be read back is compared by what it has accepted. What others have done there since nobody knows. */
export async function proveByLedger(work: StreamWork, began: number): Promise<StreamProof> {
  const shape = new ProofShape(work.plan.write.fields, work.plan.write.key);
  let look = await lookAtLedger(work, shape);
  let changing = 0;
  for (let looks = 1; look.open.size > 0 && looks < MOST_LOOKS; looks++) {
    const before = look;
    look = await lookAtLedger(work, shape);
    changing = [...look.open].filter(([key, digest]) => before.open.get(key) !== digest).length;
    if (changing === 0) break;
  }
  const extra = [...look.open.values()].filter((digest) => digest === '').length;
  const missing = look.missing.size;
  return {
    result: look.open.size > changing ? 'differs' : changing > 0 ? 'changing' : 'equal',
    rows: look.rows,
    digest: look.digest,
    missing,
    extra,
    different: look.open.size - extra - missing,
    changing,
    kept: 0,
    quarantined: look.quarantined,
    by: 'ledger',
    position: null,
    duration_ms: Math.round(performance.now() - began),
    samples: shownSamples(shape, look.samples),
  };
}

async function lookAtLedger(work: StreamWork, shape: ProofShape): Promise<LedgerLook> {
  const { fields, key, deletes } = work.plan.write;
  const table = await readLedger(work);
  const keys = new LineKeys(
    fields.map(({ name }) => name),
    key,
    table.marks,
  );
  const quarantine = new Set<string>();
  for await (const mark of quarantinedKeys(work, shape)) quarantine.add(mark);
  const isQuarantined = (values: Row): boolean => quarantine.has(shape.keyMark(values));
  const digest = rowsDigest(true);
  const open = new Map<string, string>();
  const missing = new Set<string>();
  const samples: DifferenceSample[] = [];
  let [rows, quarantined] = [0, 0];
  const feed = sourceFeed(work, {
    read: (lines, count) => {
      digest.add(lines);
      rows += count;
    },
    spare: (spared) => {
      for (const one of spared) table.see(table.findKey(keyOfRow(one)));
    },
  });
  for await (const lines of feed)
    for (const line = keys.of(lines); line.next(); ) {
      const place = table.find(line.mark);
      table.see(place);
      const isSame = table.isSame(place, line.digest);
      if (isSame && open.size === 0) continue;
      const { key: of } = line;
      open.delete(of);
      missing.delete(of);
      if (isSame) continue;
      if (quarantine.size > 0 && isQuarantined(rowOfKey(of))) {
        quarantined++;
        continue;
      }
      open.set(of, line.digestText);
      const isMissing = !table.isThere(place);
      if (isMissing) missing.add(of);
      if (samples.length < MOST_HELD)
        samples.push({ key: of, difference: isMissing ? 'missing' : 'different', source: line.row, target: undefined });
    }
  if (deletes !== 'keep')
    for await (const segment of segmentsOf(work))
      for (const { entry, place } of lastEntries(segment, table)) {
        const gone = entry.key;
        if (!table.isGone(place) || isQuarantined(rowOfKey(gone))) continue;
        open.set(gone, '');
        if (samples.length < MOST_HELD) samples.push({ key: gone, source: undefined, target: keyAsRow(shape, rowOfKey(gone)) });
      }
  return { rows, digest: digest.take(), open, missing, samples: samples.filter((one) => open.has(one.key)), quarantined };
}

/** Of what is gone the ledger knows the key alone. */
function keyAsRow(shape: ProofShape, key: Row): Row {
  return shape.fields.map((_, place) => key[shape.keyPlaces.indexOf(place)] ?? null);
}
