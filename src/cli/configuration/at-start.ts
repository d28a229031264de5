import type { App } from '../../app.ts';
import type { Config } from '../../config.ts';
import { placed } from '../../configuration/lint.ts';
import { actorCalled, type Caller } from '../../http/caller.ts';
import { AppError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { CliError } from '../errors.ts';
import { documentOf, faultLines, filesOf } from './files.ts';

/** The operator, who may do everything. */
const OPERATOR: Caller = {
  id: 'SYNCLINE_CONFIG',
  scopes: new Set(['admin']),
  rateLimit: undefined,
  actor: () => actorCalled('SYNCLINE_CONFIG'),
  tellRead: () => {},
};

const TRIES = 3;

/** Makes the service as the files of `SYNCLINE_CONFIG` say, before it answers anybody. Nothing is ever deleted by it. */
export async function applyAtStart({ configuration }: Pick<App, 'configuration'>, config: Config, log: Logger): Promise<void> {
  if (config.configFiles === undefined || config.role === 'worker') return;
  const files = await filesOf([config.configFiles]);
  try {
    const { plan, made } = await applied(configuration, documentOf(files, config));
    for (const warning of plan.warnings) log.warn(warning);
    const changes = plan.changes.map(({ action, section, name }) => `${action} ${section} ${name}`);
    log.info({ changes }, plan.changes.length === 0 ? 'the configuration is as SYNCLINE_CONFIG says' : 'applied SYNCLINE_CONFIG');
    // What is shown once is not for logs.
    for (const { section, name } of made) log.warn({ section, name }, 'made with a secret that nobody was shown: rotate it to get one');
  } catch (error) {
    const faults = error instanceof AppError ? (error.details.errors ?? []) : [];
    if (faults.length === 0) throw error;
    throw new CliError(faultLines(faults.map((fault) => placed(files, fault))));
  }
}

/** Nodes that start together do the same: the others find it done when they look again. */
async function applied(configuration: App['configuration'], document: object): ReturnType<App['configuration']['apply']> {
  for (let tries = 1; ; tries++) {
    try {
      return await configuration.apply(OPERATOR, { document, prune: false });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'CONFLICT' || tries === TRIES) throw error;
    }
  }
}
