import { expect, test } from 'vitest';
import type { AgentConfig } from '../../../src/config/agent-schemas.js';
import { InvalidInputError } from '../../../src/config/errors.js';
import { tryAgent } from '../../../src/kinds/run/agent-factory.js';
import { builtPool, codeIn } from '../../support/built-code.js';
import { userFile } from '../../support/user-file.js';

const MEMORY = { _type: 'history_list', max_length: 10 } as const;

const agent = (body: string, before = '') => `import { MemoryAgent } from 'reprise';
${before}
export default class Own extends MemoryAgent { async act() { return ''; } ${body} }`;

async function tried(source: string, timeoutMs: number) {
  const file = await userFile('own.ts', source);
  const config = { type: 'own', file } as unknown as AgentConfig;
  const failure = await tryAgent(codeIn(builtPool()), { agent: config, memory: MEMORY }, timeoutMs).catch(
    (error: unknown) => error,
  );
  return { file, failure };
}

test('a sound agent passes, and a built-in one needs no trial', async () => {
  expect((await tried(agent(''), 20_000)).failure).toBeUndefined();
  const builtIn = { type: 'history_agent', history_k: 1 } as unknown as AgentConfig;
  await expect(tryAgent(codeIn(builtPool()), { agent: builtIn, memory: MEMORY })).resolves.toBeUndefined();
});

const LATE = 'agent.file: FILE was not loaded, and its class not made, within 1 s';

test.each([
  ['is loaded without end', agent('', 'for (;;);'), 1000, LATE],
  ['is made without end', agent('x = (() => { for (;;); })();'), 1000, LATE],
  [
    'ends its process',
    agent('x = process.exit(3);'),
    20_000,
    'agent.file: FILE ended the thread that it was tried in: worker exited with code: 3',
  ],
  [
    'throws when it is loaded',
    "throw new Error('no licence');",
    20_000,
    'agent.file: FILE cannot be loaded: no licence (own.ts:1)',
  ],
  [
    'throws when it is made',
    agent("constructor(options) { super(options); throw new Error('no tools'); }"),
    20_000,
    'agent.file: the class cannot be made: no tools (own.ts:3)',
  ],
  [
    'lacks act',
    'export default class Half { observe() {} }',
    20_000,
    "agent.file: the class lacks the method 'act'; write it, or extend MemoryAgent",
  ],
  ['is none', 'export const nothing = 1;', 20_000, "agent.class_name: FILE exports no class 'default'"],
])('an agent that %s is refused before anything is asked', async (_what, source, timeoutMs, message) => {
  const { file, failure } = await tried(source, timeoutMs);
  expect(failure).toBeInstanceOf(InvalidInputError);
  expect((failure as Error).message).toBe(message.replace('FILE', file));
});

const memoryClass = (body: string, before = '') => `${before}
export default class { update() {} recall() { return []; } snapshot() { return {}; } ${body} }`;

async function triedMemory(source: string, timeoutMs: number) {
  const file = await userFile('own-memory.ts', source);
  const builtIn = { type: 'memory_agent', system_prompt: null, history_k: 1 } as AgentConfig;
  const memory = { _type: 'own', file, options: {} } as const;
  const failure = await tryAgent(codeIn(builtPool()), { agent: builtIn, memory }, timeoutMs).catch(
    (error: unknown) => error,
  );
  return { file, failure };
}

test('a memory of one’s own passes, with an agent of Reprise', async () => {
  expect((await triedMemory(memoryClass(''), 20_000)).failure).toBeUndefined();
});

test.each([
  [
    'is made without end',
    memoryClass('x = (() => { for (;;); })();'),
    1000,
    'memory.file: FILE was not loaded, and its class not made, within 1 s',
  ],
  [
    'throws when it is loaded',
    "throw new Error('no licence');",
    20_000,
    'memory.file: FILE cannot be loaded: no licence (own-memory.ts:1)',
  ],
  [
    'throws when it is made',
    memoryClass("constructor() { throw new Error('no tools'); }"),
    20_000,
    'memory.file: the class cannot be made: no tools (own-memory.ts:2)',
  ],
  [
    'lacks a method',
    'export default class { update() {} recall() {} }',
    20_000,
    "memory.file: the class lacks 'snapshot'; write each of update, recall, snapshot",
  ],
  ['is none', 'export const nothing = 1;', 20_000, "memory.class_name: FILE exports no class 'default'"],
])('a memory that %s is refused before anything is asked', async (_what, source, timeoutMs, message) => {
  const { file, failure } = await triedMemory(source, timeoutMs);
  expect(failure).toBeInstanceOf(InvalidInputError);
  expect((failure as Error).message).toBe(message.replace('FILE', file));
});
