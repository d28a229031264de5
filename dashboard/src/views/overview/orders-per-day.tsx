import { useQueries } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useApi } from '../../api/queries.ts';
import { formatCount, formatDay, plural } from '../../parts/words/format.ts';
import { Section } from '../../parts/page/section.tsx';
import { TimeChart } from '../../parts/chart/time-chart.tsx';
import { useNow } from '../../parts/words/use-now.ts';

const DAYS = 14;

/** How many orders came on each of the last days, by the calendar of the browser. A bar leads to the orders of its day. */
export function OrdersPerDay() {
  const now = useNow();
  const today = daysBefore(now, 0);
  const days = Array.from({ length: DAYS - 1 }, (_, index) => daysBefore(now, DAYS - 1 - index));
  // A day that is over does not change: it is counted once. Only today is counted again when orders come.
  const past = useQueries({
    queries: days.map((day) => ({
      queryKey: ['orders of a day that is over', day.toISOString()],
      queryFn: ({ signal }: { signal: AbortSignal }) => countFrom(day, signal),
    })),
  });
  const latest = useApi('GET /api/v1/orders', { query: { created_from: today.toISOString(), limit: 1 } });
  const counts = [...past.map(({ data }) => data), latest.data?.total];
  const error = latest.error ?? past.find((query) => query.error)?.error;
  // What is not counted is not 0.
  const isCounted = counts.every((count) => count !== undefined);
  const total = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const words = `${plural(total, 'order')} in ${DAYS} days, ${formatCount(latest.data?.total ?? 0)} of them today`;
  return (
    <Section title="Orders per day" about={isCounted ? words : error ? 'Not all days could be counted.' : 'Counting…'}>
      <TimeChart
        kind="bar"
        height={180}
        label={`Orders on each of the last ${DAYS} days`}
        data={[...days, today].map((day, index) => ({ at: formatDay(day), orders: counts[index] ?? 0 }))}
        series={[{ name: 'orders', label: 'Orders', color: 'indigo.5' }]}
        format={formatCount}
        href={(place) => ordersOf(days[place] ?? today)}
        empty={emptyWords(isCounted, error)}
      />
    </Section>
  );
}

function emptyWords(isCounted: boolean, error: Error | null | undefined): { title: string; about: string } {
  if (isCounted)
    return {
      title: `No order came in the last ${DAYS} days.`,
      about: 'Orders come by POST /api/v1/orders, or from a synchronization that writes to the shop.',
    };
  return error
    ? { title: 'The orders could not be counted.', about: error.message }
    : { title: 'Counting…', about: 'The orders of each day are counted.' };
}

async function countFrom(day: Date, signal: AbortSignal): Promise<number> {
  const query = { created_from: day.toISOString(), created_to: daysBefore(day.getTime(), -1).toISOString(), limit: 1 };
  return (await call('GET /api/v1/orders', { query }, { signal })).total;
}

/** The first moment of a day. A day of the calendar is not always 24 hours long. */
function daysBefore(time: number, days: number): Date {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days);
}

function ordersOf(day: Date): string {
  const name = [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
  return `/orders?from=${name}&to=${name}`;
}
