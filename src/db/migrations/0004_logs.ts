import type { Migration } from '../migration.ts';

export const logs: Migration = {
  number: 4,
  name: 'logs',
  statements: (type, engine) => [
    // `seq` counts 1, 2, 3 … in the order of commit and `time` never goes back, so a range of times is a range of numbers.
    `create table logs (
      seq ${type.sequence}, time ${type.text} not null, level ${type.text} not null, sync_id ${type.text}, run_id ${type.text},
      source_id ${type.text}, stream ${type.text}, message ${type.text} not null, data ${type.json}${engine === 'postgres' ? ', words tsvector not null' : ''})`,
    `create index logs_level on logs (level, seq)`,
    `create index logs_sync on logs (sync_id, level, seq) where sync_id is not null`,
    `create index logs_run on logs (run_id, seq) where run_id is not null`,
    `create index logs_source on logs (source_id, level, seq) where source_id is not null`,
    // What `q` looks into. We cut messages into words ourselves, so that both engines find the same.
    engine === 'postgres'
      ? `create index logs_words on logs using gin (words) with (gin_pending_list_limit = 1024)`
      : `create virtual table log_words using fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '#_'")`,

    // The last number and the last time. A writer holds this row until the commit.
    `create table log_head (seq bigint not null, time ${type.text} not null)`,
    `insert into log_head (seq, time) values (0, '')`,
    // The time of every so many entries: from there it is not far to any other.
    `create table log_marks (time ${type.text} not null, seq bigint not null, primary key (time, seq))${type.clustered}`,
    // How many entries of each level a block of numbers holds, for each subject: all, a synchronization, a source, or both.
    `create table log_counts (
      subject ${type.text} not null, level ${type.text} not null, block bigint not null, n bigint not null,
      primary key (subject, level, block))${type.clustered}`,
    `create index log_counts_block on log_counts (block)`,

    // All that metrics ask of runs, so that they need not read the runs themselves, which are large.
    `create index runs_figures on runs (
      finished_at, sync_id, status, mode, duration_ms, rows_read, inserted, updated, deleted, unchanged, rejected, bytes)
      where finished_at is not null and mode <> 'preview'`,
    `create index runs_fresh on runs (sync_id, id, started_at) where status in ('succeeded', 'partial') and mode in ('run', 'full')`,
  ],
};
