import assert from 'node:assert/strict';
import pg from 'pg';
import { CHECKPOINT_TABLE } from '../../src/connectors/sql-target/kept.ts';
import { TABLES } from '../crash/sync-workload.ts';

// Witnesses are triggers: they write down what is really committed, in the order in which it is, whatever the service believes. Of a
// transaction that is refused they keep nothing.

const WITNESS_OF_RUNS = `
  create table witness (n bigserial primary key, at timestamptz not null default clock_timestamp(), who text not null default current_setting('application_name'),
    run_id text not null, sync_id text not null,
    status text not null, node text, token bigint, crashes bigint not null, status_before text, lease_before text, token_before bigint);
  create function bear_witness() returns trigger language plpgsql as $$ begin
    if tg_op = 'INSERT' then
      insert into witness (run_id, sync_id, status, node, token, crashes) values (new.id, new.sync_id, new.status, new.node, new.token, new.crashes);
    else
      insert into witness (run_id, sync_id, status, node, token, crashes, status_before, lease_before, token_before)
        values (new.id, new.sync_id, new.status, new.node, new.token, new.crashes, old.status, old.lease_until, old.token);
    end if;
    return null;
  end $$;
  create trigger witness after insert or update on runs for each row execute function bear_witness()`;

/** How long every checkpoint takes, in seconds: a run should be at work when something happens to its node. */
const SLOWNESS = 0.05;

const WITNESS_OF_TARGET = `
  create table witness (n bigserial primary key, at timestamptz not null default clock_timestamp(), xid xid8 not null default pg_current_xact_id(),
    owner text not null, token numeric(20) not null);
  -- A sequence forgets nothing, also when the transaction is refused: what was tried and found no row of this token.
  create sequence tries; create sequence finds;
  create function count_try() returns trigger language plpgsql as $$ begin perform nextval('tries'); return null; end $$;
  create trigger tries before update on ${CHECKPOINT_TABLE} for each statement execute function count_try();
  create function bear_witness() returns trigger language plpgsql as $$ begin
    perform nextval('finds');
    perform pg_sleep(${SLOWNESS});
    insert into witness (owner, token) values (new.owner, new.token);
    return null;
  end $$;
  create trigger witness after insert or update on ${CHECKPOINT_TABLE} for each row execute function bear_witness();
  create table written (xid xid8 not null default pg_current_xact_id(), name text not null);
  create function tell_of_rows() returns trigger language plpgsql as $$ begin
    insert into written (name) values (tg_table_name);
    return null;
  end $$`;

const LONG_AGO = '2000-01-01T00:00:00.000Z';

export interface Witnesses {
  /** The runs that are at work. */
  atWork(): Promise<AtWork[]>;
  /** Ends the leases of these runs, so that nobody has to wait for that. */
  endLeases(runs: readonly AtWork[]): Promise<void>;
  /** Whether another node has claimed a run and written to the target, or there is nothing left to do. */
  isTakenOver(run: AtWork): Promise<boolean>;
  /** How long each run that a node has given back waited for the next one, in milliseconds. */
  handovers(): Promise<number[]>;
  /** Throws when two nodes had a run at the same time, or when a node wrote that had lost its run. */
  testify(): Promise<Testimony>;
  close(): Promise<void>;
}

export interface AtWork {
  id: string;
  sync_id: string;
  /** The name of the node that has claimed it. */
  node: string;
  token: string;
}

/** What there was to see; a proof is worth something only when there was much. */
export interface Testimony {
  claims: number;
  /** Claims of runs that had been taken from a node whose lease was over. */
  takeovers: number;
  /** The longest that such a run waited for the claim, from the end of the lease on, in milliseconds; leases that were ended left out. */
  slowest: number;
  /** Runs that a node has given back. */
  handovers: number;
  commits: number;
  /** Checkpoints that were refused, as their run was another's by then. */
  refused: number;
}

