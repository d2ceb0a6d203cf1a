import { ActivityNotFoundError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import type { EndNotes } from '../../src/activities/crashes.js';
import { heartbeating } from '../../src/activities/heartbeating.js';
import { type Beat, withSuspects } from '../../src/activities/with-suspects.js';

const never = () => new Promise<never>(() => undefined);

const logger = new DefaultLogger('ERROR', () => undefined);

/** What the server has heard of an activity. */
interface Heard {
  attempt: number;
  notes: EndNotes | undefined;
}

interface Behaviour {
  stepEnvironment: (name: string) => Promise<string>;
  generate?: (name: string) => Promise<string>;
}

/** Workers that die; what an activity leaves is what its next attempt finds. */
function workers(activities: Behaviour, beatWith?: Beat) {
  const heard = new Map<string, Heard>();
  const told: EndNotes[] = [];
  let guarded = withSuspects(activities);
  const heardOf = (name: string) => {
    const known = heard.get(name) ?? { attempt: 0, notes: undefined };
    heard.set(name, known);
    return known;
  };
  let alive = 0;
  const begin = () => {
    alive += 1;
    const worker = alive;
    guarded = withSuspects(activities, async (context, notes) => {
      if (worker !== alive) return never();
      await beatWith?.(context, notes);
      told.push({ ...notes });
      heardOf(context.info.activityId).notes = { ...notes };
    });
  };
  begin();
  const attempt = (name: string, activity: keyof Behaviour = 'stepEnvironment') => {
    const known = heardOf(name);
    known.attempt += 1;
    const environment = new MockActivityEnvironment(
      { activityId: name, attempt: known.attempt, heartbeatDetails: known.notes },
      { logger },
    );
    environment.on('heartbeat', (notes) => {
      known.notes = { ...notes };
    });
    const result = environment.run(guarded[activity] as Behaviour['stepEnvironment'], name);
    result.catch(() => undefined);
    return { result, cancel: () => environment.cancel() };
  };
  return { attempt, told, die: begin, heardOf };
}

test('one that is in four workers when they die is given up, and not asked again', async () => {
  let begun = 0;
  const { attempt, die } = workers({
    stepEnvironment: () => {
      begun += 1;
      return never();
    },
  });
  for (let crash = 1; crash <= 4; crash++) {
    attempt('poison');
    await expect.poll(() => begun).toBe(crash);
    die();
  }
  await expect(attempt('poison').result).rejects.toMatchObject({
    type: 'WorkerCrash',
    nonRetryable: true,
    message: expect.stringContaining('4 workers died'),
  });
  expect(begun).toBe(4);
});

test('one whose worker dies before it has heard that it begins has taken none along', async () => {
  let begun = 0;
  let isDeaf = false;
  const stepEnvironment = () => {
    begun += 1;
    return never();
  };
  const { attempt, die } = workers({ stepEnvironment }, () => (isDeaf ? never() : Promise.resolve()));
  for (let crash = 1; crash <= 3; crash++) {
    attempt('one');
    await expect.poll(() => begun).toBe(crash);
    die();
  }
  isDeaf = true;
  for (let crash = 1; crash <= 20; crash++) {
    attempt('one');
    die();
  }
  isDeaf = false;
  attempt('one');
  await expect.poll(() => begun).toBe(4);
  die();
  await expect(attempt('one').result).rejects.toThrow('4 workers died');
  expect(begun).toBe(4);
});

const full = async () => {
  throw new Error('the disk is full');
};

test.each([
  ['in the midst of it', () => heartbeating(full)],
  ['before it has begun', full],
])('an end with a failure is no crash, %s, however often', async (_when, stepEnvironment) => {
  const { attempt } = workers({ stepEnvironment });
  for (let time = 0; time < 20; time++) {
    await expect(attempt('one').result).rejects.toThrow('the disk is full');
  }
});

test('one that asks a model looks itself whether there is a reply', async () => {
  const { attempt, die } = workers({ stepEnvironment: never, generate: async () => 'kept' });
  const hanging = workers({ stepEnvironment: never, generate: never });
  hanging.attempt('call', 'generate');
  for (let crash = 0; crash < 5; crash++) die();
  expect(await attempt('call', 'generate').result).toBe('kept');
});

test('of many that die with a worker some run at once, and waiting costs them nothing', async () => {
  let inside: string[] = [];
  const { attempt, die, told, heardOf } = workers({
    stepEnvironment: (name) => {
      inside.push(name);
      return never();
    },
  });
  const names = Array.from({ length: 10 }, (_, number) => `s${number}`);
  for (let crash = 0; crash < 2; crash++) {
    inside = [];
    for (const name of names) attempt(name);
    expect(inside).toHaveLength(10);
    die();
  }
  inside = [];
  for (const name of names) attempt(name);
  await expect.poll(() => told.length).toBe(10);
  expect(inside).toEqual(['s0', 's1', 's2', 's3']);
  expect(told.filter(({ waiting }) => waiting === 3)).toHaveLength(6);
  expect(told.filter(({ most }) => most === 3)).toHaveLength(4);
  die();
  // Those four alone have died once more: each of them runs alone, and the others as before.
  inside = [];
  for (const name of [...names].reverse()) attempt(name);
  await expect.poll(() => told.length).toBe(20);
  expect(inside).toEqual(['s9', 's8', 's7', 's6']);
  expect(heardOf('s5').notes).toEqual({ idle: 1, waiting: 4 });
  expect(heardOf('s0').notes).toEqual({ most: 3, waiting: 4 });
});

test('who has waited says so before it begins', async () => {
  const release: (() => void)[] = [];
  const { attempt, told, die, heardOf } = workers({
    stepEnvironment: (name) => new Promise((resolve) => release.push(() => resolve(name))),
  });
  for (let crash = 0; crash < 2; crash++) {
    for (const name of ['a', 'b', 'c', 'd', 'e']) attempt(name);
    die();
  }
  release.length = 0;
  const [first, , , , last] = ['a', 'b', 'c', 'd', 'e'].map((name) => attempt(name));
  await expect.poll(() => told).toContainEqual({ waiting: 3 });
  release[0]?.();
  expect(await first?.result).toBe('a');
  await expect.poll(() => release.length).toBe(5);
  expect(heardOf('e').notes).toEqual({ most: 3 });
  release[4]?.();
  expect(await last?.result).toBe('e');
});

test('a wait ends where it is cancelled, or the server gave the activity to another worker', async () => {
  let isGone = false;
  const beat = async () => {
    if (isGone) throw new ActivityNotFoundError('gone');
  };
  let begun = 0;
  const stepEnvironment = () => {
    begun += 1;
    return never();
  };
  const { attempt, die } = workers({ stepEnvironment }, beat);
  for (let crash = 0; crash < 3; crash++) {
    const before = begun;
    attempt('a');
    attempt('b');
    await expect.poll(() => begun).toBe(before + 2);
    die();
  }
  attempt('a');
  const cancelled = attempt('b');
  await new Promise((resolve) => setTimeout(resolve, 10));
  cancelled.cancel();
  await expect(cancelled.result).rejects.toBeInstanceOf(CancelledFailure);
  isGone = true;
  await expect(attempt('b').result).rejects.toBeInstanceOf(CancelledFailure);
});
