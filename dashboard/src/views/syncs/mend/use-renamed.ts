import { useApi } from '../../../api/queries.ts';
import { renamedTo } from './renamed.ts';

interface GoneStream {
  readonly source: string;
  readonly target?: string | undefined;
  readonly key?: readonly string[] | undefined;
  readonly fields?: readonly { readonly from?: string | undefined }[] | null;
}

interface Ends {
  sourceId: string;
  targetId: string;
  streams: readonly GoneStream[];
}

/** Whether a stream that a source did not have is there again, or seems to be there under another name. */
export function useRenamed({ sourceId, targetId, streams }: Ends, gone: GoneStream): { isBack: boolean; name: string | undefined } {
  const atSource = useApi('GET /api/v1/datasync/sources/{id}/streams', { params: { id: sourceId }, query: { limit: 1000 } });
  const target = gone.target ?? gone.source;
  // Where all fields are written, the target tells which they were.
  const mapped = gone.fields?.flatMap(({ from }) => from ?? []);
  const atTarget = useApi(
    'GET /api/v1/datasync/sources/{id}/streams',
    { params: { id: targetId }, query: { q: target.slice(0, 200), limit: 1000 } },
    { enabled: !mapped && targetId !== '' },
  );
  const found = atSource.data?.data ?? [];
  const fields = mapped ?? atTarget.data?.data.find(({ name }) => name === target)?.fields.map(({ name }) => name);
  const isBack = found.some(({ name }) => name === gone.source);
  if (isBack || !fields || fields.length === 0) return { isBack, name: undefined };
  const used = new Set(streams.map(({ source }) => source));
  const others = found
    .filter(({ name, readable }) => readable && !used.has(name))
    .map((stream) => ({ name: stream.name, fields: stream.fields.map(({ name }) => name) }));
  return { isBack, name: renamedTo({ name: gone.source, fields, key: gone.key ?? [] }, others) };
}
