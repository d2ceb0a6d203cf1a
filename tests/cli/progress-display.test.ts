import { afterEach, expect, test, vi } from 'vitest';
import { progressDisplay } from '../../src/cli/progress-display.js';
import type { Progress } from '../../src/contracts/run.js';

afterEach(() => vi.restoreAllMocks());

/** What standard error is told of a run with these totals, where it is no terminal. */
function shown(totals: Partial<Progress['totals']>): string {
  let written = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += text;
    return true;
  });
  const display = progressDisplay(false);
  const all = { samples: 1, correct: 0, errors: 0, lm_calls: 0, cost_usd: 0, ...totals };
  display.show({
    phase: 'running',
    message: null,
    totals: all,
    samples_planned: 20,
    accuracy: null,
  } as Progress);
  display.end();
  return written;
}

test.each([
  [{ lm_calls: 1 }, '1/20 samples · 0 correct (–) · 1 LM call\n'],
  [{ lm_calls: 3, errors: 1 }, '1/20 samples · 0 correct (–) · 3 LM calls · 1 error\n'],
  [{ errors: 2, cost_usd: 0.25 }, '1/20 samples · 0 correct (–) · 0 LM calls · 2 errors · $0.2500\n'],
])('a run with %j is shown as %s', (totals, line) => {
  expect(shown(totals)).toBe(line);
});
