import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UNREACHABLE_REPEAT_MS, type UnreachableNotice } from '../../src/contracts/experiment.js';
import { ExperimentStatus } from '../../src/workflows/experiment-status.js';

const BEFORE = { paused: true, stopping: false, exhausted: null, concurrency: 2 };

describe('Standing', () => {
  it('takes its concurrency from the plan where nobody asked for another', () => {
    const standing = new ExperimentStatus('run');
    standing.begin(5);
    expect(standing.asked()).toEqual({ paused: false, stopping: false, exhausted: null, concurrency: 5 });
    expect(standing.phase).toBe('running');
  });

  it('keeps what is asked of it while it is prepared', () => {
    const standing = new ExperimentStatus('run');
    standing.setConcurrency(9);
    standing.pause(true);
    expect(standing.phase).toBe('preparing');
    standing.begin(5);
    expect(standing.asked()).toMatchObject({ paused: true, concurrency: 9 });
    expect(standing.phase).toBe('paused');
  });

  it('continues as the execution before did', () => {
    const standing = new ExperimentStatus('run', BEFORE);
    standing.begin(5);
    expect(standing.asked()).toEqual(BEFORE);
    expect(standing.phase).toBe('paused');
  });

  it('does not take back what is asked before it has begun again', () => {
    const standing = new ExperimentStatus('run', BEFORE);
    standing.pause(false);
    standing.setConcurrency(9);
    standing.begin(5);
    expect(standing.asked()).toMatchObject({ paused: false, concurrency: 9 });
  });

  it('is not resumed once it is being stopped, and lets what is in flight end', () => {
    const standing = new ExperimentStatus('run');
    standing.begin(5);
    standing.pause(true);
    expect(standing.waits()).toBe(true);
    standing.stop();
    expect(standing.waits()).toBe(false);
    standing.pause(false);
    standing.pause(true);
    expect(standing.phase).toBe('stopping');
    expect(standing.waits()).toBe(false);
    expect(standing.continues()).toBe(false);
  });

  it('has room for so many, unless it is held', () => {
    const standing = new ExperimentStatus('run');
    standing.begin(2);
    expect([0, 1, 2].map((going) => standing.hasRoom(going))).toEqual([true, true, false]);
    standing.pause(true);
    expect(standing.hasRoom(0)).toBe(false);
    expect(standing.continues()).toBe(true);
    standing.pause(false);
    standing.exhaust('limits.max_lm_calls: 3 of 3');
    expect(standing.hasRoom(0)).toBe(false);
    expect(standing.isOver()).toBe(true);
  });

  it('ends for the weightiest reason, and names the first of its kind', () => {
    const standing = new ExperimentStatus('run');
    standing.begin(1);
    expect(standing.outcome(false)).toEqual({ status: 'done', message: null });
    standing.stop();
    expect(standing.outcome(false)).toEqual({ status: 'stopped', message: 'stopped on request' });
    standing.exhaust('a limit');
    standing.exhaust('another limit');
    expect(standing.outcome(false)).toEqual({ status: 'limit_reached', message: 'a limit' });
    standing.fail('a fault');
    standing.fail('another fault');
    expect(standing.outcome(false)).toEqual({ status: 'failed', message: 'a fault' });
    expect(standing.outcome(true)).toEqual({ status: 'cancelled', message: 'the workflow was cancelled' });
    expect(standing.message).toBe('a fault');
  });

  it('takes no request once it is over, and says so', () => {
    const standing = new ExperimentStatus('judgement');
    standing.begin(1);
    standing.assertGoing();
    standing.phase = 'writing';
    expect(() => standing.assertGoing()).toThrow('the judgement is over (writing)');
    standing.phase = 'done';
    expect(() => standing.assertConcurrency(3)).toThrow('the judgement is over (done)');
  });

  it.each([0, -1, 1.5, 10_001, Number.NaN])('refuses to work on %s at once', (concurrency) => {
    const standing = new ExperimentStatus('run');
    standing.begin(1);
    expect(() => standing.assertConcurrency(concurrency)).toThrow(
      'concurrency must be a whole number from 1 to 10000',
    );
  });

  describe('what it waits for', () => {
    const NOW = 1_000_000;
    const waiting = (...notices: UnreachableNotice[]) => {
      const standing = new ExperimentStatus('run');
      standing.begin(5);
      for (const notice of notices) standing.onUnreachable(notice, NOW);
      return standing;
    };
    beforeEach(() => {
      vi.useFakeTimers({ now: NOW });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('is told until it is there again', () => {
      const standing = waiting(
        { what: 'openai/a', message: 'busy' },
        { what: 'openai/b', message: 'no capacity' },
      );
      expect(standing.message).toBe('waiting for openai/a: busy; openai/b: no capacity');
      standing.onUnreachable({ what: 'openai/a', message: null }, NOW);
      expect(standing.message).toBe('waiting for openai/b: no capacity');
      standing.onUnreachable({ what: 'openai/b', message: null }, NOW);
      expect(standing.message).toBeNull();
    });

    it('is believed no longer than whoever is there would have said it again', () => {
      const standing = waiting({ what: 'openai/a', message: 'busy' });
      vi.setSystemTime(NOW + 2 * UNREACHABLE_REPEAT_MS);
      expect(standing.message).not.toBeNull();
      vi.setSystemTime(NOW + 3 * UNREACHABLE_REPEAT_MS);
      expect(standing.message).toBeNull();
    });

    it('is no reason for an end, and says nothing of one that has ended', () => {
      const standing = waiting({ what: 'openai/a', message: 'busy' });
      expect(standing.continues()).toBe(true);
      expect(standing.outcome(false)).toEqual({ status: 'done', message: null });
      standing.exhaust('limits.max_lm_calls: 9 of 9 calls are made');
      expect(standing.message).toBe('limits.max_lm_calls: 9 of 9 calls are made');
      const ended = waiting({ what: 'openai/a', message: 'busy' });
      ended.phase = 'done';
      expect(ended.message).toBeNull();
    });
  });
});
