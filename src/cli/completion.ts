import type { CliCommand } from './command.ts';
import { UsageError } from './errors.ts';
import { show } from './shown/output.ts';
import { waysOf } from './ways.ts';

type Commands = Readonly<Record<string, CliCommand>>;

/** What may stand behind some words: commands, actions, options. */
interface Choice {
  /** The command, and the action where it has some. */
  before: string;
  /** Whether anything may stand between: names, ids, files. */
  isOpen: boolean;
  words: readonly string[];
}

const SHELLS: Readonly<Record<string, (choices: readonly Choice[]) => string>> = { bash, zsh, fish };

/** Prints what makes a shell complete our commands. It is made of how they are called, so it knows all there is. */
export async function completion([shell, ...others]: string[], commands: Commands): Promise<number> {
  const script = shell !== undefined && Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (!script || others.length > 0) throw new UsageError(`Say for which shell: ${Object.keys(SHELLS).join(', ')}.`);
  show(script(choices(commands)));
  return 0;
}

function choices(commands: Commands): Choice[] {
  const names = [...Object.keys(commands), 'help', 'version'];
  return [{ before: '', isOpen: false, words: names }, ...Object.entries(commands).flatMap(([name, command]) => choicesOf(name, command))];
}

function choicesOf(name: string, command: CliCommand): Choice[] {
  const { ways } = waysOf(name, command);
  const byAction = Map.groupBy(ways, ({ action }) => action);
  const actions = [...byAction.keys()].filter((action) => action !== undefined);
  // Of a command without actions its own words are offered: `completion bash`.
  const first = actions.length > 0 ? actions : [...(ways[0]?.text.match(/(?<=^syncline \S+ )\w+(\|\w+)+/)?.[0].split('|') ?? [])];
  return [
    {
      before: name,
      isOpen: actions.length === 0,
      words: [...first, ...(actions.length > 0 ? [] : optionsOf(ways.map(({ text }) => text))), '--help'],
    },
    ...actions.map((action) => ({
      before: `${name} ${action}`,
      isOpen: true,
      words: [...optionsOf((byAction.get(action) ?? []).map(({ text }) => text)), '--help'],
    })),
  ];
}

function optionsOf(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.match(/(?<=[[(| ])--[a-z][a-z0-9-]*/g) ?? []))];
}

function bash(all: readonly Choice[]): string {
  const cases = all.map(({ before, isOpen, words }) => `    "${before}"${isOpen ? `|"${before} "*` : ''}) words="${words.join(' ')}" ;;`);
  return `# syncline: source <(syncline completion bash)
_syncline() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    before="\${before:+$before }$word"
  done
  case "$before" in
${cases.join('\n')}
  esac
  # Where only options follow, and none was begun, it may be a file.
  if [ "\${words:0:2}" = "--" ] && [ "\${current:0:1}" != "-" ]; then
    compopt -o default 2>/dev/null
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _syncline syncline
`;
}

function zsh(all: readonly Choice[]): string {
  const cases = all.map(({ before, isOpen, words }) => `    '${before}'${isOpen ? `|'${before} '*` : ''}) choices=(${words.join(' ')}) ;;`);
  return `#compdef syncline
# syncline: source <(syncline completion zsh)
_syncline() {
  local -a choices
  local before="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && break
    before="\${before:+$before }$word"
  done
  case "$before" in
${cases.join('\n')}
  esac
  if [[ $choices[1] == --* && $words[CURRENT] != -* ]]; then
    _files
  else
    compadd -- $choices
  fi
}
compdef _syncline syncline
`;
}

function fish(all: readonly Choice[]): string {
  const lines = all.map(({ before, isOpen, words }) => {
    // Where only options follow, files are offered, too.
    const files = words[0]?.startsWith('--') ? '' : ' -f';
    return `complete -c syncline${files} -n '__syncline_is "${before}" ${isOpen}' -a '${words.join(' ')}'`;
  });
  return `# syncline: syncline completion fish | source
function __syncline_is
  set -l before
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; and break
    set -a before $word
  end
  test "$before" = "$argv[1]"; and return 0
  test $argv[2] = true; and string match -q -- "$argv[1] *" "$before"
end
${lines.join('\n')}
`;
}
