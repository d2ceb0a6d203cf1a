import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { InvalidInputError } from '../../src/config/errors.js';
import { loggerInto } from '../../src/contracts/logger.js';
import { child, runInProcess, setupLogger } from '../../src/in-process/index.js';
import { userFile } from '../support/user-file.js';
import { config, FakeModel } from './support.js';

test('what an agent and an environment of one’s own log is in the log of their run, with sample and trial', async () => {
  const agent = await userFile(
    'agent.ts',
    `import { HistoryAgent, child, logger } from 'reprise';
     export default class extends HistoryAgent {
       override async act(observation) {
         this.logger.info('asks', { observation });
         const action = await super.act(observation);
         child(logger, 'parser').debug('unread');
         this.logger.error('answers');
         return action;
       }
     }`,
  );
  const environment = await userFile(
    'environment.ts',
    `import { QAEnv } from 'reprise';
     export class Mine extends QAEnv {
       async step(state, action) { this.logger.warn('steps'); return super.step(state, action); }
     }`,
  );
  const lines: unknown[] = [];
  const logger = loggerInto({
    level: 'DEBUG',
    write: ({ level, name, message, fields: { sample, trial, observation } }) => {
      if (/^(agent|environment)/.test(name)) lines.push([level, name, message, sample, trial, observation]);
    },
  });
  await runInProcess(
    config(
      {
        agent: { type: 'mine', file: agent },
        dataset: { env_class: 'Mine', env_file: environment },
        runtime: { num_trials: 2, memory_scope: 'sample', concurrency: 1 },
      },
      1,
    ),
    { languageModel: new FakeModel(() => '1'), logger },
  );
  expect(lines.sort()).toEqual(
    [
      ['ERROR', 'agent', 'answers', 's1', 0, undefined],
      ['ERROR', 'agent', 'answers', 's1', 1, undefined],
      ['INFO', 'agent', 'asks', 's1', 0, 'What is 1 + 0?'],
      ['INFO', 'agent', 'asks', 's1', 1, 'What is 1 + 0?'],
      ['WARN', 'environment', 'steps', 's1', undefined, undefined],
      ['WARN', 'environment', 'steps', 's1', undefined, undefined],
    ].sort(),
  );
});

test('what a scorer of one’s own logs is in the log of its run, with sample and trial', async () => {
  const file = await userFile(
    'scorer.ts',
    `import { child, logger } from 'reprise';
     const reader = child(logger, 'reader');
     export function score(answer) { reader.warn('reads', { answer }); return true; }`,
  );
  const lines: unknown[] = [];
  const logger = loggerInto({
    level: 'INFO',
    write: ({ level, name, message, fields: { sample, trial, answer } }) => {
      if (name.startsWith('scorer')) lines.push([level, name, message, sample, trial, answer]);
    },
  });
  await runInProcess(
    config(
      { scorers: { own: { type: 'code', file } }, runtime: { num_trials: 2, memory_scope: 'sample' } },
      1,
    ),
    { languageModel: new FakeModel(() => '1'), logger },
  );
  expect(lines.sort()).toEqual([
    ['WARN', 'scorer.reader', 'reads', 's1', 0, '1'],
    ['WARN', 'scorer.reader', 'reads', 's1', 1, '1'],
  ]);
});

test('a program’s own logger writes JSON lines into a file, and lines for people', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'results', 'run.log');
  const shown: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => shown.push(String(text)) > 0);
  const log = setupLogger('run', 'INFO', path, { seed: 1 });
  child(log, 'agent', { sample: 'a' }).warn('is\nodd \u001b[31m', { time: 'of day' });
  log.debug('unread');
  setupLogger('quiet', 'DEBUG', path, {}, { stdout: false }).debug('read');
  spy.mockRestore();
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(lines).toEqual([
    {
      level: 'WARN',
      component: 'run.agent',
      time,
      seed: 1,
      sample: 'a',
      time_: 'of day',
      msg: 'is\nodd \u001b[31m',
    },
    { level: 'DEBUG', component: 'quiet', time, msg: 'read' },
  ]);
  expect(shown).toHaveLength(1);
  expect(shown[0]).toMatch(/^\S+Z WARN run\.agent: is odd .*\{"seed":1,"sample":"a","time_":"of day"\}\n$/);
  expect(shown[0]).not.toContain('\u001b');
});

test.each([
  ['TRACE', {}, 'level'],
  ['INFO', { maxBytes: 0 }, 'maxBytes'],
  ['INFO', { maxFiles: 1.5 }, 'maxFiles'],
])('a logger of the level %s with %j is refused', (level, limits, field) => {
  const refused = () => setupLogger('run', level as never, '/nowhere/run.log', {}, limits);
  expect(refused).toThrow(InvalidInputError);
  expect(refused).toThrow(new RegExp(`^${field}: `));
});
