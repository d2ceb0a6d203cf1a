import { afterEach, describe, expect, test, vi } from 'vitest';
import { LanguageModelError } from '../../src/language-models/errors.js';
import { FirstContact } from '../../src/language-models/first-contact.js';

const nobody = () =>
  new LanguageModelError('connection', 'connect ECONNREFUSED 127.0.0.1:9.', {
    provider: 'openai',
    isUnsent: true,
  });
const busy = () => new LanguageModelError('overloaded', 'busy', { provider: 'openai', status: 503 });

const CALL = { key: 'a', before: { failures: 0 } };

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
    ended.push((await contact.failed(nobody(), performance.now(), CALL))?.message ?? null);
  }
  return ended;
};

describe('a model that nobody has ever reached', () => {
  test('is given up with the fifth connection in a row, and whoever waits hears of it', async () => {
    const { contact, told } = contactWith();
    const waiting = contact.within(new AbortController().signal);
    expect(await inARow(contact, 4)).toEqual([null, null, null, null]);
    expect(waiting?.aborted).toBe(false);
    const error = await contact.failed(nobody(), performance.now(), CALL);
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
    for (let call = 0; call < 50; call += 1) expect(await contact.failed(nobody(), began, CALL)).toBeNull();
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
    contact.replied();
    vi.advanceTimersByTime(50_000);
    contact.watch((seconds) => heard.push(seconds));
    vi.advanceTimersByTime(50_000);
    expect(heard).toEqual([20, 40, 20]);
  });
});

describe('a model that was there once is waited for', () => {
  test('where it has answered', async () => {
    const { contact, told } = contactWith();
    for (const _ of [1, 2]) contact.replied();
    expect(await inARow(contact, 9)).toEqual(Array(9).fill(null));
    // Once of the answer, and once of the reply.
    expect([told.noted, contact.within()]).toEqual([2, undefined]);
  });

  test('where it has refused: somebody is there', async () => {
    const { contact, told } = contactWith();
    expect(await contact.failed(busy(), performance.now(), CALL)).toBeNull();
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
  for (let time = 0; time < 9; time += 1)
    expect(await contact.failed(slow, performance.now(), CALL)).toBeNull();
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
  contact.replied();
  await Promise.resolve();
  contact.replied();
  contact.replied();
  expect(tries).toBe(3);
});

describe('a refusal of one call', () => {
  const refused = (kind: 'authentication' | 'forbidden' | 'not_found', status: number) =>
    new LanguageModelError(kind, `refused (HTTP ${status})`, { provider: 'openai', status });
  const key = () => refused('authentication', 401);
  const prompt = () => refused('forbidden', 403);
  const call = (name: string, failures = 0) => ({ key: name, before: { failures } });
  /** Refuses one after another. @returns what each call meets: null is the end of the run */
  const refuse = async (contact: FirstContact, calls: ReturnType<typeof call>[], of = key) => {
    const kinds: (string | null)[] = [];
    for (const one of calls) kinds.push((await contact.failed(of(), performance.now(), one))?.kind ?? null);
    return kinds;
  };
  const replied = () => {
    const { contact } = contactWith();
    contact.replied();
    return contact;
  };

  test.each([key(), prompt(), refused('not_found', 404)])(
    'by a model that has never replied ends the run: $kind',
    async (error) => {
      const { contact } = contactWith();
      await contact.failed(busy(), performance.now(), CALL);
      expect(await contact.failed(error, performance.now(), CALL)).toBeNull();
    },
  );

  test('by a model that has replied, to this worker or to another, is asked again', async () => {
    for (const contact of [replied(), contactWith(true).contact]) {
      for (const error of [key(), refused('not_found', 404)]) {
        const instead = await contact.failed(error, performance.now(), CALL);
        expect(instead).toMatchObject({ kind: 'server', retryable: true, fatalForRun: false });
        expect(instead?.message).toBe(error.message);
        contact.replied();
      }
    }
  });

  test('of a key ends the run with the fifth in a row, of one call or of several', async () => {
    const calls = ['a', 'b', 'a', 'b', 'a'].map((name) => call(name));
    expect((await refuse(replied(), calls)).map((kind) => kind === null)).toEqual([
      ...[false, false, false, false],
      true,
    ]);
    const alone = [0, 1, 2, 3, 4].map((failures) => call('a', failures));
    expect(await refuse(replied(), alone)).toEqual([...Array(4).fill('server'), null]);
  });

  test('beside many others at once counts as one, and a reply begins the row anew', async () => {
    const contact = replied();
    const began = performance.now();
    for (let at = 0; at < 100; at += 1) {
      expect(await contact.failed(key(), began, call(`${at}`))).toMatchObject({ kind: 'server' });
    }
    expect(await refuse(contact, [call('0'), call('1'), call('2')])).not.toContain(null);
    contact.replied();
    expect(await refuse(contact, [call('3'), call('4')])).not.toContain(null);
  });

  test('at a firewall that has let others pass is the prompt’s own with the third, and of all with the tenth call in a row', async () => {
    const contact = replied();
    await refuse(contact, [call('before')], prompt);
    contact.replied();
    const one = [0, 1, 2].map((failures) => call('a', failures));
    expect(await refuse(contact, one, prompt)).toEqual(['server', 'server', 'bad_request']);
    const others = [...'bcdefghij'].map((name) => call(name));
    expect(await refuse(contact, others, prompt)).toEqual([...Array(8).fill('server'), null]);
  });

  test.each([4, 8, 64])(
    'of everything at once, in %d lanes, ends the run before any prompt is given up',
    async (lanes) => {
      const contact = replied();
      const calls = (failures: number) => Array.from({ length: lanes }, (_, at) => call(`${at}`, failures));
      const kinds: unknown[] = [];
      for (const failures of [0, 1, 2]) {
        const began = performance.now();
        for (const one of calls(failures))
          kinds.push((await contact.failed(prompt(), began, one))?.kind ?? null);
      }
      expect(kinds.slice(0, 2 * lanes)).toEqual(Array(2 * lanes).fill('server'));
      expect(kinds.slice(2 * lanes)).toEqual(Array(lanes).fill(null));
    },
  );

  test('of one prompt after another in one lane ends the run with the fourth', async () => {
    const calls = [...'abc'].flatMap((name) => [0, 1, 2].map((failures) => call(name, failures)));
    const given = ['server', 'server', 'bad_request'];
    expect(await refuse(replied(), [...calls, call('d')], prompt)).toEqual([
      ...given,
      ...given,
      ...given,
      null,
    ]);
  });

  test('at a firewall says nothing of the others while those are in flight', async () => {
    const { contact } = contactWith();
    const end = contact.sent(call('slow'));
    const many = [...'abcdefghijklmnop'].map((name) => call(name));
    expect(await refuse(contact, many, prompt)).toEqual(Array(16).fill('server'));
    end();
    expect(await refuse(contact, many.slice(0, 1), prompt)).toEqual([null]);
  });
});
