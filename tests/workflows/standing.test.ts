import { describe, expect, it } from 'vitest';
import { Standing } from '../../src/workflows/standing.js';

const BEFORE = { paused: true, stopping: false, exhausted: null, concurrency: 2 };

describe('Standing', () => {
  it('takes its concurrency from the plan where nobody asked for another', () => {
    const standing = new Standing('run');
    standing.begin(5);
    expect(standing.asked()).toEqual({ paused: false, stopping: false, exhausted: null, concurrency: 5 });
    expect(standing.phase).toBe('running');
  });

  it('keeps what is asked of it while it is prepared', () => {
    const standing = new Standing('run');
    standing.setConcurrency(9);
    standing.pause(true);
    expect(standing.phase).toBe('preparing');
    standing.begin(5);
    expect(standing.asked()).toMatchObject({ paused: true, concurrency: 9 });
    expect(standing.phase).toBe('paused');
  });

  it('goes on as the execution before did', () => {
    const standing = new Standing('run', BEFORE);
    standing.begin(5);
    expect(standing.asked()).toEqual(BEFORE);
    expect(standing.phase).toBe('paused');
  });

  it('does not take back what is asked before it has begun again', () => {
    const standing = new Standing('run', BEFORE);
    standing.pause(false);
    standing.setConcurrency(9);
    standing.begin(5);
    expect(standing.asked()).toMatchObject({ paused: false, concurrency: 9 });
  });

  it('is not resumed once it is being stopped, and lets what is in flight end', () => {
    const standing = new Standing('run');
    standing.begin(5);
    standing.pause(true);
    expect(standing.waits()).toBe(true);
    standing.stop();
    expect(standing.waits()).toBe(false);
    standing.pause(false);
    standing.pause(true);
    expect(standing.phase).toBe('stopping');
    expect(standing.waits()).toBe(false);
    expect(standing.goesOn()).toBe(false);
  });

  it('has room for so many, unless it is held', () => {
    const standing = new Standing('run');
    standing.begin(2);
    expect([0, 1, 2].map((going) => standing.hasRoom(going))).toEqual([true, true, false]);
    standing.pause(true);
    expect(standing.hasRoom(0)).toBe(false);
    expect(standing.goesOn()).toBe(true);
    standing.pause(false);
    standing.exhaust('limits.max_lm_calls: 3 of 3');
    expect(standing.hasRoom(0)).toBe(false);
    expect(standing.isOver()).toBe(true);
  });

  it('ends for the weightiest reason, and names the first of its kind', () => {
    const standing = new Standing('run');
    standing.begin(1);
    expect(standing.outcome(false)).toEqual({ status: 'done', message: null });
    standing.stop();
    expect(standing.outcome(false)).toEqual({ status: 'stopped', message: null });
    standing.exhaust('a limit');
    standing.exhaust('another limit');
    expect(standing.outcome(false)).toEqual({ status: 'limit_reached', message: 'a limit' });
    standing.fail('a fault');
    standing.fail('another fault');
    expect(standing.outcome(false)).toEqual({ status: 'failed', message: 'a fault' });
    expect(standing.outcome(true)).toEqual({ status: 'cancelled', message: null });
    expect(standing.message).toBe('a fault');
  });

  it('takes no request once it is over, and says so', () => {
    const standing = new Standing('judgement');
    standing.begin(1);
    standing.assertGoing();
    standing.phase = 'writing';
    expect(() => standing.assertGoing()).toThrow('the judgement is over (writing)');
    standing.phase = 'done';
    expect(() => standing.assertConcurrency(3)).toThrow('the judgement is over (done)');
  });

  it.each([0, -1, 1.5, 1001, Number.NaN])('refuses to work on %s at once', (concurrency) => {
    const standing = new Standing('run');
    standing.begin(1);
    expect(() => standing.assertConcurrency(concurrency)).toThrow(
      'concurrency must be a whole number from 1 to 1000',
    );
  });

  it('works on as many at once as its kind allows', () => {
    const standing = new Standing('run');
    standing.begin(1);
    standing.assertConcurrency(1000);
    standing.assertConcurrency(10_000, 10_000);
    expect(() => standing.assertConcurrency(10_001, 10_000)).toThrow('from 1 to 10000');
  });
});
