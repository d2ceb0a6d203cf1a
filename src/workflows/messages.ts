import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { RolloutControl, RolloutReport } from '../contracts/agent-eval.js';
import type { AgentEvalProgress, RolloutProgress } from '../contracts/agent-eval-results.js';
import type { IterationReport } from '../contracts/evolve.js';
import type { EvolveProgress } from '../contracts/evolve-results.js';
import type { JudgeProgress } from '../contracts/judge.js';
import { QUERIES, SIGNALS, UPDATES } from '../contracts/names.js';
import type { Asked, AwayNotice, ControlState, Progress, ShardReport, Totals } from '../contracts/run.js';

export const progressQuery = defineQuery<Progress>(QUERIES.progress);
export const shardProgressQuery = defineQuery<Totals>(QUERIES.progress);

export const evolveProgressQuery = defineQuery<EvolveProgress>(QUERIES.progress);

export const agentEvalProgressQuery = defineQuery<AgentEvalProgress>(QUERIES.progress);
export const rolloutProgressQuery = defineQuery<RolloutProgress>(QUERIES.progress);
export const rolloutControlSignal = defineSignal<[RolloutControl]>(SIGNALS.control);
export const rolloutReportSignal = defineSignal<[RolloutReport]>(SIGNALS.report);
/** What a person says in the place of the user; waits for its turn. */
export const replyUpdate = defineUpdate<void, [string]>(UPDATES.reply);

export const judgeProgressQuery = defineQuery<JudgeProgress>(QUERIES.progress);

export const pauseUpdate = defineUpdate<void>(UPDATES.pause);
export const resumeUpdate = defineUpdate<void>(UPDATES.resume);
/** Finishes the episodes in flight, then reports. */
export const stopUpdate = defineUpdate<void>(UPDATES.stop);
export const setConcurrencyUpdate = defineUpdate<number, [number]>(UPDATES.setConcurrency);

/** Leases so many starts of requests; answers with milliseconds until the first. */
export const startsUpdate = defineUpdate<number, [number]>(UPDATES.starts);

// The same for `temporal workflow signal`, whose sender hears of nothing.
export const pauseSignal = defineSignal(UPDATES.pause);
export const resumeSignal = defineSignal(UPDATES.resume);
export const stopSignal = defineSignal(UPDATES.stop);
export const setConcurrencySignal = defineSignal<[number]>(UPDATES.setConcurrency);

export const awaySignal = defineSignal<[AwayNotice]>(SIGNALS.away);
export const evolveReportSignal = defineSignal<[IterationReport]>(SIGNALS.report);
export const evolveControlSignal = defineSignal<[Asked]>(SIGNALS.control);
export const reportSignal = defineSignal<[ShardReport]>(SIGNALS.report);
export const controlSignal = defineSignal<[ControlState]>(SIGNALS.control);
/** Calls that may be made, and the number of the request for them, where it has one. */
export const grantSignal = defineSignal<[calls: number, ask: number | undefined]>(SIGNALS.grant);
