import type { WriteRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { Checkpoint, type CheckpointRow } from '../../sql-target/checkpoint.ts';
import { CHECKPOINT_TABLE, type Kept } from '../../sql-target/kept.ts';
import { takingOver } from './evict.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import { numberOf } from '../wire/server-errors.ts';
import { exactCollation } from './column-definition.ts';
import { transaction } from './transaction.ts';
import type { Wire } from '../wire/connection.ts';

const TABLE = quote(CHECKPOINT_TABLE);
const DUPLICATE_COLUMN = 1060;

type Claim = Pick<WriteRequest, 'owner' | 'token' | 'fences'>;

/** The checkpoint of a claim. The table for it is made where it is missing. */
export async function checkpointOf(wire: Wire, { owner, token, fences = [] }: Claim): Promise<Checkpoint> {
  if (owner.length > 512) throw new OutsideError('config', 'OWNER_TOO_LONG', 'The name of the owner is longer than 512 characters.');
  await ensureTable(wire);
  const rowOf = (name: string): CheckpointRow => checkpointRow(wire, { owner: name, token });
  return new Checkpoint(rowOf(owner), fences.map(rowOf));
}

function checkpointRow(wire: Wire, { owner, token }: Claim): CheckpointRow {
  const isOurs = `owner = ${textLiteral(owner)} and token = ${token}`;
  return {
    take: () => takingOver(wire, { owner, token }, () => transaction(wire, () => take(wire, { owner, token }))),
    isOurs: async () => (await wire.rows(`select 1 from ${TABLE} where ${isOurs} for update`)).length > 0,
    state: async () => {
      const [row] = await wire.rows(`select state from ${TABLE} where ${isOurs} for update`);
      return row && (row[0] ?? null);
    },
    change: async (values) => {
      const sets = Object.entries(values).map(([name, value]) => `${name} = ${value === null ? 'null' : textLiteral(value)}`);
      // The server counts rows that are another than before: with `writes` it always is.
      const { affected } = await wire.run(
        `update ${TABLE} set ${sets.join(', ')}, writes = writes + 1, updated_at = utc_timestamp(6) where ${isOurs}`,
      );
      return affected === 1;
    },
  };
}

async function take(wire: Wire, { owner, token }: Claim): Promise<Kept | undefined> {
  const name = textLiteral(owner);
  await wire.run(
    `insert into ${TABLE} (owner, token, updated_at) values (${name}, ${token}, utc_timestamp(6)) on duplicate key update writes = writes + 1`,
  );
  const [[stored, position, note, state] = []] = await wire.rows(
    `select token, position, note, state from ${TABLE} where owner = ${name} for update`,
  );
  if (stored == null || BigInt(stored) > token) return undefined;
  await wire.run(`update ${TABLE} set token = ${token} where owner = ${name}`);
  return { position: position ?? undefined, note: note ?? undefined, state: state ?? undefined };
}

async function ensureTable(wire: Wire): Promise<void> {
  const columns = await wire.rows(
    `select column_name from information_schema.columns where table_schema = database() and table_name = ${textLiteral(CHECKPOINT_TABLE)}`,
  );
  // Making or changing it needs a right that writing does not.
  if (columns.length === 0) {
    await wire.run(
      `create table if not exists ${TABLE} (owner varchar(512) ${exactCollation(wire)} not null primary key, token decimal(39,0) not null, ` +
        'position longtext null, note longtext null, state longtext null, writes bigint not null default 0, updated_at datetime(6) not null) ' +
        `engine = InnoDB row_format = dynamic default ${exactCollation(wire)}`,
    );
  } else if (!columns.some(([name]) => name === 'note')) {
    // An older Syncline made it. Another writer may add the column at the same moment.
    await wire.run(`alter table ${TABLE} add column note longtext null`).catch((error: unknown) => {
      if (numberOf(error) !== DUPLICATE_COLUMN) throw error;
    });
  }
}
