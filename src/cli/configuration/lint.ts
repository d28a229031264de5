import { lint, lintWarnings } from '../../configuration/lint.ts';
import { printable } from '../../lib/check.ts';
import { parseAny } from '../arguments/arguments.ts';
import { explain, pretty, show } from '../shown/output.ts';
import { counted, faultLines, filesOf } from './files.ts';

/** Checks configuration files by themselves. */
export async function lintConfiguration(args: string[]): Promise<number> {
  const { values, positionals } = parseAny(args, { json: { type: 'boolean' } });
  const files = await filesOf(positionals);
  const faults = lint(files, true);
  if (values.json) show(pretty(faults));
  else if (faults.length > 0) show(`${faultLines(faults)}\n`);
  if (!values.json)
    explain(
      faults.length === 0 ? `Nothing is wrong with ${files.files.map(({ file }) => file).join(', ')}.` : `\n${counted(faults.length)}.`,
    );
  for (const warning of lintWarnings(files)) explain(printable(warning));
  return faults.length === 0 ? 0 : 1;
}
