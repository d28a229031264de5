import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Input, type OperationName } from '../../api/client.ts';
import { sentenceOf } from '../../api/errors.ts';
import { refresh } from '../../api/queries.ts';
import type { Run, Sync } from '../../api/resources.ts';

/** One of the requests by which the sample is set up, as it was sent. */
export interface Step {
  title: string;
  state: 'ahead' | 'under way' | 'done';
  request?: { operation: OperationName; input: Input<OperationName> };
}

const TITLES = [
  'Write a small shop as CSV files: customers, products, orders',
  'Add the folder of these files as a source',
  'Add an SQLite file as the target',
  'Create a synchronization that runs every 15 minutes',
  'Run it now',
] as const;

const WAREHOUSE = 'sample/warehouse.sqlite';

interface Progress {
  /** How many steps are done. */
  done: number;
  requests: readonly NonNullable<Step['request']>[];
  state: 'ready' | 'working' | 'failed' | 'done';
  error?: Error;
  sync?: Sync;
  run?: Run;
}

/** Sets up the sample by the same requests that any client would send. What is there from an earlier try is used again. */
export function useSample() {
  const client = useQueryClient();
  const [progress, setProgress] = useState<Progress>({ done: 0, requests: [], state: 'ready' });

  const start = async (): Promise<void> => {
    const requests: NonNullable<Step['request']>[] = [];
    const tell = (state: Progress['state'], more: Partial<Progress> = {}): void =>
      setProgress({ done: requests.length, requests: [...requests], state, ...more });
    const send = async <Name extends OperationName>(operation: Name, input: Input<Name>) => {
      const answer = await call(operation, input);
      requests.push({ operation, input: input as Input<OperationName> });
      tell('working');
      return answer;
    };
    const source = async (name: string, type: string, path: string): Promise<string> => {
      const { data: known } = await call('GET /api/v1/datasync/sources', { query: { limit: 1000 } });
      const same = known.find((one) => one.type === type && one.config['path'] === path);
      const body = { name, type, config: { path } };
      if (!same) return (await send('POST /api/v1/datasync/sources', { body })).data.id;
      requests.push({ operation: 'POST /api/v1/datasync/sources', input: { body } });
      return same.id;
    };
    try {
      tell('working');
      const { path, files } = (await send('POST /api/v1/datasync/sample', {})).data;
      const source_id = await source('Sample shop (CSV files)', 'files', path);
      const target_id = await source('Sample warehouse (SQLite)', 'sqlite', WAREHOUSE);
      const streams = files.map(({ name }) => ({ source: name, key: ['id'] }));
      const schedule = { type: 'interval' as const, every: '15m' };
      const { data: sync } = await send('POST /api/v1/datasync/sync', {
        body: { name: 'Sample: shop to warehouse', source_id, target_id, streams, schedule },
      });
      const { data: run } = await send('POST /api/v1/datasync/sync/{id}/runs', { params: { id: sync.id } });
      tell('done', { sync, run });
    } catch (error) {
      tell('failed', { error: error instanceof Error ? error : new Error(sentenceOf(error)) });
    }
    await refresh(client, ['sources', 'syncs', 'runs']);
  };

  const steps = TITLES.map((title, place): Step => {
    const request = progress.requests[place];
    const state = place < progress.done ? 'done' : place === progress.done && progress.state === 'working' ? 'under way' : 'ahead';
    return { title, state, ...(request && { request }) };
  });
  return { ...progress, steps, start };
}
