import { isBudgetReport, isChild, isText, isTruth, shaped } from '../../../contracts/incoming.js';
import { QUERIES, SIGNALS } from '../../../contracts/names.js';
import { defineQuery, defineSignal, defineUpdate } from '../../../workflows/sdk.js';
import { REPLY, type RolloutControl, type RolloutReport } from '../contracts.js';
import type { RolloutProgress } from '../results.js';

export const rolloutProgressQuery = defineQuery<RolloutProgress>(QUERIES.progress);
export const rolloutControlSignal = defineSignal<[RolloutControl]>(SIGNALS.control);
export const rolloutReportSignal = defineSignal<[RolloutReport]>(SIGNALS.report);
/** Message of a person in place of the user; refused if it is not the user's turn. */
export const replyUpdate = defineUpdate<void, [string]>(REPLY);

export const isRolloutReport = shaped<RolloutReport>({
  from: isChild,
  rollout: isText,
  budget: isBudgetReport,
});

export const isRolloutControl = shaped<RolloutControl>({ paused: isTruth, exhausted: isTruth });
