import { fenced, OutsideError } from '../../../outside/errors.ts';
import { numberOf } from '../wire/server-errors.ts';

// What has become of changes that were not read in time. Each says what happened, to what, and what follows.

const ANEW = 'The streams have to be read anew, and are followed from there.';

export function logPurged(file: string): OutsideError {
  return new OutsideError('gap', 'LOG_PURGED', `The server has removed "${file}" of its binary log before it was read. ${ANEW}`, {
    hint: 'Let the server keep its log for longer: binlog_expire_logs_seconds (expire_logs_days), or the retention of the managed server.',
  });
}

export function logReset(file: string): OutsideError {
  return new OutsideError(
    'gap',
    'LOG_RESET',
    `The binary log of the server was numbered anew: "${file}" is not the file that was read before. ${ANEW}`,
    { hint: 'RESET MASTER (RESET BINARY LOGS) does that, and so does a server that was replaced by a copy.' },
  );
}

export function serverChanged(detail: string): OutsideError {
  return new OutsideError('gap', 'SERVER_CHANGED', `Another server answers than the one that was followed, and ${detail}. ${ANEW}`, {
    hint: 'After a failover one goes on without a gap where both servers number transactions (GTID) and the new one has all of the old (log_slave_updates, log_replica_updates).',
  });
}

export function logIncident(): OutsideError {
  return new OutsideError('gap', 'LOG_INCIDENT', `The server says that changes are missing in its binary log. ${ANEW}`, {
    hint: 'Look into the error log of the server: it could not write to its binary log for a while.',
  });
}

export function rolledBackLate(): OutsideError {
  return new OutsideError('gap', 'ROLLED_BACK_LATE', `The log has taken back a part of a large transaction after it was read. ${ANEW}`);
}

interface LostWords {
  readonly code: string;
  /** Behind the name of the table. */
  readonly what: string;
  readonly hint: string;
}

/** What may happen to one stream that the log does not tell row by row. */
const LOST = {
  dropped: { code: 'TABLE_DROPPED', what: 'was dropped', hint: 'When it is there again, it is read anew.' },
  replaced: { code: 'TABLE_REPLACED', what: 'was renamed, or another table got its name', hint: 'Tools that alter large tables do that.' },
  cut: {
    code: 'PARTITION_CHANGED',
    what: 'has got or lost rows by a change of its partitions or its tablespace',
    hint: 'Such rows are not in the log.',
  },
  statement: {
    code: 'STATEMENT_LOGGED',
    what: 'was changed by a statement of which the rows were not logged',
    hint: 'A session has set binlog_format to another value than ROW. Take away the right to do so, or the statement that does it.',
  },
  image: {
    code: 'LOG_IMAGE',
    what: 'was changed by a session that logs rows in part',
    hint: "It has set binlog_row_image to another value than FULL. Run SET GLOBAL binlog_row_image = 'FULL', and let applications connect anew.",
  },
  'partial-json': {
    code: 'LOG_IMAGE',
    what: 'was changed by updates of which only a part was logged',
    hint: "Run SET GLOBAL binlog_row_value_options = '', and let applications connect anew.",
  },
  prepared: {
    code: 'XA_PREPARED',
    what: 'was changed by a distributed transaction (XA), whose rows are logged before it is committed',
    hint: 'Tables that such transactions change are better followed in another mode.',
  },
  cascade: {
    code: 'CASCADE_NOT_LOGGED',
    what: 'refers to rows that were deleted or got another key, and what its foreign key did then (CASCADE, SET NULL) is not in the log',
    hint: 'Let the application delete such rows itself, and the foreign key refuse (ON DELETE RESTRICT); or choose another mode for this table.',
  },
  unknown: {
    code: 'LAYOUT_UNKNOWN',
    what: 'has been altered since its rows were logged, and the log does not tell its columns',
    hint: "Run SET GLOBAL binlog_row_metadata = 'FULL': then the log tells the names of columns.",
  },
} as const satisfies Record<string, LostWords>;

export type LostReason = keyof typeof LOST;

export function lostStream(reason: LostReason, stream: string, detail?: string): OutsideError {
  const { code, what, hint } = LOST[reason];
  const message = `The table "${stream}" ${what}${detail === undefined ? '' : `: ${detail}`}. It has to be read anew, and is followed from there.`;
  return new OutsideError('gap', code, message, { hint, streams: [stream] });
}

const READING_FAILED = 1236;

/** What the server says when it cannot send its log. */
export function dumpError(error: unknown, file: string): unknown {
  if (!(error instanceof OutsideError)) return error;
  const words = error.message;
  // MariaDB has a number of its own for it.
  if (/same server_(uu)?id|A (slave|replica) with the same/i.test(words)) return fenced(error);
  if (numberOf(error) !== READING_FAILED) return error;
  if (/purged|could not find (first )?log file|Could not find GTID state/i.test(words)) return logPurged(file);
  if (/which is not in the master|diverged|has more GTIDs|errant|missing the GTID/i.test(words))
    return serverChanged('it does not have what was read from the old one');
  if (/impossible position|position > file size|bogus data|not a binary log|beyond|start replication from/i.test(words))
    return logReset(file);
  if (/max_allowed_packet/i.test(words))
    return new OutsideError('config', 'EVENT_TOO_LARGE', 'An event of the log is larger than the server sends (max_allowed_packet).', {
      hint: 'Raise max_allowed_packet of the server.',
    });
  return new OutsideError('transient', 'LOG_UNREADABLE', words, { cause: READING_FAILED });
}
