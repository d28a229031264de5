import { placeholders } from '../answer/paths.ts';
import type { HttpConfig, HttpStreamConfig } from './config.ts';
import { isObjectText, pathFaults, type ReportFault } from './value-faults.ts';

/** What the schema cannot tell about where the records of a stream come from. */
export function sourcingFaults(stream: HttpStreamConfig, { streams }: HttpConfig, fault: ReportFault): void {
  fromFaults(stream, streams, fault);
  deletionFaults(stream, streams, fault);
  exportFaults(stream, fault);
}

function fromFaults(
  { name, from, path, incremental, fields }: HttpStreamConfig,
  streams: readonly HttpStreamConfig[],
  fault: ReportFault,
): void {
  if (!from) return;
  const parent = streams.find((candidate) => candidate.name === from.stream);
  if (!parent || from.stream === name) fault('from.stream', 'must be the name of another stream');
  else if (parent.path === undefined) fault('from.stream', 'must be a stream that can be read');
  else if (parent.from) fault('from.stream', 'must not be from another stream itself');
  else if (parent.export && !fields) fault('fields', 'is mandatory: no export is started to find them out');
  if (from.list !== undefined && path !== undefined) fault('path', 'must be left out: the records stand in those of the other stream');
  if (from.list === undefined && path === undefined) fault('path', 'is mandatory, or `from.list`');
  if (from.list !== undefined && from.params.length > 0)
    fault('from.params', 'is only for requests, and the records stand in those of the other stream');
  if (incremental) fault('incremental', 'must be left out: what is new is told by the other stream');
  from.fields.forEach((field, i) => {
    if (fields && !fields.some((candidate) => candidate.name === field.name)) fault(`from.fields[${i}].name`, 'is not among the fields');
  });
}

function deletionFaults(
  { name, key, deleted, deletions, from, incremental }: HttpStreamConfig,
  streams: readonly HttpStreamConfig[],
  fault: ReportFault,
): void {
  if ((deleted || deletions) && key.length === 0) fault('key', 'is mandatory where deletions are told: they name records by it');
  if (!deletions) return;
  if (!incremental && !from) fault('deletions', 'is only for streams that are read incrementally');
  const told = streams.find((candidate) => candidate.name === deletions.stream);
  if (!told || deletions.stream === name) fault('deletions.stream', 'must be the name of another stream');
  else if (!told.incremental) fault('deletions.stream', 'must be a stream with `incremental`, or all deletions would be told each time');
  if (deletions.key.length !== key.length) fault('deletions.key', 'must have as many fields as the key of this stream');
  deletions.key.forEach((field, i) => {
    if (told?.fields && !told.fields.some((candidate) => candidate.name === field))
      fault(`deletions.key[${i}]`, `is not among the fields of "${deletions.stream}"`);
  });
}

function exportFaults({ export: job, paging, from, fields }: HttpStreamConfig, fault: ReportFault): void {
  if (!job) return;
  if (!fields) fault('fields', 'is mandatory: no export is started to find them out');
  if (paging.type !== 'none') fault('paging', 'must be left out: an export is one file');
  if (from) fault('export', 'must be left out: the records come from another stream');
  pathFaults('export.poll_path', job.poll_path, fault);
  for (const name of placeholders(job.poll_path)) if (name !== 'id') fault('export.poll_path', `has {${name}}; only {id} can stand there`);
  const usesId = job.poll_path.includes('{id}') || (job.poll_graphql?.variables ?? '').includes('{id}');
  if (usesId && job.id === undefined) fault('export.id', 'is mandatory: {id} stands for what is found there');
  if (job.poll_graphql?.variables !== undefined && !isObjectText(job.poll_graphql.variables))
    fault('export.poll_graphql.variables', 'must be a JSON object');
  if (job.format !== 'csv' && job.separator !== ',') fault('export.separator', 'is only for CSV');
}
