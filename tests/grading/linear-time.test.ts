import { expect, test, vi } from 'vitest';
import { slowOn, sourceFiles, writtenExpressions } from '../support/regular-expressions.js';

/** Rooms that read what models, programs and strangers write. */
const ROOMS = [
  'environments',
  'grading',
  'kinds/agent-eval/rollouts',
  'kinds/evolve/evolution',
  'kinds/judge/judging',
  'replies',
  'retrieval',
];

test('a checker finds what makes an expression slow', () => {
  expect(slowOn(/\s+$/)).not.toEqual([]);
  expect(slowOn(/^(a|b*)*$/)).not.toEqual([]);
  expect(slowOn(/^\s+/)).toEqual([]);
});

test('no regular expression takes more than linear time', { timeout: 60_000 }, () => {
  const written = sourceFiles('src').flatMap(writtenExpressions);
  expect(written.length).toBeGreaterThan(300);
  const slow = written.filter((one) => slowOn(one).length > 0);
  expect(slow.map(({ place, source, flags }) => `${place} /${source}/${flags}`)).toEqual([]);
});

test('nor does one that is put together', { timeout: 60_000 }, async () => {
  const made: RegExp[] = [];
  const Real = RegExp;
  vi.stubGlobal(
    'RegExp',
    new Proxy(Real, {
      construct(target, parts: [string, string?]) {
        const one = new target(...parts);
        made.push(one);
        return one;
      },
    }),
  );
  try {
    vi.resetModules();
    for (const room of ROOMS) {
      for (const file of sourceFiles(`src/${room}`)) await import(/* @vite-ignore */ `../../${file}`);
    }
    // Those of a language are compiled when they are first read.
    const { ANSWER_FORMS } = await import('../../src/grading/extraction/answer-forms.js');
    for (const forms of ANSWER_FORMS) Object.values(forms);
  } finally {
    vi.unstubAllGlobals();
  }
  expect(made.length).toBeGreaterThan(500);
  expect(made.filter((one) => slowOn(one).length > 0).map(String)).toEqual([]);
});
