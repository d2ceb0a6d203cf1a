import { execFileSync } from 'node:child_process';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addCommands } from '../../src/cli/commands.js';

let printed = '';
const program = new Command('reprise')
  .exitOverride()
  .configureOutput({
    writeOut: (text) => {
      printed += text;
    },
    writeErr: () => undefined,
  })
  .enablePositionalOptions();
await addCommands(program, 'help', () => undefined);

/** The command that a line came to, in the place of what it does. */
let called: Command | null = null;

function below(command: Command): Command[] {
  return command.commands.flatMap((inner) => [inner, ...below(inner)]);
}
const commands = below(program);
for (const command of commands.filter(({ commands }) => commands.length === 0)) {
  command.action(() => {
    called = command;
  });
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The lines that a help ends with. */
function examplesIn(help: string): string[] {
  const lines = help.trimEnd().split('\n');
  const head = lines.findLastIndex((line) => /^Examples?:$/.test(line));
  return head === -1 ? [] : lines.slice(head + 1).map((line) => line.trim());
}

/** The words of a line, without where its output goes. */
function wordsOf(line: string): string[] {
  const words = line.replace(/ > .*$/, '').match(/"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replace(/^"(.*)"$/, '$1'));
}

async function understood(line: string): Promise<string> {
  called = null;
  const [name, ...words] = wordsOf(line);
  expect(name).toBe('reprise');
  await program.parseAsync(words, { from: 'user' });
  return called === null ? 'nothing' : pathOf(called);
}

describe('every help ends with examples of what it is about', () => {
  test.each(commands.map((command) => [pathOf(command), command] as const))('%s', async (path, command) => {
    printed = '';
    command.outputHelp();
    const lines = examplesIn(printed);
    expect(lines.length, `add .addHelpText('after', examples('${path} …'))`).toBeGreaterThan(0);
    for (const line of lines) {
      const shown = await understood(line);
      expect(command.commands.length === 0 ? shown : shown.replace(/ \S+$/, ''), line).toBe(path);
    }
  });

  test('reprise itself, without loading a command', async () => {
    const help = execFileSync(process.execPath, ['dist/cli/main.js', '--help'], { encoding: 'utf8' });
    const lines = examplesIn(help);
    const [init = '', run = '', ...rest] = lines;
    expect([await understood(init), await understood(run)]).toEqual(['reprise init', 'reprise run']);
    expect(rest).toEqual(['reprise run --help']);
  });
});

test('an example with an option that does not exist would be found', async () => {
  await expect(understood('reprise run experiment.yaml --conurrency 3')).rejects.toThrow('--conurrency');
});
