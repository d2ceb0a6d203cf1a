import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addImportCommand } from '../../../../src/kinds/run/commands/import.js';
import { inTerminal } from '../../../cli/in-terminal.js';

const reprise = inTerminal(addImportCommand, 'import');
const COLOURS = resolve('tests/kinds/run/importers/fixtures/colours.json');

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-import-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('says what it has written and what comes next', async () => {
  const out = join(temporaryFolder(), 'colours');
  const printed = await reprise(COLOURS, '--out', out);
  expect(printed.code).toBe(0);
  expect(printed.out).toContain(`${out}/results.jsonl: 2 rows, 0 errors\n`);
  expect(printed.out).toContain(`Next: npx reprise stats ${out}/results.jsonl`);
  expect(readdirSync(out).sort()).toEqual(['calls.jsonl', 'dataset.jsonl', 'header.json', 'results.jsonl']);
});

test('says the same to a program', async () => {
  const out = join(temporaryFolder(), 'colours');
  const { out: printed } = await reprise(COLOURS, '--out', out, '--json');
  expect(JSON.parse(printed)).toEqual({
    folder: `file://${out}`,
    files: {
      'results.jsonl': '2 rows, 0 errors',
      'calls.jsonl': '2 calls',
      'dataset.jsonl': '2 samples',
      'header.json': 'of the task colours with mockllm/model',
    },
    notes: ['Its samples have choices: a run of dataset.jsonl needs dataset.choices_field: choices.'],
  });
});

test('writes over nothing', async () => {
  const out = temporaryFolder();
  writeFileSync(join(out, 'mine.txt'), '');
  const { code, said } = await reprise(COLOURS, '--out', out);
  expect([code, said]).toEqual([2, `${out} holds mine.txt; name an empty folder with --out`]);
  expect(readdirSync(out)).toEqual(['mine.txt']);
});

test.each<[string, string, string, string[]]>([
  ['other YAML', 'a.yaml', 'dataset: {}', []],
  ['other JSON', 'a.json', '{"results": {}}', []],
  ['a list', 'a.json', '[]', []],
  ['an empty file', 'a.yaml', '', []],
  ['a text', 'a.eval', 'nothing', []],
])('%s is neither a log nor a config', async (_what, name, content) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), content);
  const { code, said } = await reprise(join(folder, name), '--out', join(folder, 'out'));
  expect(said).toContain(`${name} is neither a log of Inspect AI (.eval or JSON) nor a config of promptfoo`);
  expect(code).toBe(2);
});

test.each<[string, string, string, RegExp]>([
  [
    'a file that is cut off',
    'a.eval',
    'PK\u0003\u0004 and no directory',
    /a\.eval cannot be read as a zip file: /,
  ],
  ['JSON that is cut off', 'a.json', '{"eval": {', /a\.json cannot be read as JSON: /],
  ['code', 'promptfooconfig.ts', 'export default {}', /is code, which is not run; write the config as YAML/],
  [
    'a log without a model',
    'a.json',
    '{"eval": {"task": "t"}}',
    /a\.json is not as Inspect AI writes it: eval\.model/,
  ],
])('%s is bad input', async (_what, name, content, message) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), content);
  const { code, said } = await reprise(join(folder, name), '--out', join(folder, 'out'));
  expect(said).toMatch(message);
  expect(code).toBe(2);
});

test('a file that is not there, and a score of a config, are bad input', async () => {
  const folder = temporaryFolder();
  expect(await reprise(join(folder, 'no.eval'))).toMatchObject({ code: 2 });
  mkdirSync(join(folder, 'in'));
  const config = join(folder, 'in', 'promptfooconfig.yaml');
  writeFileSync(config, 'prompts: [a]\nproviders: [echo]');
  const { code, said } = await reprise(config, '--out', join(folder, 'out'), '--score', 'x');
  expect([code, said]).toEqual([2, '--score is for a log of Inspect AI']);
});
