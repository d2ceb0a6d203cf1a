import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { LinesDisplay, LiveBlock } from '../../src/cli/display.js';
import { headedTable } from '../../src/cli/format.js';
import { printJson, printText, sayText } from '../../src/cli/print.js';
import { ANY_FACTS, EVALUATION } from '../support/experiments.js';

const HOSTILE = 'no\x1b]0;title\x07 \x1b[31mred\x9b';
const SHOWN = 'no␛]0;title␇ ␛[31mred�';

test('what commands print and say does nothing to a terminal', () => {
  const written: string[] = [];
  const write = (text: unknown) => written.push(String(text)) > 0;
  const streams = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
  for (const stream of streams) stream.mockImplementation(write);
  printText(HOSTILE);
  sayText(HOSTILE);
  printJson({ HOSTILE });
  for (const stream of streams) stream.mockRestore();
  expect(written.slice(0, 2)).toEqual([`${SHOWN}\n`, `${SHOWN}\n`]);
  expect(JSON.parse(written[2] as string)).toEqual({ HOSTILE });
  expect(written[2]).not.toMatch(/(?!\n)\p{Cc}/u);
});

test('nor do tables, lines and the foot of the screen', () => {
  expect(headedTable(['a'], [[HOSTILE]])).toContain(SHOWN);
  let written = '';
  const write = (text: string) => {
    written += text;
  };
  const line = (text: string) => write(text.slice(text.indexOf(SHOWN)));
  new LinesDisplay(line, ANY_FACTS).show({ ...EVALUATION, message: HOSTILE });
  const block = new LiveBlock({ write, size: () => ({ rows: 24, columns: 80 }) });
  block.show(() => [HOSTILE], [HOSTILE]);
  block.say(HOSTILE);
  const ownErase = '\x1b[1A\x1b[0J';
  expect(written.replaceAll(ownErase, '').replaceAll(SHOWN, '').trim()).toBe('');
});

test('what code of a user’s prints does nothing to a terminal, and leaves standard output alone', () => {
  const code = `import { keepStandardOutput, writeOut, screen } from './dist/cli/print.js';
    keepStandardOutput();
    console.log('LOG' + process.argv[1]); console.error('ERROR' + process.argv[1]);
    process.stdout.write(Buffer.from('é').subarray(0, 1)); process.stdout.write(Buffer.from('é').subarray(1));
    writeOut('own'); screen.write(' \\x1b[1A');`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code, HOSTILE]);
  expect(stdout.toString()).toBe('own');
  expect(stderr.toString()).toBe(`LOG${SHOWN}\nERROR${SHOWN}\né \x1b[1A`);
});

test('commands write to a terminal by no other way', () => {
  // What is handed on as it is: rows, a schema, a chosen cheatsheet that is piped; and what draws the screen.
  const allowed = ['display', 'export', 'generate', 'memory', 'print', 'schema'];
  const files = readdirSync('src/cli').filter((file) => !allowed.includes(file.replace('.ts', '')));
  const others = files.filter((file) =>
    /std(?:out|err)\.write|console\./.test(readFileSync(`src/cli/${file}`, 'utf8')),
  );
  expect(others).toEqual([]);
});
