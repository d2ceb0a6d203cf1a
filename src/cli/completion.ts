import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Argument, Command } from 'commander';
import { addCommands } from './commands.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { resultsFolders } from './find-experiment.js';
import { writeOut } from './print.js';

/** What may stand in a command line after a command's name. */
interface Words {
  description: string;
  options: { flags: string[]; description: string; takesValue: boolean; choices: readonly string[] }[];
  arguments: { name: string; choices: readonly string[]; variadic: boolean }[];
  commands: Record<string, Words>;
}

/** A word that may stand in the place of the last one, and what it is. */
export type Candidate = readonly [word: string, description: string];

/** Written by `npm run build`: loading every command takes seconds. */
export const WORDS_FILE = fileURLToPath(new URL('./words.json', import.meta.url));

function wordsOf(command: Command): Words {
  const help = command.createHelp();
  return {
    description: command.description(),
    options: help.visibleOptions(command).map((option) => ({
      flags: [option.short, option.long].filter((flag) => typeof flag === 'string'),
      description: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
    })),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      choices: argument.argChoices ?? [],
      variadic: argument.variadic,
    })),
    commands: Object.fromEntries(command.commands.map((inner) => [inner.name(), wordsOf(inner)])),
  };
}

/** Collects the words of all commands from their definitions. */
export async function allWords(): Promise<Words> {
  const program = new Command('reprise').version('', '-V, --version', 'output the version number');
  await addCommands(program, 'help', () => undefined);
  return wordsOf(program);
}

/** Lists the names of experiments in the working folder. */
function experiments(): string[] {
  const folders = resultsFolders().filter((folder) => existsSync(folder));
  const entries = folders.flatMap((folder) => readdirSync(folder, { withFileTypes: true }));
  return entries.filter((one) => one.isDirectory() && /^\w[\w.-]*$/.test(one.name)).map(({ name }) => name);
}

/**
 * Lists what the last word of a command line may be; nothing where it is a text or a file.
 * @param words the command line without the program, the last one as far as it is typed
 */
export function candidates(root: Words, words: readonly string[]): Candidate[] {
  const typed = words.at(-1) ?? '';
  let command = root;
  let position = 0;
  let option: Words['options'][number] | undefined;
  for (const word of words.slice(0, -1)) {
    if (option?.takesValue) option = undefined;
    else if (word.startsWith('-')) option = command.options.find(({ flags }) => flags.includes(word));
    else if (position === 0 && Object.hasOwn(command.commands, word))
      command = command.commands[word] as Words;
    else position += 1;
  }
  return possible(command, position, option, typed).filter(([word]) => word.startsWith(typed));
}

function possible(
  command: Words,
  position: number,
  option: Words['options'][number] | undefined,
  typed: string,
): Candidate[] {
  const bare = (words: readonly string[]): Candidate[] => words.map((word) => [word, '']);
  if (option?.takesValue) return bare(option.choices);
  if (typed.startsWith('-'))
    return command.options.flatMap(({ flags, description }) =>
      flags.map((flag): Candidate => [flag, description]),
    );
  const last = command.arguments.at(-1);
  const argument = command.arguments[position] ?? (last?.variadic ? last : undefined);
  const inner = position === 0 ? Object.entries(command.commands) : [];
  return [
    ...inner.map(([name, { description }]): Candidate => [name, description]),
    ...bare(argument?.name === 'id' ? experiments() : (argument?.choices ?? [])),
  ];
}

/** Scripts by shell. Where there is no candidate, the shell completes files. */
const SCRIPTS = {
  bash: `_reprise() {
  COMPREPLY=()
  local candidate
  while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done \\
    < <(reprise completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _reprise reprise
`,
  zsh: `#compdef reprise
_reprise() {
  local -a candidates
  candidates=("\${(@f)$(reprise completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$candidates" ]]; then _describe reprise candidates; else _files; fi
}
if [[ "$funcstack[1]" == _reprise ]]; then _reprise; else compdef _reprise reprise; fi
`,
  fish: `function __reprise_candidates
  set -l words (commandline -opc) (commandline -ct)
  set -l candidates (reprise completion fish -- $words[2..-1] 2>/dev/null)
  if set -q candidates[1]
    printf '%s\\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c reprise -f -a '(__reprise_candidates)'
`,
} as const;

type Shell = keyof typeof SCRIPTS;

/** Formats a candidate as the script of a shell reads it. */
function line(shell: Shell, [word, description]: Candidate): string {
  if (description === '' || shell === 'bash') return word;
  return shell === 'zsh' ? `${word.replaceAll(':', '\\:')}:${description}` : `${word}\t${description}`;
}

export function addCompletionCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .argument('[words...]', 'a command line, whose last word is to be completed; the scripts ask so')
    .addHelpText(
      'after',
      examples(
        'reprise completion bash > ~/.local/share/bash-completion/completions/reprise',
        'reprise completion zsh > ~/.zfunc/_reprise',
        'reprise completion fish > ~/.config/fish/completions/reprise.fish',
      ),
    )
    .action(async (shell: Shell, words: string[]) => {
      if (words.length === 0) writeOut(SCRIPTS[shell]);
      else {
        const root = existsSync(WORDS_FILE) ? JSON.parse(readFileSync(WORDS_FILE, 'utf8')) : await allWords();
        writeOut(
          candidates(root, words)
            .map((one) => `${line(shell, one)}\n`)
            .join(''),
        );
      }
      finish(EXIT.done);
    });
}
