import type { Config } from '../../config.ts';
import { parseAny } from '../arguments/arguments.ts';
import { createClient } from '../service/client.ts';
import { explain, pretty, show } from '../shown/output.ts';
import { askAbout, documentOf, filesOf, stateIn } from './files.ts';
import { madeText, type MadeThing, planText, type ShownPlan, summary } from './shown.ts';

interface Applied extends Omit<ShownPlan, 'digest'> {
  made: MadeThing[];
}

/** Makes a service as files say. */
export async function applyFiles(args: string[], config: Config): Promise<number> {
  const options = { prune: { type: 'boolean' }, state: { type: 'string' }, digest: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values, positionals } = parseAny(args, options);
  const files = await filesOf(positionals);
  const body = {
    document: documentOf(files, config),
    prune: values.prune === true,
    ...stateIn(values.state),
    ...(values.digest !== undefined && { digest: values.digest }),
  };
  const { data } = await askAbout<{ data: Applied }>(createClient(config), files, '/api/v1/datasync/config/apply', body);
  if (values.json) show(pretty(data));
  else {
    show(planText(data));
    explain(summary(data.changes, true));
    show(data.made.map(madeText).join(''));
  }
  return 0;
}
