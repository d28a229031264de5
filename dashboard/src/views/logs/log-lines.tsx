import './log-lines.css';
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import type { Log } from '../../api/resources.ts';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { formatMoment } from '../../parts/words/format.ts';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';
import { formatLogTime } from './log-text.ts';

const LEVELS: Record<Log['level'], { word: string; tone: string }> = {
  debug: { word: 'Debug', tone: 'waiting' },
  info: { word: 'Info', tone: 'busy' },
  warn: { word: 'Warn', tone: 'warning' },
  error: { word: 'Error', tone: 'bad' },
};

/** Log entries, one below the other. Beside a run there is little room, and it is plain which run it is. */
export function LogLines({ logs, besideRun = false }: { logs: readonly Log[]; besideRun?: boolean }) {
  const { nameOf } = useSyncNames();
  return (
    <ol className="log-lines" {...(besideRun && { 'data-narrow': true })}>
      {logs.map((log) => (
        <li key={log.id} className="log-line">
          <time className="log-time" dateTime={log.time} title={formatMoment(log.time)}>
            {formatLogTime(log.time)}
          </time>
          <span className="log-level" style={{ color: `var(--status-${LEVELS[log.level].tone})` }}>
            {LEVELS[log.level].word}
          </span>
          <div className="log-body">
            <div className="log-message">
              <OutsideText>{log.message}</OutsideText>
            </div>
            <div className="log-about">
              {!besideRun && <Origin log={log} nameOf={nameOf} />}
              {log.data !== null && (
                <details className="log-details">
                  <summary>Details</summary>
                  <pre>{visible(JSON.stringify(log.data, undefined, 2))}</pre>
                </details>
              )}
            </div>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** What an entry is about, with the way there. */
function Origin({ log: { sync_id, run_id, source_id, stream }, nameOf }: { log: Log; nameOf: (id: string) => string }) {
  if (sync_id === null && source_id === null) return null;
  return (
    <div className="log-details">
      {sync_id !== null && (
        <Anchor component={Link} href={`/syncs/${sync_id}`} inherit>
          <OutsideText>{nameOf(sync_id)}</OutsideText>
        </Anchor>
      )}
      {run_id !== null && (
        <>
          {' · '}
          <Anchor component={Link} href={`/runs/${run_id}`} inherit>
            run
          </Anchor>
        </>
      )}
      {source_id !== null && (
        <>
          {sync_id !== null && ' · '}
          <Anchor component={Link} href={`/sources/${source_id}`} inherit>
            source
          </Anchor>
        </>
      )}
      {stream !== null && (
        <>
          {' · '}
          <OutsideText>{stream}</OutsideText>
        </>
      )}
    </div>
  );
}
