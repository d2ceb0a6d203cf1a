/**
 * Writes the commands and their options into docs/reference.md, as the program has them:
 *
 *     npm run build && npm run reference
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, type Option } from 'commander';
import type { addCommands } from '../src/cli/commands.js';

const PAGE = 'docs/reference.md';
const [START, END] = ['<!-- commands:start -->', '<!-- commands:end -->'];

/** Escapes a text for the cell of a table. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');

function optionRow({ flags, description, defaultValue, hidden }: Option): string[] {
  if (hidden) return [];
  const said = defaultValue === undefined || defaultValue === false || Array.isArray(defaultValue);
  return [
    `| \`${flags.replaceAll('|', '\\|')}\` | ${cell(description)}${said ? '' : `; default ${cell(String(defaultValue))}`} |`,
  ];
}

/** Describes a command, then those within it. */
function describe(command: Command, before: string): string[] {
  const name = `${before} ${command.name()}`;
  const parts = command.registeredArguments.map((argument) => {
    const shown = `${argument.name()}${argument.variadic ? '…' : ''}`;
    return argument.required ? shown.toUpperCase() : `[${shown.toUpperCase()}]`;
  });
  const options = command.options.flatMap(optionRow);
  return [
    `### \`${[name, ...parts].join(' ')}\``,
    '',
    cell(command.description()),
    ...(options.length === 0 ? [] : ['', '| option | |', '| --- | --- |', ...options]),
    '',
    ...command.commands.flatMap((inner) => describe(inner, name)),
  ];
}

/** Returns the reference of all commands, as Markdown. */
async function commandReference(add: typeof addCommands): Promise<string> {
  const program = new Command('reprise');
  await add(program, 'help', () => undefined);
  return program.commands.flatMap((command) => describe(command, 'reprise')).join('\n');
}

/** Returns the page with the commands as they are now. */
export async function referencePage(add: typeof addCommands): Promise<string> {
  const page = readFileSync(PAGE, 'utf8');
  const [before = '', rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}\n\n${await commandReference(add)}\n${END}${after}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = await import(new URL('../dist/cli/commands.js', import.meta.url).href);
  writeFileSync(PAGE, await referencePage(built.addCommands));
}
