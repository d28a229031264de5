import { Batch } from '../../batch.ts';
import type { Value } from '../../canonical.ts';
import type { LogRequest, LogStream } from '../../changes.ts';
import { BATCH_BYTES, type Context } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import { demandTable } from '../catalogue/discover.ts';
import { literal, quote } from '../catalogue/literals.ts';
import type { MysqlConfig } from '../manifest.ts';
import { LineMaker } from '../read/line-maker.ts';
import { connect } from '../wire/connect.ts';

/** So many keys are asked for in one statement. */
const KEYS = 500;

interface LookUp {
  readonly stream: number;
  readonly keys: readonly (readonly Value[])[];
  readonly fields: readonly string[];
}

/** The rows of these keys as they are now. Those that are gone are missing; a column that is gone is null. */
export async function lookUpRows(
  config: MysqlConfig,
  context: Context,
  request: LogRequest,
  { stream, keys, fields }: LookUp,
): Promise<readonly (readonly Value[])[]> {
  const asked = request.streams[stream] as LogStream;
  const wire = await connect(config, context, { mode: 'read', signal: request.signal });
  try {
    const table = await demandTable(wire, config, asked.stream);
    const column = (name: string): TypedColumn => {
      const found = table.columns.find((each) => each.name === name);
      if (!found) throw new OutsideError('config', 'FIELD_MISSING', `The table "${asked.stream}" has no column "${name}".`);
      return found;
    };
    const present = new Set(table.columns.map(({ name }) => name));
    const wanted = fields.filter((name) => present.has(name)).map(column);
    const places = fields.map((name) => wanted.findIndex((one) => one.name === name));
    const key = asked.key.map(column);
    const rows: (readonly Value[])[] = [];
    const zeroDates = config.zero_dates ?? 'null';
    const emit = ({ lines }: { lines: Buffer }): void => void rows.push(...Batch.ofLines(Buffer.from(lines), { position: '' }).rows);
    const maker = new LineMaker(wanted, { batchBytes: BATCH_BYTES, zeroDates, emit });
    const columns = wanted.map(({ expression }) => expression).join(', ');
    for (let at = 0; at < keys.length; at += KEYS) {
      const conditions = keys
        .slice(at, at + KEYS)
        .map(
          (values) =>
            `(${key.map((part, i) => `${quote(part.name)} <=> ${literal(part.field.type, values[i] ?? null, part.name)}`).join(' and ')})`,
        );
      await wire.stream(`select ${columns} from ${quote(table.name)} where ${conditions.join(' or ')}`, maker);
    }
    maker.flush();
    return rows.map((row) => places.map((place) => row[place] ?? null));
  } finally {
    wire.end();
  }
}