/** Puts witnesses into our own database and into a target, where every stream has been loaded once. */
export async function callWitnesses(ownUrl: string, targetUrl: string): Promise<Witnesses> {
  const own = new Patient(ownUrl);
  const target = new Patient(targetUrl);
  await own.query(WITNESS_OF_RUNS);
  await target.query(WITNESS_OF_TARGET);
  for (const table of Object.values(TABLES))
    await target.query(
      `create trigger tell_of_rows after insert or update or delete or truncate on ${table} for each statement execute function tell_of_rows()`,
    );
  return {
    atWork: () =>
      own.query<AtWork>(`
        select runs.id, runs.sync_id, runs.token::text, witness.who as node from runs
        join witness on run_id = runs.id and witness.token = runs.token and witness.status = 'running' and status_before <> 'running'
        where runs.status = 'running'`),
    endLeases: async (runs) => {
      // As if it had been told for the last time long ago. A node that has claimed it since has another token.
      await own.query(
        `update runs set lease_until = '${LONG_AGO}' where status = 'running' and (id, token::text) in
          (select * from unnest($1::text[], $2::text[]))`,
        [runs.map(({ id }) => id), runs.map(({ token }) => token)],
      );
    },
    isTakenOver: async ({ id, sync_id, token }) => {
      const [run] = await own.query<{ status: string; token: string }>('select status, token::text from runs where id = $1', [id]);
      // It may have come to its end just before.
      if (!run || !['running', 'retrying', 'queued'].includes(run.status)) return true;
      if (run.token === token) return false;
      const later = await target.query(`select 1 from witness where starts_with(owner, $1) and token > $2 limit 1`, [`${sync_id}/`, token]);
      return later.length > 0;
    },
    handovers: async () => {
      const rows = await own.query<{ ms: number }>(`
        select extract(epoch from (select min(at) from witness b where b.run_id = a.run_id and b.n > a.n and b.status <> 'queued') - a.at)::float8 * 1000 as ms
        from witness a where status = 'queued' and status_before = 'running'`);
      return rows.map(({ ms }) => ms);
    },
    testify: async () => ({ ...(await testifyOfRuns(own)), ...(await testifyOfTarget(own, target)) }),
    close: async () => {
      await own.end();
      await target.end();
    },
  };
}

async function testifyOfRuns(own: Patient): Promise<Pick<Testimony, 'claims' | 'takeovers' | 'slowest' | 'handovers'>> {
  const stolen = await own.query(`select * from witness where status = 'running' and status_before = 'running' and token <> token_before`);
  assert.deepEqual(stolen, [], 'a run was claimed that another node had');
  const shared = await own.query(`
    select sync_id, token, array_agg(distinct node) from witness where status = 'running' group by sync_id, token having count(distinct node) > 1`);
  assert.deepEqual(shared, [], 'two nodes had the same token');
  // Only a run whose node was lost is counted as crashed.
  const early = await own.query(`
    select * from witness where status_before = 'running' and status <> 'running' and crashes > 0 and lease_before::timestamptz >= at`);
  assert.deepEqual(early, [], 'a run was taken from a node whose lease was not over');
  const [counts] = await own.query<{ claims: number; takeovers: number; handovers: number }>(`
    select count(*) filter (where status = 'running' and status_before <> 'running')::int as claims,
      count(*) filter (where status = 'running' and status_before = 'retrying' and crashes > 0)::int as takeovers,
      count(*) filter (where status = 'queued' and status_before = 'running')::int as handovers from witness`);
  const [slowest] = await own.query<{ ms: number | null }>(`
    select max(extract(epoch from (select min(at) from witness b where b.run_id = a.run_id and b.n > a.n and status = 'running')
      - lease_before::timestamptz) * 1000)::float8 as ms
    from witness a where status_before = 'running' and status = 'retrying' and crashes > 0 and lease_before <> '${LONG_AGO}'`);
  return { claims: 0, takeovers: 0, handovers: 0, ...counts, slowest: Math.round(slowest?.ms ?? 0) };
}

async function testifyOfTarget(own: Patient, target: Patient): Promise<Pick<Testimony, 'commits' | 'refused'>> {
  const late = await target.query(`
    select * from (select *, max(token) over (partition by owner order by n) as highest from witness) w where token < highest`);
  assert.deepEqual(late, [], 'a node wrote that had lost its run');
  const unguarded = await target.query('select distinct name, xid from written where xid not in (select xid from witness)');
  assert.deepEqual(unguarded, [], 'rows were written without a checkpoint');
  const claims = await own.query<{ sync_id: string; token: string; at: string }>(`
    select sync_id, token::text, min(at)::text as at from witness where status = 'running' group by sync_id, token`);
  const claimed = new Map(claims.map(({ sync_id, token, at }) => [`${sync_id} ${token}`, at]));
  const writes = await target.query<{ owner: string; token: string; at: string; n: number }>(`
    select owner, token::text, min(at)::text as at, count(*)::int as n from witness group by owner, token`);
  for (const { owner, token, at } of writes) {
    const since = claimed.get(`${owner.split('/')[0]} ${token}`);
    assert.ok(since !== undefined && since <= at, `${owner} was written at ${at} with the token ${token}, which was claimed at ${since}`);
  }
  const [counts] = await target.query<{ refused: number }>(
    'select ((select last_value from tries) - (select last_value from finds))::int as refused',
  );
  return { commits: writes.reduce((sum, { n }) => sum + n, 0), refused: counts?.refused ?? 0 };
}

/** A connection that is made anew when the server was killed under it. */
class Patient {
  readonly #url: string;
  #client: pg.Client | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]> {
    if (!this.#client) {
      const client = new pg.Client({ connectionString: this.#url });
      client.on('error', () => this.#forget(client));
      client.on('end', () => this.#forget(client));
      await client.connect();
      this.#client = client;
    }
    const { rows } = await this.#client.query<Row>(text, values);
    return rows;
  }

  async end(): Promise<void> {
    await this.#client?.end();
  }

  #forget(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
  }
}
