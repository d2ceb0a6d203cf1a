import { describe, expect, test } from 'vitest';
import { isOrphan, ownerLabel } from '../../src/sandboxes/container-owner.js';

const NOW = 1_000_000;
const labels = (owner: string, deadline: number | string) => ({
  'reprise.owner': owner,
  'reprise.deadline': String(deadline),
});
const [host = '', processId = '', start = ''] = ownerLabel().split('/');

describe('a container is an orphan', () => {
  test.each([
    ['of this living process', ownerLabel(), NOW + 60, false],
    ['of another host, in its time', 'elsewhere/1/1', NOW + 60, false],
    ['just over its time, by the clock of another host', 'elsewhere/1/1', NOW - 119, false],
    ['long over its time', 'elsewhere/1/1', NOW - 121, true],
    ['long over its time, of a living process', ownerLabel(), NOW - 121, true],
    ['of a dead process of this host', `${host}/999999999/1`, NOW + 60, true],
    [
      'of a dead process whose id is in use again',
      `${host}/${processId}/${Number(start) + 1}`,
      NOW + 60,
      true,
    ],
    ['of a dead process id on another host', `${host}x/999999999/1`, NOW + 60, false],
    ['without a readable time', ownerLabel(), 'soon', true],
  ])('or not: %s', (_what, owner, deadline, expected) => {
    expect(isOrphan(labels(owner, deadline), NOW)).toBe(expected);
  });

  test('where it has no labels of ours but the one', () => {
    expect(isOrphan({}, NOW)).toBe(true);
  });

  test('never by a name of the process that differs between two looks', () => {
    expect(ownerLabel()).toBe(ownerLabel());
    expect(ownerLabel()).toMatch(new RegExp(`^[^/]+/${process.pid}/\\d+$`));
  });
});
