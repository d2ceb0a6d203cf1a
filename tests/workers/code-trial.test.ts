import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { AgentConfig } from '../../src/config/agent-schemas.js';
import { InvalidInputError } from '../../src/config/errors.js';
import type { Task } from '../../src/contracts/environment.js';
import { checkedApart, tryAgentApart, tryDomainApart, tryModuleApart } from '../../src/workers/code-trial.js';
import { collect } from '../activities/support.js';
import { userFile } from '../support/user-file.js';

/** As it was built: a thread loads no TypeScript of the package. */
const thread = pathToFileURL(resolve('dist/workers/trial-thread.js'));
/** Milliseconds: enough for a thread to start and to load a file. */
const LONG = 20_000;
const SHORT = 1000;

const fileOf = (source: string) => userFile('own.ts', source);

async function* tasks(count: number): AsyncGenerator<Task> {
  for (let index = 0; index < count; index++)
    yield { index, id: `s${index}`, question: `${index}`, target: null, metadata: {} };
}

const environment = (body: string, before = '') => `import { QAEnv } from 'reprise';
${before}
export class Own extends QAEnv { ${body} }`;

const agent = (body: string, before = '') => `import { MemoryAgent } from 'reprise';
${before}
export default class Own extends MemoryAgent { async act() { return ''; } ${body} }`;

async function checked(source: string, count: number, timeoutMs: number) {
  const file = await fileOf(source);
  const own = { name: 'Own', file, settings: { options: {} }, timeoutMs };
  const found = await collect(checkedApart(own, tasks(count), { thread, grace: 100 })).catch(
    (error: unknown) => error,
  );
  return { file, found };
}

async function tried(source: string, fileMs: number) {
  const file = await fileOf(source);
  const config = { type: 'own', file } as unknown as AgentConfig;
  const found = await tryAgentApart(
    config,
    { _type: 'history_list', max_length: 10 },
    {
      thread,
      grace: 100,
      fileMs,
    },
  ).catch((error: unknown) => error);
  return { file, found };
}

test('every task of a sound environment comes through, in its order', async () => {
  const { found } = await checked(environment('validate() {}'), 1203, LONG);
  expect((found as Task[]).map(({ index }) => index)).toEqual(
    Array.from({ length: 1203 }, (_, index) => index),
  );
});

test('the first sample that its environment refuses is named', async () => {
  const validate = "validate() { if (this.task.id === 's700') throw new Error('no such level'); }";
  const { found } = await checked(environment(validate), 1000, LONG);
  expect(found).toEqual(new InvalidInputError('no such level (sample s700)', 'dataset'));
});

test.each([
  ['computes without end', 'for (;;);', SHORT, 'was not loaded within 1 s (dataset.env_timeout_sec)'],
  [
    'waits for what never comes',
    'await new Promise(() => {});',
    SHORT,
    'was not loaded within 1 s (dataset.env_timeout_sec)',
  ],
  ['ends its process', 'process.exit(3);', LONG, 'ended the thread that it was tried in: '],
  ['throws', "throw new Error('no licence');", LONG, 'cannot be loaded: no licence (own.ts:2)'],
])('an environment’s file that %s is refused', async (_what, before, ms, message) => {
  const { file, found } = await checked(environment('', before), 3, ms);
  expect(found).toBeInstanceOf(InvalidInputError);
  expect((found as InvalidInputError).field).toBe('dataset.env_file');
  expect((found as Error).message).toContain(`dataset.env_file: ${file} ${message}`);
});

test('an environment that validates without end is refused, with the samples that it was given', async () => {
  const { file, found } = await checked(environment('validate() { for (;;); }'), 3, 3000);
  expect(found).toEqual(
    new InvalidInputError(
      `dataset.env_file: ${file} did not make and validate the environments of samples s0 to s2 within 3 s (dataset.env_timeout_sec)`,
      'dataset.env_file',
    ),
  );
});

test('a sound agent passes, and a built-in one needs no trial', async () => {
  expect((await tried(agent(''), LONG)).found).toBeUndefined();
  const builtIn = { type: 'history_agent', history_k: 1 } as unknown as AgentConfig;
  await expect(tryAgentApart(builtIn, { _type: 'history_list', max_length: 10 })).resolves.toBeUndefined();
});

test.each([
  [
    'is loaded without end',
    agent('', 'for (;;);'),
    SHORT,
    'was not loaded, and its class not made, within 1 s',
  ],
  [
    'is made without end',
    agent('x = (() => { for (;;); })();'),
    SHORT,
    'was not loaded, and its class not made, within 1 s',
  ],
  ['ends its process', agent('x = process.exit(3);'), LONG, 'ended the thread that it was tried in: '],
])('an agent that %s is refused', async (_what, source, ms, message) => {
  const { file, found } = await tried(source, ms);
  expect(found).toBeInstanceOf(InvalidInputError);
  expect((found as InvalidInputError).field).toBe('agent.file');
  expect((found as Error).message).toContain(`agent.file: ${file} ${message}`);
});

test('what an agent’s constructor throws is told with its place', async () => {
  const { found } = await tried(
    agent("constructor(options) { super(options); throw new Error('no tools'); }"),
    LONG,
  );
  expect(found).toEqual(
    new InvalidInputError('agent.file: the class cannot be made: no tools (own.ts:3)', 'agent.file'),
  );
});

test.each([
  ['computes without end', 'for (;;);', SHORT, 'was not loaded within 1 s'],
  ['ends its process', 'process.exit(3);', LONG, 'ended the thread that it was tried in: '],
  ['throws', "throw new Error('no licence');", LONG, 'cannot be loaded: no licence (own.ts:1)'],
])('a domain’s file that %s is refused', async (_what, line, fileMs, message) => {
  const file = await fileOf(`${line}\nexport const score = () => 1;\n`);
  const found = await tryDomainApart(file, undefined, { thread, grace: 100, fileMs }).catch(
    (error: unknown) => error,
  );
  expect(found).toBeInstanceOf(InvalidInputError);
  expect((found as InvalidInputError).field).toBe('domain.file');
  expect((found as Error).message).toContain(`domain.file: ${file} ${message}`);
});

test.each([
  ['computes without end', 'for (;;);', SHORT, 'was not loaded within 1 s'],
  [
    'ends its process',
    'process.exit(3);',
    LONG,
    expect.stringContaining('ended the thread that it was tried in: '),
  ],
  ['throws', "throw new Error('no licence');", LONG, null],
  ['does nothing of the kind', '', LONG, null],
])(
  'of a bundle’s module that %s, what did not come to its end is told',
  async (_what, line, fileMs, fault) => {
    const file = await fileOf(
      `import { ToolRegistry } from 'reprise/bundle';\n${line}\nexport const tools = new ToolRegistry('t');\n`,
    );
    expect(await tryModuleApart(file, dirname(file), undefined, { thread, grace: 100, fileMs })).toEqual(
      fault,
    );
  },
);
