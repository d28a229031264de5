import { addSource, ask, sqliteFile } from '../../support/real-syncs.ts';
import type { Service } from '../../support/service.ts';
import { edit } from './sample-world.ts';

/** The synchronization "People" between two files, for tests of what is done with any. `more` makes other tables at its source. */
export async function addPeopleSync(service: Service, ...more: string[]): Promise<string> {
  const file = sqliteFile(service.place, 'from.sqlite');
  edit(file, 'create table people (id integer primary key)', ...more);
  const source_id = await addSource(service, 'sqlite', { path: file }, 'From');
  const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'to.sqlite') }, 'To');
  return (await ask(service, 'POST', '/sync', { name: 'People', source_id, target_id, streams: [{ source: 'people' }] })).id;
}
