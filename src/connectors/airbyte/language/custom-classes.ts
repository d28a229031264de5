/** The classes of Python that a component and its parts need, each once, in the order in which they are met. */
export function customClassesOf(component: unknown): string[] {
  const found = new Set<string>();
  collect(component, found);
  return [...found];
}

/** What names its own code: `type: CustomTransformation` with `class_name`. */
function collect(node: unknown, found: Set<string>): void {
  if (Array.isArray(node)) {
    for (const item of node) collect(item, found);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const { type, class_name: className } = node as { type?: unknown; class_name?: unknown };
  const isCustom = typeof type === 'string' && type.startsWith('Custom');
  if (typeof className === 'string' && (isCustom || type === undefined)) found.add(className);
  else if (isCustom) found.add(type);
  for (const [name, member] of Object.entries(node)) if (!OF_DATA.has(name)) collect(member, found);
}

/**
 * Members that hold data: what looks like a component in them is none. Migrations of states are left out as well: they are
 * for states that older versions of Airbyte have written, and none of those ever gets here.
 */
export const OF_DATA = new Set(['$parameters', 'schema', 'connection_specification', 'config_overrides', 'state_migrations']);
