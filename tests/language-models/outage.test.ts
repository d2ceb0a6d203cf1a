import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FailedBefore } from '../../src/contracts/step-cost.js';
import {
  LanguageModelError,
  type LanguageModelErrorDetails,
  type LanguageModelErrorKind,
} from '../../src/language-models/errors.js';
import {
  Outage,
  type RetryTurnOptions,
  type Turn,
  type Unreachable,
  WaitedTooLong,
  withFailure,
} from '../../src/language-models/outage.js';

const error = (kind: LanguageModelErrorKind, details: Partial<LanguageModelErrorDetails> = {}) =>
  new LanguageModelError(kind, `${kind}!`, { provider: 'fake', ...details });
const busy = (retryAfterMs?: number) =>
  error('overloaded', retryAfterMs === undefined ? {} : { retryAfterMs });

const none: FailedBefore = { failures: 0 };

let heard: (string | null)[];
let outage: Outage;

beforeEach(() => {
  vi.useFakeTimers();
  heard = [];
  outage = new Outage({
    onUnreachable: (unreachable) => void heard.push(unreachable?.message ?? null),
    now: () => performance.now(),
    random: () => 0.5,
  });
});

afterEach(() => void vi.useRealTimers());

/** A call that waits for its turn. */
function waits(options?: RetryTurnOptions): { turn: Turn | null; failure: unknown } {
  const call: ReturnType<typeof waits> = { turn: null, failure: null };
  outage.turn(options).then(
    (turn) => {
      call.turn = turn;
    },
    (failure: unknown) => {
      call.failure = failure;
    },
  );
  return call;
}

/** So many calls at once, each with its turn. */
async function sent(count: number): Promise<Turn[]> {
  return Promise.all(Array.from({ length: count }, () => outage.turn()));
}

/** A provider that refuses everything, found out by two calls. */
async function unreachable(): Promise<void> {
  const [one, other] = (await sent(2)) as [Turn, Turn];
  one.failed('one', none, busy());
  other.failed('other', none, busy());
  expect(outage.isOpen).toBe(true);
}

const passed = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
/** In the order of the calls: which have their turn. */
const turns = (calls: { turn: Turn | null }[]) => calls.map(({ turn }) => turn !== null);

describe('a provider counts as unreachable', () => {
  it.each([
    [2, 2],
    [4, 2],
    [10, 4],
    [1000, 10],
  ])('where of %d calls at once %d in a row are refused', async (atOnce, refused) => {
    const calls = await sent(atOnce);
    const forgiven = calls.slice(0, refused).map((turn, index) => turn.failed(`call ${index}`, none, busy()));
    expect(outage.isOpen).toBe(true);
    // The last of them has shown it; those before have failed.
    expect(forgiven).toEqual([...Array.from({ length: refused - 1 }, () => false), true]);
  });

  it.each([
    error('rate_limited'),
    error('overloaded'),
    error('connection', { isUnsent: true }),
    error('server', { status: 502 }),
    error('server', { status: 504 }),
  ])('where nobody tries ($kind)', async (refusal) => {
    for (const [key, turn] of (await sent(2)).entries()) turn.failed(String(key), none, refusal);
    expect(outage.isOpen).toBe(true);
  });

  it.each([
    error('server', { status: 500 }),
    error('timeout'),
    error('connection'),
    error('malformed_reply'),
    error('bad_request'),
    error('unknown'),
  ])('and not where requests fail for a reason that may be their own ($kind)', async (failure) => {
    for (const [key, turn] of (await sent(20)).entries()) {
      expect(turn.failed(String(key), none, failure)).toBe(false);
    }
    expect(outage.isOpen).toBe(false);
  });

  it('where one call that is alone is refused three times in a row, on whatever worker', async () => {
    let before = none;
    for (const forgiven of [false, false, true]) {
      // Another worker knows what the call has met.
      if (before.failures === 1) outage = new Outage({ random: () => 0.5 });
      const [turn] = await sent(1);
      expect(turn?.failed('one', before, busy())).toBe(forgiven);
      before = withFailure(before, busy());
    }
    expect(outage.isOpen).toBe(true);
  });

  it('for an hour only where one call alone is above a limit: then its attempts count again', async () => {
    const limited = () => error('rate_limited');
    let before = none;
    const forgiven: boolean[] = [];
    for (let request = 0; request < 70; request++) {
      const call = waits();
      await passed(61_000);
      forgiven.push(call.turn?.failed('big', before, limited()) ?? false);
      if (!forgiven.at(-1)) before = withFailure(before, limited());
    }
    expect(forgiven.slice(0, 58)).toEqual([false, false, ...Array(56).fill(true)]);
    expect(forgiven.slice(62)).toEqual(Array(8).fill(false));
    // Of the next call nobody knows that it is above the limit.
    const next = waits();
    await passed(61_000);
    expect(next.turn?.failed('next', none, limited())).toBe(true);
  });

  it('for as long as it lasts where one call alone meets no capacity', async () => {
    let before = none;
    for (let request = 0; request < 14; request++) {
      const call = waits();
      await passed(61_000);
      if (call.turn?.failed('one', before, busy()) === false) before = withFailure(before, busy());
    }
    expect(before.failures).toBe(2);
  });

  it('and not for the sake of one call while others are asked beside it', async () => {
    const [beside] = await sent(1);
    for (let before = none; before.failures < 8; before = withFailure(before, busy())) {
      const [turn] = await sent(1);
      expect(turn?.failed('one', before, busy())).toBe(false);
    }
    expect(outage.isOpen).toBe(false);
    beside?.dropped();
  });

  it('and not while it answers others', async () => {
    for (let round = 0; round < 20; round++) {
      const [refused, answered] = await sent(2);
      refused?.failed(`call ${round}`, none, busy());
      answered?.answered();
    }
    expect(outage.isOpen).toBe(false);
  });
});

