import type { FieldError } from '../../../lib/errors.ts';
import { withDefaults } from '../../config-values.ts';
import { type HttpConfig, ConfigSchema, type HttpStreamConfig } from './config.ts';
import { placeholders } from '../answer/paths.ts';
import { authFaults } from './auth-faults.ts';
import { mutationFaults, queryFaults } from './graphql-faults.ts';
import { lookupFaults } from './lookup-faults.ts';
import { sourcingFaults } from './sourcing-faults.ts';
import { headerFaults, isObjectText, pathFaults, type ReportFault, urlFaults, valueFaults } from './value-faults.ts';

const SECRET = new Set(['authorization', 'cookie']);

/** What the schema cannot tell. */
export function validate(given: HttpConfig): FieldError[] {
  const config = withDefaults(ConfigSchema, given) as HttpConfig;
  const faults: FieldError[] = [];
  const fault = (field: string, reason: string): void => void faults.push({ field, reason });
  urlFaults('base_url', config.base_url, fault);
  config.headers.forEach(({ name, value }, i) => {
    headerFaults(`headers[${i}].name`, name, fault);
    valueFaults(`headers[${i}].value`, value, fault);
    if (SECRET.has(name.toLowerCase())) fault(`headers[${i}].name`, 'belongs to `auth`, where it is kept secret');
  });
  authFaults(config.auth, fault);
  if (config.tls?.ca !== undefined && !/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.test(config.tls.ca))
    fault('tls.ca', 'must be a certificate in PEM, beginning with -----BEGIN CERTIFICATE-----');
  const names = new Set<string>();
  config.streams.forEach((stream, i) => {
    if (names.has(stream.name)) fault(`streams[${i}].name`, 'is the name of another stream already');
    names.add(stream.name);
    const inStream: ReportFault = (field, reason) => fault(`streams[${i}].${field}`, reason);
    streamFaults(stream, inStream);
    sourcingFaults(stream, config, inStream);
  });
  return faults;
}

function streamFaults(stream: HttpStreamConfig, fault: ReportFault): void {
  const { path, paging, incremental, write } = stream;
  if (path === undefined && !write && !stream.from) fault('path', 'is mandatory unless the stream is only written');
  pathFaults('path', path, fault);
  const given = new Set([...stream.params, ...(stream.from?.params ?? [])].map((param) => param.name));
  for (const name of placeholders(path ?? '')) {
    if (!given.has(name)) fault('path', `has {${name}}, but there is no parameter of that name`);
  }
  if (stream.body !== undefined && !isObjectText(stream.body)) fault('body', 'must be a JSON object');
  if (stream.body !== undefined && stream.method === 'GET') fault('body', 'is only for the method POST');
  if (stream.params_in === 'body' && stream.method === 'GET') fault('params_in', 'can be body only for the method POST');
  if (paging.type === 'cursor' && (paging.next === undefined) === (paging.last_field === undefined))
    fault('paging.next', 'must be given, or last_field instead of it');
  if ('size_param' in paging && (paging.size_param === undefined) !== (paging.size === undefined))
    fault('paging.size', 'goes together with size_param');
  queryFaults(stream, fault);
  fieldFaults(stream, fault);
  if (incremental && path === undefined) fault('incremental', 'needs a path to read from');
  if (path === undefined && !stream.from && (stream.success || stream.errors))
    fault(stream.success ? 'success' : 'errors', 'is about reading, and there is no path to read from; for writing it belongs to `write`');
  if (write) writeFaults(write, stream, fault);
}

function fieldFaults({ fields, key, incremental, paging }: HttpStreamConfig, fault: ReportFault): void {
  if (!fields) return;
  const names = new Set<string>();
  fields.forEach(({ name }, i) => {
    if (names.has(name)) fault(`fields[${i}].name`, 'is the name of another field already');
    names.add(name);
  });
  key.forEach((name, i) => {
    if (!names.has(name)) fault(`key[${i}]`, 'is not among the fields');
  });
  if (incremental && !names.has(incremental.field)) fault('incremental.field', 'is not among the fields');
  if (paging.type === 'cursor' && paging.last_field !== undefined && !names.has(paging.last_field))
    fault('paging.last_field', 'is not among the fields');
}

function writeFaults(write: NonNullable<HttpStreamConfig['write']>, stream: HttpStreamConfig, fault: ReportFault): void {
  const { fields } = stream;
  pathFaults('write.path', write.path, fault);
  pathFaults('write.delete_path', write.delete_path, fault);
  if (write.delete_path !== undefined && placeholders(write.delete_path).length === 0)
    fault('write.delete_path', 'must name the record by a field in braces, such as {id}');
  if (write.batch_size > 1 && placeholders(write.path).length > 0)
    fault('write.batch_size', 'must be 1 where the path names the record by {field}');
  if (write.body !== undefined && !isObjectText(write.body)) fault('write.body', 'must be a JSON object');
  else if (write.body !== undefined && write.wrapper === undefined)
    fault('write.wrapper', 'is mandatory with a body: it says where the record goes');
  mutationFaults(write, fault);
  lookupFaults(write, stream, fault);
  if (write.results !== undefined && write.batch_size === 1) fault('write.results', 'is only for batches');
  for (const name of ['result_success', 'result_errors'] as const)
    if (write[name] !== undefined && write.results === undefined && !write.graphql)
      fault(`write.${name}`, 'is only for batches with `results`, and for `graphql`');
  if (fields?.some(({ name, path }) => (path ?? name) === write.idempotency_field))
    fault('write.idempotency_field', 'is a field of the record already');
  if (write.idempotency_header !== '') headerFaults('write.idempotency_header', write.idempotency_header, fault);
}
