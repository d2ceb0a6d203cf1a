import { afterEach, describe, expect, test, vi } from 'vitest';
import { LanguageModelError } from '../../src/language-models/errors.js';
import { FirstContact } from '../../src/language-models/first-contact.js';

const nobody = () =>
  new LanguageModelError('connection', 'connect ECONNREFUSED 127.0.0.1:9.', {
    provider: 'openai',
    isUnsent: true,
  });
const busy = () => new LanguageModelError('overloaded', 'busy', { provider: 'openai', status: 503 });

/** A model that was reached before, or not; `noted` counts what others are told. */
function contactWith(wasMade = false) {
  const told = { noted: 0 };
  const contact = new FirstContact({
    modelName: 'openai/x',
    wasMade: async () => wasMade,
    made: async () => {
      told.noted += 1;
    },
  });
  return { contact, told };
}

const inARow = async (contact: FirstContact, times: number) => {
  const ended: (string | null)[] = [];
  for (let time = 0; time < times; time += 1) {
    ended.push((await contact.failed(nobody(), performance.now()))?.message ?? null);
  }
  return ended;
};

describe('a model that nobody has ever reached', () => {
  test('is given up with the fifth connection in a row, and whoever waits hears of it', async () => {
    const { contact, told } = contactWith();
    const waiting = contact.within(new AbortController().signal);
    expect(await inARow(contact, 4)).toEqual([null, null, null, null]);
    expect(waiting?.aborted).toBe(false);
    const error = await contact.failed(nobody(), performance.now());
    expect(error).toMatchObject({ kind: 'unreachable', fatalForRun: true, retryable: false });
    expect(error?.message).toBe(
      'cannot connect to openai/x, 5 times in a row, and it has not answered once: connect ECONNREFUSED 127.0.0.1:9. When it is there, the same command continues',
    );
    expect(waiting?.reason).toBe(error);
    expect([contact.within()?.aborted, contact.isOver, told.noted]).toEqual([true, false, 0]);
  });

  test('has connections that failed side by side counted once', async () => {
    const { contact } = contactWith();
    const began = performance.now();
    for (let call = 0; call < 50; call += 1) expect(await contact.failed(nobody(), began)).toBeNull();
    expect(await inARow(contact, 4)).toEqual([null, null, null, expect.stringContaining('5 times in a row')]);
  });
});

describe('a model that takes a request and says nothing', () => {
  afterEach(() => void vi.useRealTimers());

  test('is said to be silent every twenty seconds, for one request, until that ends', () => {
    vi.useFakeTimers();
    const { contact } = contactWith();
    const heard: number[] = [];
    const [end] = [1, 2].map(() => contact.watch((seconds) => heard.push(seconds)));
    vi.advanceTimersByTime(50_000);
    expect(heard).toEqual([20, 40]);
    end?.();
    vi.advanceTimersByTime(50_000);
    contact.watch((seconds) => heard.push(seconds));
    vi.advanceTimersByTime(20_000);
    expect(heard).toEqual([20, 40, 20]);
    contact.answered();
    vi.advanceTimersByTime(50_000);
    contact.watch((seconds) => heard.push(seconds));
    vi.advanceTimersByTime(50_000);
    expect(heard).toEqual([20, 40, 20]);
  });
});

describe('a model that was there once is waited for', () => {
  test('where it has answered', async () => {
    const { contact, told } = contactWith();
    for (const _ of [1, 2]) contact.answered();
    expect(await inARow(contact, 9)).toEqual(Array(9).fill(null));
    expect([told.noted, contact.within()]).toEqual([1, undefined]);
  });

  test('where it has refused: somebody is there', async () => {
    const { contact, told } = contactWith();
    expect(await contact.failed(busy(), performance.now())).toBeNull();
    expect(await inARow(contact, 9)).toEqual(Array(9).fill(null));
    expect(told.noted).toBe(1);
  });

  test('where another worker has reached it', async () => {
    expect(await inARow(contactWith(true).contact, 9)).toEqual(Array(9).fill(null));
  });
});

test('other failures say nothing of whether anybody is there', async () => {
  const { contact } = contactWith();
  const slow = new LanguageModelError('timeout', 'no answer within 60 s', { provider: 'openai' });
  for (let time = 0; time < 9; time += 1) expect(await contact.failed(slow, performance.now())).toBeNull();
  expect((await inARow(contact, 5)).at(-1)).not.toBeNull();
});

test('a note that cannot be taken is taken with the next answer', async () => {
  let tries = 0;
  const contact = new FirstContact({
    modelName: 'openai/x',
    wasMade: async () => false,
    made: async () => {
      tries += 1;
      if (tries === 1) throw new Error('the store is unreachable');
    },
  });
  contact.answered();
  await Promise.resolve();
  contact.answered();
  contact.answered();
  expect(tries).toBe(2);
});
