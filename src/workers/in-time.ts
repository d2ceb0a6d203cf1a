import { performance } from 'node:perf_hooks';
import { LATE, settle } from '../sandboxes/settle.js';
import type { Late } from './fair-pool.js';

/** Share of a task's time from which on others in its thread may have taken it. */
const BUSY = 0.5;

/** What a task of a thread comes to, or that it is late. @throws what the work throws */
export async function inTime<Answer>(work: () => Promise<Answer>, timeoutMs: number): Promise<Answer | Late> {
  const before = performance.eventLoopUtilization();
  const answer = await settle(work(), timeoutMs);
  if (answer !== LATE) return answer;
  return { late: true, isThreadBusy: performance.eventLoopUtilization(before).utilization > BUSY };
}
