import type { Wire } from '../wire/connection.ts';
import { ByteCursor, misread } from './cursor.ts';

// A geometry is kept as the number of its reference system and WKB, x before y. MySQL's st_aswkb, by which a read gets it, turns the axes around where the
// reference system has the latitude first, as most of the earth have; MariaDB's does not.

/** The reference systems whose latitude comes first. */
export async function turnedSystems(wire: Wire): Promise<ReadonlySet<number>> {
  if (wire.isMariaDb) return new Set();
  const rows = await wire.rows(
    "select srs_id, definition from information_schema.st_spatial_reference_systems where definition like 'GEOGCS%'",
  );
  const isTurned = (definition: string): boolean => /AXIS\["[^"]*",\s*(NORTH|SOUTH)\s*\]\s*,\s*AXIS/i.test(definition);
  return new Set(rows.filter(([, definition]) => isTurned(definition ?? '')).map(([id]) => Number(id)));
}

/** The WKB in a stored geometry, as a read gives it. */
export function wkbOf(stored: Buffer, turned: ReadonlySet<number> | undefined): Buffer {
  const wkb = stored.subarray(4);
  if (!turned || stored.length < 4 || !turned.has(stored.readUInt32LE(0))) return wkb;
  const copy = Buffer.from(wkb);
  turn(new ByteCursor(copy), 0);
  return copy;
}

const [POINT, LINE, POLYGON] = [1, 2, 3];
const DEEPEST = 100;

function turn(cursor: ByteCursor, depth: number): void {
  if (depth > DEEPEST || cursor.uint8() !== 1) throw misread('a geometry that is not understood');
  const type = cursor.uint32();
  if (type === POINT) return turnPoint(cursor);
  const count = cursor.uint32();
  for (let i = 0; i < count; i++) {
    if (type === LINE) turnPoint(cursor);
    else if (type === POLYGON) for (let left = cursor.uint32(); left > 0; left--) turnPoint(cursor);
    else turn(cursor, depth + 1);
  }
}

function turnPoint(cursor: ByteCursor): void {
  const { bytes } = cursor;
  const at = cursor.take(16);
  const x = Buffer.from(bytes.subarray(at, at + 8));
  bytes.copy(bytes, at, at + 8, at + 16);
  x.copy(bytes, at + 8);
}
