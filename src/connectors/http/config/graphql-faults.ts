import type { HttpStreamConfig, WriteConfig } from './config.ts';
import type { GraphqlCall } from './graphql.ts';
import { isObjectText, type ReportFault } from './value-faults.ts';

const NAME = /^[_A-Za-z][_0-9A-Za-z]*$/;
const TYPE = /^[[\]!_0-9A-Za-z\s]+$/;

export function queryFaults({ graphql, body, params_in }: HttpStreamConfig, fault: ReportFault): void {
  if (!graphql) return;
  if (body !== undefined) fault('body', 'is made of `graphql`, so it must be left out');
  if (params_in === 'body') fault('params_in', 'must be left out with `graphql`: parameters go into its variables');
  if (graphql.variables !== undefined && !isObjectText(graphql.variables)) fault('graphql.variables', 'must be a JSON object');
}

/** What the schema cannot tell about mutations. */
export function mutationFaults(write: WriteConfig, fault: ReportFault): void {
  if (write.graphql)
    for (const name of ['wrapper', 'body', 'results'] as const)
      if (write[name] !== undefined) fault(`write.${name}`, 'must be left out with `graphql`, which says what is sent and answered');
  for (const name of ['graphql', 'graphql_delete'] as const)
    callFaults(write[name], (field, reason) => fault(`write.${name}.${field}`, reason));
  if (write.graphql_delete && write.delete_path !== undefined)
    fault('write.graphql_delete', 'is given instead of `delete_path`, not beside it');
  write.graphql_delete?.variables.forEach(({ field }, i) => {
    if (field === undefined) fault(`write.graphql_delete.variables[${i}].field`, 'is mandatory: of what is removed only the key is known');
  });
}

function callFaults(call: GraphqlCall | undefined, fault: ReportFault): void {
  if (!call) return;
  const used = new Set([...call.call.matchAll(/\$([_A-Za-z][_0-9A-Za-z]*)/g)].map(([, name = '']) => name));
  if (!/^[_A-Za-z]/.test(call.call.trim())) fault('call', 'must begin with the name of a field of the mutation');
  call.variables.forEach(({ name, type }, i) => {
    if (!NAME.test(name)) fault(`variables[${i}].name`, 'must be letters, digits and underscores');
    else if (!used.delete(name)) fault(`variables[${i}].name`, 'does not stand in the call, or is there twice');
    if (!TYPE.test(type)) fault(`variables[${i}].type`, 'is not the name of a type');
  });
  for (const name of used) fault('call', `has $${name}, which is not among the variables`);
}
