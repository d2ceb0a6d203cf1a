import { beforeEach, describe, expect, test, vi } from 'vitest';

const workflow = vi.hoisted(() => ({
  /** The look at the clock that is awaited. */
  wake: undefined as ((met: boolean) => void) | undefined,
  waits: undefined as number | undefined,
  isMet: (): boolean => false,
}));
vi.mock('../../src/workflows/sdk.js', () => ({
  condition: (isMet: () => boolean, milliseconds: number) => {
    workflow.waits = milliseconds;
    workflow.isMet = isMet;
    return new Promise<boolean>((resolve) => {
      workflow.wake = resolve;
    });
  },
}));
const { WorkingClock } = await import('../../src/workflows/working-clock.js');

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 25);

let now: number;
let isPaused: boolean;
let exhausted: string[];

beforeEach(() => {
  [now, isPaused, exhausted] = [START, false, []];
  Object.assign(workflow, { wake: undefined, waits: undefined });
  vi.spyOn(Date, 'now').mockImplementation(() => now);
});

const control = { isPaused: () => isPaused, exhaust: (why: string) => void exhausted.push(why) };

/** @param limit seconds */
function start(limit: number | null, { spent = 0, worked = 0 }: { spent?: number; worked?: number } = {}) {
  const limits = { max_lm_calls: null, max_tokens: null, max_cost_usd: null, max_wall_seconds: limit };
  const plan = { limits, spent_wall_seconds: spent };
  return WorkingClock.start(plan, worked, 'run', control);
}

/** The next look at the clock is so late, in milliseconds after the one before. */
async function look(after: number): Promise<void> {
  now += after;
  workflow.wake?.(false);
  await new Promise(setImmediate);
}

describe('the clock of an experiment', () => {
  test('without a limit there is none', () => {
    const clock = start(null);
    expect(workflow.waits).toBeUndefined();
    expect(clock.worked()).toEqual({});
  });

  test('ends it when its time is over, earlier executions counted', async () => {
    start(3600, { spent: 3480 });
    expect(workflow.waits).toBe(MINUTE);
    await look(MINUTE);
    expect(exhausted).toEqual([]);
    expect(workflow.waits).toBe(MINUTE);
    await look(MINUTE);
    expect(exhausted).toEqual(['limits.max_wall_seconds: the run has worked for 3600 seconds']);
  });

  test('looks twenty times where the limit is short, and never more often than once a second', () => {
    start(100);
    expect(workflow.waits).toBe(5000);
    start(4);
    expect(workflow.waits).toBe(1000);
    start(4, { spent: 3.5 });
    expect(workflow.waits).toBe(500);
  });

  test('counts what a busy worker takes, and nothing of the time without any', async () => {
    const clock = start(3600);
    await look(1.5 * MINUTE);
    expect(clock.worked()).toEqual({ worked_seconds: 90 });
    await look(600 * MINUTE);
    expect(clock.worked()).toEqual({ worked_seconds: 150 });
    expect(exhausted).toEqual([]);
  });

  test('counts nothing while it is paused', async () => {
    const clock = start(3600);
    await look(MINUTE);
    isPaused = true;
    await look(MINUTE);
    await look(MINUTE);
    isPaused = false;
    await look(MINUTE);
    expect(clock.worked()).toEqual({ worked_seconds: 120 });
  });

  test('counts from the first unit: preparing takes nothing of it', async () => {
    now = START + 5 * MINUTE;
    const clock = start(60);
    await look(MINUTE / 20);
    expect(clock.worked()).toEqual({ worked_seconds: 3 });
    expect(exhausted).toEqual([]);
  });

  test('continues where the execution before had come', async () => {
    now = START + 1000 * MINUTE;
    const clock = start(3600, { worked: 30 });
    await look(MINUTE);
    expect(clock.worked()).toEqual({ worked_seconds: 90 });
  });

  test('that is stopped counts up to then, once', async () => {
    const clock = start(3600);
    now += 20_000;
    clock.stop();
    now += 20_000;
    clock.stop();
    expect(workflow.isMet()).toBe(true);
    expect(clock.worked()).toEqual({ worked_seconds: 20 });
  });
});
