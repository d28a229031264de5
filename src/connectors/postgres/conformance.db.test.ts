import { conformance } from '../conformance.ts';
import { proxyTo } from '../conformance/proxy.ts';
import { connector } from './connector.ts';
import { parseStreamName, quoteName, quoteRelation, streamName } from './catalogue/names.ts';
import { startLogDatabase } from '../../../test/support/postgres-log.ts';
import { statementOf } from '../../../test/support/source-changes.ts';

conformance('postgres', {
  connector,
  start: async () => {
    const database = await startLogDatabase();
    const writer = await database.client();
    const proxy = await proxyTo(database.config.port ?? 0);
    return {
      config: { ...database.config, port: proxy.port },
      nameOf: (plain) => streamName({ schema: 'public', name: plain }),
      cut: async () => proxy.cut(),
      // Everything of a batch is one message that ends with the update of the checkpoint, in a transaction of its own.
      breakCommit: async (moment) => proxy.cutAt(/_syncline_checkpoints/, moment),
      connections: async () => proxy.connections(),
      analyze: (stream) => database.run(`analyze ${quoteRelation(parseStreamName(stream.name, 'public'))}`),
      transact: async (changes) => {
        await writer.query('begin');
        for (const change of changes) {
          const { sql, values } = statementOf(change, {
            table: (stream) => quoteRelation(parseStreamName(stream, 'public')),
            column: quoteName,
            parameter: (number) => `$${number}`,
          });
          await writer.query(sql, values);
        }
        await writer.query('commit');
      },
      outOfOrder: async (stream, early, late) => {
        const clients = [await database.client(), await database.client()];
        const insert = async (client: (typeof clients)[number], row: typeof early): Promise<void> => {
          const table = quoteRelation(parseStreamName(stream.name, 'public'));
          const values = row.map((_, i) => `$${i + 1}`).join(', ');
          await client.query('begin');
          await client.query(
            `insert into ${table} (${stream.fields.map(({ name }) => quoteName(name)).join(', ')}) values (${values})`,
            row as string[],
          );
        };
        const [first, second] = clients as [(typeof clients)[number], (typeof clients)[number]];
        await insert(first, early);
        await insert(second, late);
        await second.query('commit');
        return async () => {
          await first.query('commit');
        };
      },
      close: async () => {
        await proxy.close();
        await database.close();
      },
    };
  },
});
