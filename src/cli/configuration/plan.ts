import type { Config } from '../../config.ts';
import { parseAny } from '../arguments/arguments.ts';
import { createClient } from '../service/client.ts';
import { explain, pretty, show } from '../shown/output.ts';
import { askAbout, documentOf, filesOf, stateIn } from './files.ts';
import { planText, type ShownPlan, summary } from './shown.ts';

/** There is something to change. */
const DIFFERS = 8;

/** Shows what files would change. */
export async function planConfiguration(args: string[], config: Config): Promise<number> {
  const { values, positionals } = parseAny(args, { prune: { type: 'boolean' }, state: { type: 'string' }, json: { type: 'boolean' } });
  const files = await filesOf(positionals);
  const body = { document: documentOf(files, config), prune: values.prune === true, ...stateIn(values.state) };
  const { data } = await askAbout<{ data: ShownPlan }>(createClient(config), files, '/api/v1/datasync/config/plan', body);
  show(values.json ? pretty(data) : planText(data));
  if (!values.json) {
    explain(summary(data.changes, false));
    if (data.changes.length > 0) explain(`\`syncline apply\` does it; with --digest ${data.digest} only if it is still this.`);
  }
  return data.changes.length === 0 ? 0 : DIFFERS;
}
