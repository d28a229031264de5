import { family } from '../../datasync/metrics/text-format.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { measureEndpoints } from '../rows.ts';
import type { DeliveryFigures } from './figures.ts';

/** Each endpoint is a series of its own: no more than these. */
const MOST_SERIES = 1000;

/** The families of webhooks, in the text format of Prometheus. */
export async function exposeDeliveries(db: Database, clock: Clock, figures: DeliveryFigures): Promise<string> {
  const { statuses, lagging } = await db.query(measureEndpoints, MOST_SERIES);
  const now = clock();
  const { delivered, retried, failed, inFlight } = figures;
  const results = Object.entries({ delivered, retried, failed });
  return [
    family(
      'syncline_webhooks',
      'gauge',
      'Endpoints of webhooks, by status.',
      ['active', 'paused', 'disabled'].map((status) => ({
        labels: { status },
        value: statuses.find((one) => one.status === status)?.n ?? 0,
      })),
    ),
    family(
      'syncline_webhook_deliveries_total',
      'counter',
      'Attempts of this node by what came of them: delivered, failed and tried again, failed for good.',
      results.map(([result, value]) => ({ labels: { result }, value })),
    ),
    family(
      'syncline_webhook_deliveries_in_flight',
      'gauge',
      'Attempts of this node that were under way when results were last written down.',
      [{ value: inFlight }],
    ),
    family(
      'syncline_webhook_lag_seconds',
      'gauge',
      'How old the oldest event is that an active endpoint was not told of yet, or was not looked at for it.',
      lagging.map(({ id, name, waiting, next }) => ({
        labels: { webhook_id: id, webhook: name },
        value: Math.max(0, ...[waiting, next].map((since) => (since === null ? 0 : (now - Date.parse(since)) / 1000))),
      })),
    ),
  ].join('');
}