describe('while a provider is unreachable', () => {
  beforeEach(unreachable);

  it('one call at a time asks, after 1 s, 2 s, … up to a minute', async () => {
    const [started, asked]: [number, number[]] = [performance.now(), []];
    const others = [waits(), waits()];
    for (let probe = 0; probe < 9; probe++) {
      const call = others.shift() as ReturnType<typeof waits>;
      others.push(waits());
      while (call.turn === null) await passed(500);
      asked.push(Math.round((performance.now() - started) / 1000));
      expect(turns(others)).toEqual([false, false]);
      call.turn.failed('one', none, busy());
    }
    expect(asked.slice(1).map((at, index) => at - (asked[index] ?? 0))).toEqual([
      2, 4, 8, 16, 32, 60, 60, 60,
    ]);
  });

  it('it is asked no sooner than it says', async () => {
    const call = waits();
    await passed(1000);
    call.turn?.failed('call', none, busy(600_000));
    const next = waits();
    await passed(599_000);
    expect(next.turn).toBeNull();
    await passed(1000);
    expect(next.turn).not.toBeNull();
  });

  it('calls go in the order they came, and one that was refused is last', async () => {
    const calls = [waits(), waits(), waits()];
    await passed(1000);
    expect(turns(calls)).toEqual([true, false, false]);
    expect(calls[0]?.turn?.failed('call 0', none, busy())).toBe(true);
    calls.push(waits());
    await passed(2000);
    expect(turns(calls)).toEqual([true, true, false, false]);
  });

  it('a refusal is forgiven, however often it comes', async () => {
    for (let probe = 0; probe < 100; probe++) {
      const call = waits();
      await passed(60_000);
      expect(call.turn?.failed('call', none, busy())).toBe(true);
    }
  });

  it('what failed before it was unreachable continues where it was', async () => {
    // The first to be refused: that counted, with this worker or another one.
    const before = withFailure(none, busy());
    const call = waits();
    await passed(1000);
    expect(call.turn?.failed('one', before, busy())).toBe(true);
  });

  it('an answer to what was sent before it was unreachable takes nothing back', async () => {
    outage = new Outage({ random: () => 0.5 });
    const [early, one, other, third] = (await sent(4)) as [Turn, Turn, Turn, Turn];
    await passed(1);
    const before = withFailure(none, busy());
    one.failed('one', none, busy());
    early.answered();
    other.failed('other', none, busy());
    third.failed('third', none, busy());
    expect(outage.isOpen).toBe(true);
    const call = waits();
    await passed(1000);
    expect(call.turn?.failed('one', before, busy())).toBe(true);
  });

  it('one that is answered later shows that a refusal was the call’s own', async () => {
    outage = new Outage({ random: () => 0.5 });
    let before = none;
    for (; before.failures < 3; before = withFailure(before, busy())) {
      const [own, healthy] = (await sent(2)) as [Turn, Turn];
      own.failed('one', before, busy());
      healthy.answered();
      await passed(1);
    }
    const [own, other] = (await sent(2)) as [Turn, Turn];
    other.failed('other', none, busy());
    expect(own.failed('one', before, busy())).toBe(false);
    expect(outage.isOpen).toBe(true);
  });

  it('a call that has failed otherwise before is not forgiven', async () => {
    for (const failures of [
      [error('server', { status: 500 }), busy()],
      [busy(), error('timeout')],
    ]) {
      const call = waits();
      await passed(60_000);
      expect(call.turn?.failed('call', failures.reduce(withFailure, none), busy())).toBe(false);
    }
  });

  it('a failure that may be the call’s own is not forgiven, and the next one asks later', async () => {
    const calls = [waits(), waits()];
    await passed(1000);
    expect(calls[0]?.turn?.failed('call', none, error('server', { status: 500 }))).toBe(false);
    await passed(1000);
    expect(turns(calls)).toEqual([true, false]);
    await passed(1000);
    expect(turns(calls)).toEqual([true, true]);
  });

  it('nothing is forgiven after a day', async () => {
    await passed(25 * 3600 * 1000);
    const call = waits();
    await passed(0);
    expect(call.turn?.failed('call', none, busy())).toBe(false);
  });

  it('a call that comes after the pause asks at once, and alone', async () => {
    await passed(5000);
    const calls = [waits(), waits()];
    await passed(0);
    expect(turns(calls)).toEqual([true, false]);
  });

  it('a call that is given up waits no longer, and where it asks another one does', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [waits({ signal: first.signal }), waits({ signal: second.signal }), waits()];
    await passed(1000);
    second.abort('no longer wanted');
    calls[0]?.turn?.dropped();
    await passed(1000);
    expect(turns(calls)).toEqual([true, false, true]);
    expect(calls[1]?.failure).toBe('no longer wanted');
  });

  it('a call that has waited for as long as it may is given up with what the provider said', async () => {
    const call = waits({ until: performance.now() + 500 });
    await passed(1000);
    expect(call.failure).toBeInstanceOf(WaitedTooLong);
    expect(call.failure).toMatchObject({ message: 'overloaded!' });
  });

  it('people hear of it with every request that it refuses, and once that it answers', async () => {
    const own: (Unreachable | null)[] = [];
    const onUnreachable = (notices: Unreachable | null) => void own.push(notices);
    const calls = [waits({ onUnreachable }), waits({ onUnreachable })];
    expect(heard).toEqual([]);
    await passed(1000);
    calls[0]?.turn?.failed('call', none, busy());
    expect(heard).toEqual(['overloaded!']);
    waits({ onUnreachable });
    await passed(2000);
    calls[1]?.turn?.answered();
    expect(heard).toEqual(['overloaded!', null]);
    // One that waited on, one that began to wait, and both that hear of the answer.
    expect(own.map((notices) => notices?.message ?? null)).toEqual([
      'overloaded!',
      'overloaded!',
      null,
      null,
    ]);
    expect(own[0]).toBe(own[1]);
  });
});

