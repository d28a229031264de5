import type { Migration } from '../migration.ts';

export const parts: Migration = {
  number: 6,
  name: 'parts',
  statements: (type) => [
    // The parts in which a run copies a large stream, for any node to take. How far each is, the target knows. `split` names the
    // attempt that offers them. A lease is that of a node that helps; what the run's own node works on goes with the run's lease.
    `create table run_parts (
      run_id ${type.text} not null references runs (id) on delete cascade, target ${type.text} not null, part bigint not null,
      split ${type.text} not null, version bigint not null, bounds ${type.json} not null, status ${type.text} not null,
      token bigint not null, node ${type.text}, lease_until ${type.text}, error ${type.text},
      primary key (run_id, target, part))${type.clustered}`,
    `create index run_parts_open on run_parts (status, lease_until) where status in ('waiting', 'running')`,
  ],
};
