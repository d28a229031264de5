/** Says in a schema that some texts of a free-form object are secrets: those whose names are marked in a text beside it, such as a manifest. */
export interface SecretsBy {
  /** The member, beside the object, that has the text. */
  readonly member: string;
  /** What marks a name: `mark: true` among what the text says of it. */
  readonly mark: string;
  /** Where in the text the names are: within the member that is called so. */
  readonly within: string;
  /** Names that are secrets whatever the text says. */
  readonly always?: readonly string[];
}

/**
 * The names that a text in YAML or JSON marks. Undefined when that cannot be told for certain: then every text counts as a secret. The text is not parsed, as it
 * may be large and from anywhere: lines are looked at, once.
 */
export function markedNames(text: unknown, { mark, within }: SecretsBy): ReadonlySet<string> | undefined {
  if (typeof text !== 'string') return undefined;
  const block = blockOf(text.split(/\r?\n/), within);
  if (block === undefined) return isJson(text) ? namesInJson(text, mark, within) : undefined;
  // What is defined elsewhere may be marked there.
  if (block.some((line) => /\$ref|^\s*<<\s*:|:\s*[*&]\w/.test(line))) return undefined;
  const names = new Set<string>();
  const isMark = new RegExp(`^\\s*["']?${mark}["']?\\s*:\\s*(?:true|yes|on)\\b`, 'i');
  for (const [index, line] of block.entries()) {
    if (!line.includes(mark)) continue;
    if (new RegExp(`^\\s*["']?${mark}["']?\\s*:\\s*(?:false|no|off)\\b`, 'i').test(line)) continue;
    const name = isMark.test(line) ? ownerOf(block, index) : undefined;
    if (name === undefined) return undefined;
    names.add(name);
  }
  return names;
}

/** The lines of a member, from the one behind its name to the next one that is no deeper. */
function blockOf(lines: readonly string[], name: string): string[] | undefined {
  const start = lines.findIndex((line) => new RegExp(`^\\s*["']?${name}["']?\\s*:\\s*(?:#.*)?$`).test(line));
  if (start === -1) return undefined;
  const depth = indentOf(lines[start] ?? '');
  const end = lines.findIndex((line, index) => index > start && line.trim() !== '' && !/^\s*#/.test(line) && indentOf(line) <= depth);
  return lines.slice(start + 1, end === -1 ? undefined : end);
}

/** The name above a line that is not as deep. */
function ownerOf(lines: readonly string[], index: number): string | undefined {
  const depth = indentOf(lines[index] ?? '');
  for (let at = index - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || indentOf(line) >= depth) continue;
    return /^\s*(?:- )?\s*["']?([^"':]+)["']?\s*:\s*(?:#.*)?$/.exec(line)?.[1];
  }
  return undefined;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isJson(text: string): boolean {
  return /^\s*\{/.test(text);
}

function namesInJson(text: string, mark: string, within: string): ReadonlySet<string> | undefined {
  try {
    const names = new Set<string>();
    const form = (JSON.parse(text) as { spec?: Record<string, unknown> }).spec?.[within];
    return form !== undefined && collect(form, mark, names, '', 0) ? names : undefined;
  } catch {
    return undefined;
  }
}

const MAX_DEPTH = 50;

/** False where something refers to what is defined elsewhere. */
function collect(value: unknown, mark: string, names: Set<string>, name: string, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_DEPTH || Object.hasOwn(value, '$ref')) return false;
  if ((value as Record<string, unknown>)[mark] === true) names.add(name);
  return Object.entries(value).every(([inner, member]) => collect(member, mark, names, Array.isArray(value) ? name : inner, depth + 1));
}
