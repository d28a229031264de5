import { command } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { shareOf } from '../access/share.ts';
import { changeSource, type SourceUpdate } from '../sources/commands.ts';
import type { SourceRow } from '../sources/queries.ts';

/** A source changes, and with it its synchronizations: what runs there from now on is the doing of the caller that pointed it there. */
export const updateSource = command(
  import.meta.url,
  'updateSource',
  (tx, input: SourceUpdate): Promise<SourceRow | undefined> =>
    changeSource(tx, input, () =>
      tx.all(sql`update syncs set share_of = ${shareOf(input.actor.id, input)} where source_id = ${input.id} or target_id = ${input.id}`),
    ),
);
