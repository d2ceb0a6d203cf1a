import { afterEach, describe, expect, test } from 'vitest';
import {
  child,
  findSinkBy,
  freeFields,
  type Logger,
  type LogLevel,
  type LogLine,
  logger,
  loggerInto,
} from '../../src/contracts/logger.js';

function gathering(level: LogLevel = 'DEBUG') {
  const lines: LogLine[] = [];
  return { lines, sink: { level, write: (line: LogLine) => void lines.push(line) } };
}

describe('a logger', () => {
  test('writes lines of its level and above', () => {
    const { lines, sink } = gathering('WARN');
    const log = loggerInto(sink, 'run');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d', { why: 'it broke' });
    expect(lines).toEqual([
      { level: 'WARN', name: 'run', message: 'c', fields: {} },
      { level: 'ERROR', name: 'run', message: 'd', fields: { why: 'it broke' } },
    ]);
  });

  test('has children with longer names, which add fields to what they are given', () => {
    const { lines, sink } = gathering();
    const agent = child(loggerInto(sink, 'run', { seed: 1 }), 'agent', { step: 1, sample: 'a' });
    agent.info('acts', { step: 2 });
    child(agent, '').info('again');
    expect(lines).toEqual([
      { level: 'INFO', name: 'run.agent', message: 'acts', fields: { seed: 1, sample: 'a', step: 2 } },
      { level: 'INFO', name: 'run.agent', message: 'again', fields: { seed: 1, sample: 'a', step: 1 } },
    ]);
  });

  test('of the program’s own has children, too', () => {
    const said: unknown[] = [];
    const say =
      (level: string) =>
      (...what: unknown[]) =>
        void said.push([level, ...what]);
    const own: Logger = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
    child(child(own, 'agent', { seed: 1 }), 'parser').warn('odd', { at: 3 });
    expect(said).toEqual([['warn', 'odd', { component: 'agent.parser', seed: 1, at: 3 }]]);
  });

  const circular: { self?: unknown } = {};
  circular.self = circular;

  test.each([
    [
      { error: new TypeError('bad') },
      { error: { type: 'TypeError', message: 'bad', stack: expect.any(String) } },
    ],
    [
      { big: 2n ** 64n, none: undefined, odd: Number.NaN },
      { big: '18446744073709551616', odd: 'NaN' },
    ],
    [
      { at: new Date(0), nothing: null, words: 'ä "quoted"\n' },
      { at: '1970-01-01T00:00:00.000Z', nothing: null, words: 'ä "quoted"\n' },
    ],
    [circular, { fields: expect.stringContaining('cannot be written as JSON') }],
    [{ text: 'x'.repeat(10_000) }, { fields: expect.stringMatching(/^\{"text":"x{8000}.*…$/) }],
    [['a', 'b'], { 0: 'a', 1: 'b' }],
  ])('writes fields that JSON can hold: %#', (fields, written) => {
    const { lines, sink } = gathering();
    loggerInto(sink).info('m', fields);
    expect(lines[0]?.fields).toEqual(written);
  });

  test('cuts a message that is too long', () => {
    const { lines, sink } = gathering();
    loggerInto(sink).info('x'.repeat(100_000));
    expect(lines[0]?.message).toHaveLength(8193);
  });
});

describe('the log of the running code', () => {
  const before = (globalThis as never)[Symbol.for('reprise.log-sink')];
  afterEach(() => findSinkBy(before));

  test('is where its code runs, and nowhere outside', () => {
    const { lines, sink } = gathering();
    findSinkBy(() => undefined);
    logger.info('lost');
    findSinkBy(() => sink);
    child(logger, 'parser').info('kept');
    expect(lines.map(({ name, message }) => [name, message])).toEqual([['parser', 'kept']]);
  });
});

test('fields that would hide a line’s own get another name', () => {
  expect(freeFields({ time: 1, msg: 'a', level: 2, component: 'c', sample: 's' })).toEqual({
    time_: 1,
    msg_: 'a',
    level_: 2,
    component_: 'c',
    sample: 's',
  });
});
