import { keepPreviousData, QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { notifyDone, notifyFailed } from '../parts/action/notify.ts';
import { type Answer, call, type Data, type Input, type OperationName } from './client.ts';
import { ApiError } from './errors.ts';
import { isToldOf, topicsOf } from './topics.ts';

/** Nothing is asked again because time passes: the stream of changes says when an answer is out of date. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // The request itself tells whether there is a network.
        networkMode: 'always',
        retry: (failures, error) => error instanceof ApiError && error.isPassing && failures < 3,
        retryDelay: (failures) => Math.min(500 * 2 ** failures, 5000),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

interface QueryOptions {
  /** False asks nothing yet. */
  enabled?: boolean;
  /** Milliseconds after which it is asked again while the page is seen: only for what the stream of changes cannot tell of. It may follow from the answer. */
  every?: number | ((answer: unknown) => number | undefined);
}

/** What an operation answers; asked again when something has changed that it tells of. */
export function useApi<Name extends OperationName>(name: Name, input: Input<Name>, { enabled = true, every }: QueryOptions = {}) {
  return useQuery<Answer<Name>, ApiError>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, { signal }),
    enabled,
    placeholderData: keepPreviousData,
    // What the stream of changes does not tell of is asked again whenever a view shows it.
    refetchOnMount: isToldOf(name) ? true : 'always',
    ...(every !== undefined && { refetchInterval: typeof every === 'number' ? every : ({ state }) => every(state.data) ?? false }),
  });
}

type ListName = { [Name in OperationName]: Answer<Name> extends { next_cursor: string | null } ? Name : never }[OperationName];

interface ListPage {
  /** Which list, with which filters. */
  list: string;
  /** One for each page behind the first. */
  cursors: readonly string[];
}

/** Where in a list one was: kept with the entry of the browser's history, so that the way back leads to the same page. */
function rememberedPlace(list: string): ListPage {
  const { place } = (history.state ?? {}) as { place?: ListPage };
  return place?.list === list ? place : { list, cursors: [] };
}

/** A list, page by page along its cursors; another query begins at the first page. */
export function usePages<Name extends ListName>(name: Name, input: Input<Name>, options: QueryOptions = {}) {
  const list = `${name} ${JSON.stringify(input)}`;
  const [place, setPlace] = useState(() => rememberedPlace(list));
  const cursors = place.list === list ? place.cursors : [];
  const goTo = (next: readonly string[]): void => {
    const there = { list, cursors: next };
    history.replaceState({ ...history.state, place: there }, '');
    setPlace(there);
  };
  const cursor = cursors.at(-1);
  const query = { ...(input as { query?: object }).query, ...(cursor !== undefined && { cursor }) };
  const result = useApi(name, { ...input, query }, options);
  const answer = result.data as { data: Data<Name>; total: number; next_cursor: string | null } | undefined;
  const following = answer?.next_cursor ?? null;
  return {
    ...result,
    rows: answer?.data,
    total: answer?.total,
    /** From 0. */
    page: cursors.length,
    next: following === null || result.isPlaceholderData ? undefined : () => goTo([...cursors, following]),
    previous: cursors.length === 0 ? undefined : () => goTo(cursors.slice(0, -1)),
  };
}

interface ActionOptions<Name extends OperationName> {
  /** Said when it is done. */
  done?: string | ((answer: Answer<Name>) => string);
  onDone?: (answer: Answer<Name>) => void;
  /** A form that shows the error beside what was entered wants no notification of it. */
  quiet?: boolean;
  /** An `Idempotency-Key`, for what must not be done twice when no answer came and a person tries again. */
  once?: string;
}

/** Something that a person does: it says that it is done or why not, and what it may have changed is asked again. */
export function useAction<Name extends OperationName>(name: Name, { done, onDone, quiet = false, once }: ActionOptions<Name> = {}) {
  const client = useQueryClient();
  // The second of two quick clicks comes before the page has drawn that something is under way: what is asked for already is asked for once.
  const underWay = useRef<string>(undefined);
  const mutation = useMutation<Answer<Name>, ApiError, Input<Name>>({
    mutationFn: (input) => call(name, input, { once }),
    onSuccess: async (answer) => {
      if (done !== undefined) notifyDone(typeof done === 'string' ? done : done(answer));
      onDone?.(answer);
      await refresh(client, topicsOf(name));
    },
    onError: (error) => {
      if (!quiet && error.status !== 401) notifyFailed(error.message);
    },
    onSettled: () => {
      underWay.current = undefined;
    },
  });
  const mutate: typeof mutation.mutate = (...given) => {
    const asked = JSON.stringify(given[0]);
    if (underWay.current === asked) return;
    underWay.current = asked;
    mutation.mutate(...given);
  };
  return { ...mutation, mutate };
}

/** Asks again for what tells of these topics and is on the page; the rest when it is next shown. */
export function refresh(client: QueryClient, topics: readonly string[]): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey: [name] }) => topicsOf(name as OperationName).some((topic) => topics.includes(topic)),
  });
}
