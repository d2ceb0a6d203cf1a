import { ActivityNotFoundError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { type AttemptNotes, heartbeating } from '../../src/activities/attempt-journal.js';
import { type Beat, withSuspects } from '../../src/activities/with-suspects.js';

const never = () => new Promise<never>(() => undefined);

const logger = new DefaultLogger('ERROR', () => undefined);

/** What the server has heard of an activity. */
interface Heard {
  attempt: number;
  notes: AttemptNotes | undefined;
}

interface Behaviour {
  stepEnvironment: (name: string) => Promise<string>;
  generate?: (name: string) => Promise<string>;
}

const TRAITS = { stepEnvironment: 'risky', generate: 'asks' } as const;

/** Workers that die; what an activity leaves is what its next attempt finds. */
function workers(activities: Behaviour, beatWith?: Beat) {
  const heard = new Map<string, Heard>();
  const told: AttemptNotes[] = [];
  let guarded = withSuspects(activities, TRAITS);
  const heardOf = (name: string) => {
    const known = heard.get(name) ?? { attempt: 0, notes: undefined };
    heard.set(name, known);
    return known;
  };
  let alive = 0;
  const begin = () => {
    alive += 1;
    const worker = alive;
    guarded = withSuspects(activities, TRAITS, async (journal) => {
      if (worker !== alive) return never();
      await beatWith?.(journal);
      told.push(structuredClone(journal.notes));
      heardOf(journal.context.info.activityId).notes = structuredClone(journal.notes);
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

test('one that is in five workers when they die, the last three times alone, is given up, and not asked again', async () => {
  let begun = 0;
  const { attempt, die } = workers({
    stepEnvironment: () => {
      begun += 1;
      return never();
    },
  });
  for (let crash = 1; crash <= 5; crash++) {
    attempt('poison');
    await expect.poll(() => begun).toBe(crash);
    die();
  }
  await expect(attempt('poison').result).rejects.toMatchObject({
    type: 'WorkerCrash',
    nonRetryable: true,
    message: expect.stringContaining('5 workers died'),
  });
  expect(begun).toBe(5);
});

test('one whose worker dies before it has heard that it begins has taken none along', async () => {
  let begun = 0;
  let isDeaf = false;
  const stepEnvironment = () => {
    begun += 1;
    return never();
  };
  const { attempt, die } = workers({ stepEnvironment }, () => (isDeaf ? never() : Promise.resolve()));
  for (let crash = 1; crash <= 2; crash++) {
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
  for (let alone = 1; alone <= 3; alone++) {
    attempt('one');
    await expect.poll(() => begun).toBe(2 + alone);
    die();
  }
  await expect(attempt('one').result).rejects.toThrow('5 workers died');
  expect(begun).toBe(5);
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

test('of many that died with two workers each runs alone, and waiting costs them nothing', async () => {
  let inside: string[] = [];
  const { attempt, die, told, heardOf } = workers({
    stepEnvironment: (name) => {
      inside.push(name);
      return name === 's0' ? never() : Promise.resolve(name);
    },
  });
  const names = ['s0', 's1', 's2', 's3'];
  for (let crash = 0; crash < 2; crash++) {
    for (const name of names) heardOf(name).attempt += 1;
    die();
  }
  for (const name of names) attempt(name);
  await expect.poll(() => told.length).toBe(4);
  expect(inside).toEqual(['s0']);
  for (let alone = 1; alone <= 3; alone++) {
    if (alone > 1) attempt('s0');
    await expect.poll(() => heardOf('s0').notes?.alone).toBe(alone);
    die();
  }
  // That one alone has died three times more; the others run, one after the other.
  inside = [];
  await expect(attempt('s0').result).rejects.toThrow('5 workers died');
  const others = names.slice(1).map((name) => attempt(name).result);
  expect(await Promise.all(others)).toEqual(['s1', 's2', 's3']);
  expect(inside).toEqual(['s1', 's2', 's3']);
});

test('a suspect that ends with a failure is not given up, and runs alone again', async () => {
  const { attempt, heardOf } = workers({ stepEnvironment: full });
  heardOf('one').attempt = 2;
  for (let time = 0; time < 5; time++)
    await expect(attempt('one').result).rejects.toThrow('the disk is full');
  expect(heardOf('one').notes).toEqual({ ended: 5, parts: {} });
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
  const { attempt, heardOf } = workers({ stepEnvironment }, beat);
  for (const name of ['a', 'b']) heardOf(name).attempt = 2;
  attempt('a');
  await expect.poll(() => begun).toBe(1);
  const cancelled = attempt('b');
  await new Promise((resolve) => setTimeout(resolve, 10));
  cancelled.cancel();
  await expect(cancelled.result).rejects.toBeInstanceOf(CancelledFailure);
  isGone = true;
  await expect(attempt('b').result).rejects.toBeInstanceOf(CancelledFailure);
});
