import { utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { InvalidInputError } from '../../src/config/errors.js';
import { checkDataset } from '../../src/kinds/run/activities/dataset.js';
import { environmentClass, environmentCode } from '../../src/kinds/run/environment-code.js';
import type { RunConfig } from '../../src/kinds/run/schema.js';
import { codeNow, type UserCode } from '../../src/user-code/code.js';
import { localCode } from '../../src/user-code/code-runner.js';
import { loadNamedModule } from '../../src/user-code/load-module.js';
import { configOf } from '../support/configs.js';
import { userFile } from '../support/user-file.js';

const SOURCE = `
import { QAEnv, type Feedback } from 'reprise';
export class ShoutEnv extends QAEnv {
  override evaluate(action: string): Feedback {
    return { correct: action === this.target().toUpperCase(), target: this.target(), message: 'VERSION' };
  }
}
export class NoEnv {}
export const number = 3;
`;

const file = (content: string) => userFile('environment.ts', content);

test('a file and its helpers are loaded as their texts were, and the next time as they are', async () => {
  const path = await file(
    "import { helped } from './helper.js';\nexport const said: string = 'first ' + helped;\n",
  );
  const helper = join(dirname(path), 'helper.ts');
  await writeFile(helper, "export const helped: string = 'one';\n");
  const code = codeNow([path]);
  const load = async (as?: UserCode) => (await loadNamedModule(path, 'domain.file', as)).said;
  expect(await load(code)).toBe('first one');
  await writeFile(helper, "export const helped: string = 'two';\n");
  expect(await load(code)).toBe('first one');
  expect(await load()).toBe('first two');
  expect(await load(code)).toBe('first one');
  await writeFile(path, 'half a thou');
  expect(await load(code)).toBe('first one');
  const broken = codeNow([path]);
  await writeFile(path, "export const said = 'mended';\n");
  await expect(load(broken)).rejects.toThrow(/domain\.file: .*environment\.ts cannot be loaded: /);
  expect(await load()).toBe('mended');
});

test('what is loaded once is not loaded again while its texts are the same', async () => {
  const path = await file('export const made = {};\n');
  const load = async (as?: UserCode) => (await loadNamedModule(path, 'domain.file', as)).made;
  const made = await load();
  await utimes(path, new Date(), new Date(Date.now() + 5000));
  expect(await load(codeNow([path]))).toBe(made);
});

test('a file may import from both doors of the package', async () => {
  const path = await file(
    "import { QAEnv } from 'reprise';\nimport { z } from 'reprise/bundle';\nexport const both = [typeof QAEnv, typeof z.int];\n",
  );
  expect((await loadNamedModule(path, 'domain.file')).both).toEqual(['function', 'function']);
});

const task = { index: 0, id: '0', question: 'q', target: 'yes', metadata: {} };
const services = { compareSymbolically: async () => undefined };

test('a user’s TypeScript environment is loaded from its file', async () => {
  const ShoutEnv = await environmentClass({ name: 'ShoutEnv', file: await file(SOURCE) });
  const { feedback } = await new ShoutEnv(task, { options: {} }, services).step(null, 'YES');
  expect(feedback).toMatchObject({ correct: true, message: 'VERSION' });
});

test.each([
  ['Nope', undefined, "'Nope' is no built-in environment (QAEnv, MathQAEnv, MCQEnv"],
  ['constructor', undefined, "'constructor' is no built-in environment"],
  ['Nope', SOURCE, "exports no environment class 'Nope' (it exports ShoutEnv)"],
  ['NoEnv', SOURCE, "exports no environment class 'NoEnv'"],
  ['Nope', 'export const x = 1;', 'it exports no environment class'],
  ['Nope', 'export class {', 'cannot be loaded'],
  ['Nope', "import 'not-installed-anywhere';", 'cannot be loaded'],
])('%s is refused: %s', async (name, source, message) => {
  const loading = environmentClass({ name, file: source === undefined ? undefined : await file(source) });
  await expect(loading).rejects.toThrow(InvalidInputError);
  await expect(loading).rejects.toThrow(message);
});

const check = (dataset: Record<string, unknown>): Promise<string[]> =>
  checkDataset(configOf({ dataset }) as RunConfig, { environment: {} }, environmentCode(localCode()));

test.each([
  [{ items: [{ question: 'q', answer: 'a' }], env_class: 'Nope' }, "'Nope' is no built-in environment"],
  [{ items: [{ question: 'q' }] }, "row 1 has no field 'answer'"],
  [
    { items: [{ question: '4 7 8 8' }, { question: '4 7 8' }], task_type: 'custom', env_class: 'Game24Env' },
    'four whole numbers such as "4 7 8 8" are needed (sample 1)',
  ],
])('a dataset is read to its end before anything starts: %j', async (dataset, message) => {
  await expect(check(dataset)).rejects.toThrow(message);
});

test('a sound dataset passes', async () => {
  await expect(check({ items: [{ question: 'q', answer: 'a' }] })).resolves.toEqual([]);
});

test('what is to be said of a dataset as a whole is handed back', async () => {
  const items = [{ question: 'q', answer: 1, choices: ['red', 'green', 'blue'] }];
  await expect(check({ items, choices_field: 'choices' })).resolves.toEqual([
    expect.stringContaining('dataset.target_base: 1'),
  ]);
});
