import { expect } from 'vitest';
import type { ExecutionResult } from '../../../src/contracts/execution.js';
import type { ExecutionLimits } from '../../../src/sandboxes/sandbox.js';
import type { HostileCase } from './cases.js';

/** Whether a hostile program ended as it does where it is contained, and said nothing else. */
export function expectContained(
  hostile: HostileCase,
  result: ExecutionResult,
  limits: ExecutionLimits,
): void {
  expect(result).toMatchObject({
    status: hostile.status,
    exit_code: hostile.exitCode,
    truncated: hostile.truncated ?? false,
  });
  expect(result.stdout + result.stderr).not.toContain('ESCAPED');
  if (hostile.attempts !== undefined) {
    expect(result.stdout.match(/^contained: /gm) ?? []).toHaveLength(hostile.attempts);
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const expected = hostile[stream];
    if (typeof expected === 'string') expect(result[stream]).toBe(expected);
    if (expected instanceof RegExp) expect(result[stream]).toMatch(expected);
    expect(Buffer.byteLength(result[stream])).toBeLessThanOrEqual(limits.output_kb * 1000);
  }
}
