import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addCommands, addCommandsOf, COMMAND_FILES } from '../../src/cli/commands.js';

const finish = () => undefined;
const namesIn = (program: Command) => program.commands.map((command) => command.name());
const ALL = COMMAND_FILES.flatMap(({ commands }) => Object.keys(commands));

/** The commands that a command line finds. */
async function found(asked: string | undefined): Promise<string[]> {
  const program = new Command();
  await addCommands(program, asked, finish);
  return namesIn(program);
}

describe('commands are loaded as they are asked for', () => {
  test.each(COMMAND_FILES)('$commands are what their file adds', async (file) => {
    const program = new Command();
    await addCommandsOf(file, program, finish);
    const added = program.commands.map((command) => [command.name(), command.description()]);
    expect(added).toEqual(Object.entries(file.commands));
  });

  test('one is found alone, with those of its file', async () => {
    expect(await found('status')).toEqual(['status']);
    expect(await found('pause')).toEqual(['stop', 'pause', 'resume', 'set-concurrency']);
  });

  test.each([undefined, '--help', 'help', 'statsu', '--json'])('all are found for %s', async (asked) => {
    expect(await found(asked)).toEqual(ALL);
  });

  test('none is needed for the version', async () => {
    expect(await found('--version')).toEqual([]);
  });
});

/** Which of the packages that take long to load a file of commands loads. */
function heavyOf(name: string): string[] {
  const file = pathToFileURL(resolve('dist', `${name}.js`)).href;
  const program = `
    import { createRequire } from 'node:module';
    await import(${JSON.stringify(file)});
    const loaded = Object.keys(createRequire(import.meta.url).cache).join('\\n');
    const heavy = ['worker', 'testing', 'client', 'proto'].filter((name) => loaded.includes('/@temporalio/' + name + '/'));
    console.log(JSON.stringify(heavy));
  `;
  const args = ['--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

describe('what a command loads', () => {
  test.each([
    'cli/status',
    'cli/control',
    'cli/setup',
    'cli/doctor',
    'cli/temporal',
    'kinds/agent-eval/commands/reply',
  ])('%s asks the server and does without a worker', (name) => {
    expect(heavyOf(name)).toEqual(['client', 'proto']);
  });

  test.each([
    'cli/init',
    'cli/completion',
    'cli/stats',
    'cli/compare',
    'cli/export',
    'cli/schema',
    'cli/generate',
    'cli/grade',
    'cli/memory',
    'kinds/run/commands/score',
    'kinds/run/commands/import',
    'kinds/agent-eval/commands/bundle',
  ])('%s reads files and does without Temporal', (name) => {
    expect(heavyOf(name)).toEqual([]);
  });

  test('what starts experiments has a worker', () => {
    expect(heavyOf('cli/experiment')).toContain('worker');
  });
});