describe('a provider that answers again', () => {
  beforeEach(unreachable);

  it('is asked by two, by three, … and by all', async () => {
    const calls = Array.from({ length: 12 }, () => waits());
    const asking = () => turns(calls).filter((has) => has).length;
    await passed(1000);
    expect(asking()).toBe(1);
    const answered = async (index: number) => {
      calls[index]?.turn?.answered();
      await passed(0);
      return asking();
    };
    expect(await answered(0)).toBe(3);
    expect(await answered(1)).toBe(5);
    expect(await answered(2)).toBe(7);
    for (let index = 3; index < 6; index++) await answered(index);
    expect(asking()).toBe(12);
    expect(turns([waits(), waits()])).toEqual([false, false]);
    const more = [waits(), waits(), waits()];
    await passed(0);
    expect(turns(more)).toEqual([true, true, true]);
  });

  it('and refuses again is unreachable as before, with the pauses that it had', async () => {
    const first = waits();
    await passed(1000);
    first.turn?.failed('first', none, busy());
    const calls = [waits(), waits(), waits(), waits()];
    await passed(2000);
    calls[0]?.turn?.answered();
    await passed(0);
    expect(turns(calls)).toEqual([true, true, true, false]);
    expect(calls[1]?.turn?.failed('call 1', none, busy())).toBe(false);
    expect(calls[2]?.turn?.failed('call 2', none, busy())).toBe(true);
    expect(outage.isOpen).toBe(true);
    const next = waits();
    await passed(1000);
    expect(next.turn).toBeNull();
  });

  it('is not taken to be back for what was sent before it went away', async () => {
    const [early] = await (async () => {
      const call = waits();
      await passed(1000);
      call.turn?.answered();
      return sent(3);
    })();
    for (const [key, turn] of (await sent(3)).entries()) turn.failed(String(key), none, busy());
    expect(outage.isOpen).toBe(true);
    early?.answered();
    expect(outage.isOpen).toBe(true);
  });

  it('has answered where it says what is wrong with a request', async () => {
    const call = waits();
    await passed(1000);
    expect(call.turn?.failed('call', none, error('bad_request'))).toBe(false);
    expect(outage.isOpen).toBe(false);
  });
});
