import { expect, test } from 'vitest';
import type { LogLevel, LogLine } from '../../src/contracts/logger.js';
import { environmentCode } from '../../src/kinds/run/environment-code.js';
import { localCode } from '../../src/user-code/code-runner.js';
import { withLog } from '../../src/user-code/log.js';
import { builtPool, codeIn } from '../support/built-code.js';
import { userFile } from '../support/user-file.js';

const ENVIRONMENT = `
import { child, logger, QAEnv } from 'reprise';
const parser = child(logger, 'parser', { part: 'of it' });
export class Loud extends QAEnv {
  reset() {
    this.logger.info('begins', { question: this.task.question });
    for (let line = 0; line < this.settings.options.lines; line++) logger.debug('line ' + line);
    return super.reset();
  }
  async step(state, action) {
    await null;
    parser.warn('odd', { action });
    return super.step(state, action);
  }
}`;

async function loud(lines = 0) {
  const source = {
    name: 'Loud',
    file: await userFile('loud.ts', ENVIRONMENT),
    settings: { options: { lines } },
    timeoutMs: 60_000,
  };
  const task = { index: 0, id: 'a', question: 'Why?', target: 'so', metadata: {} };
  return { source, task };
}

function gathering(level: LogLevel) {
  const lines: LogLine[] = [];
  return { lines, sink: { level, write: (line: LogLine) => void lines.push(line) } };
}

test.each([
  ['a thread', () => codeIn(builtPool())],
  ['this thread', () => localCode()],
])('what an environment logs in %s arrives before its answer', async (_where, runner) => {
  const { source, task } = await loud();
  const playable = environmentCode(runner()).playable(source, task);
  const [first, second] = [gathering('INFO'), gathering('INFO')];
  await Promise.all([
    withLog(first.sink, async () => {
      await playable.begin();
      expect(first.lines).toHaveLength(1);
      await playable.step(null, 'so');
    }),
    withLog(second.sink, () => playable.begin()),
  ]);
  const begins = { level: 'INFO', name: '', message: 'begins', fields: { question: 'Why?' } };
  const odd = { level: 'WARN', name: 'parser', message: 'odd', fields: { part: 'of it', action: 'so' } };
  expect(first.lines).toEqual([begins, odd]);
  expect(second.lines).toEqual([begins]);
  // Outside of an experiment nobody reads it.
  expect(await playable.begin()).toMatchObject({ obs: 'Why?' });
});

test('a flood of lines in a thread is cut, and says so', async () => {
  const { source, task } = await loud(5000);
  const { lines, sink } = gathering('DEBUG');
  await withLog(sink, () => environmentCode(codeIn(builtPool())).playable(source, task).begin());
  expect(lines).toHaveLength(1000);
  expect(lines.slice(-2).map(({ message }) => message)).toEqual([
    'line 997',
    'more than 1000 lines were logged at once; the others are dropped',
  ]);
});
