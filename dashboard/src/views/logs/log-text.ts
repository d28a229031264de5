import type { Log } from '../../api/resources.ts';
import { visible } from '../../parts/words/visible.ts';

/** Entries as lines of text, oldest first as in a file. What could not be seen is written out: it may be pasted into a shell. */
export function logText(logs: readonly Log[]): string {
  return logs
    .toReversed()
    .map(({ time, level, sync_id, run_id, source_id, stream, message, data }) => {
      const of = [sync_id, run_id, source_id, stream].filter((part) => part !== null).join(' ');
      const more = data === null ? '' : ` ${JSON.stringify(data)}`;
      const text = `${time} ${level.toUpperCase().padEnd(5)} ${of && `[${of}] `}${message}${more}`;
      // A message of several lines stays one entry: what it holds cannot pass for another. And pasted into a spreadsheet, no cell
      // begins with what another person wrote: it could be a formula.
      return `${visible(text).replaceAll('\t', '    ').replaceAll('\n', '\n    | ')}\n`;
    })
    .join('');
}

const moment = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

/** `01 Nov, 09:30:00.123` */
export function formatLogTime(time: string): string {
  return moment.format(new Date(time));
}
