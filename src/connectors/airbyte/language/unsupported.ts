import { OF_DATA } from './custom-classes.ts';
import { reductionFault } from './page-size-reduction.ts';

/** A part of the language that Syncline does not have. */
interface Unsupported {
  /** Its type, or the member that holds it. */
  readonly part: string;
  /** What is wrong with it, behind "cannot be read:". */
  readonly reason: string;
}

/** Parts that would make a stream other than the manifest means it, if they were passed over; by their types. */
const TYPES: Readonly<Record<string, string>> = {
  RateLimitedMultipleTokenAuthenticator:
    'it takes turns with several tokens (RateLimitedMultipleTokenAuthenticator), which Syncline does not do',
};
/** The same by the members that hold them. */
const MEMBERS: Readonly<Record<string, string>> = {
  truncated_list_retriever:
    'it fetches the rest of lists that are cut off in their records (truncated_list_retriever), which Syncline does not do',
};

/** What a component and its parts have that cannot be run, each once. */
export function unsupportedIn(component: unknown): Unsupported[] {
  const found = new Map<string, Unsupported>();
  collect(component, found);
  return [...found.values()];
}

function collect(node: unknown, found: Map<string, Unsupported>): void {
  if (Array.isArray(node)) {
    for (const item of node) collect(item, found);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const { type } = node as { type?: unknown };
  const ofType = typeof type === 'string' ? TYPES[type] : undefined;
  if (typeof type === 'string' && ofType !== undefined) found.set(type, { part: type, reason: ofType });
  const fault = reductionFault(node as Readonly<Record<string, unknown>>);
  if (fault !== undefined) found.set('page_size_reduction', { part: 'page_size_reduction', reason: fault });
  for (const [name, member] of Object.entries(node)) {
    const ofMember = MEMBERS[name];
    if (ofMember !== undefined && member !== null) found.set(name, { part: name, reason: ofMember });
    if (!OF_DATA.has(name)) collect(member, found);
  }
}
