import type { Spending } from '../../../contracts/experiment.js';
import type { GeneratedReply } from '../../../contracts/language-model.js';
import type { Unrecorded } from '../../../contracts/step-cost.js';
import type { FoundExperiences, Totals } from '../contracts.js';
import type { LaneState } from '../lane/lane-state.js';
import {
  bookCall,
  bookEmbeddings,
  bookEpisode,
  bookUnrecorded,
  type EpisodeOutcome,
} from '../lane/totals.js';

/** Account of a lane: its calls, and what they cost. */
export interface LaneAccount {
  /** Requests for each unanswered call of the lane that may have been cut off with earlier workers. */
  cutOff: number;
  /** Requests a grant for one call, and waits for it if needed. The call ends as answered or failed. */
  mayCall(): boolean | Promise<boolean>;
  answered(reply: GeneratedReply): void;
  failed(unrecorded: Unrecorded | null): void;
  /** Records what a search paid for vectors. */
  paid(embeddings: NonNullable<FoundExperiences['embeddings']>): void;
  /** Records a finished episode; `before` is the outcome of the sample's earlier trial, if there was one. */
  ended(outcome: EpisodeOutcome, before: EpisodeOutcome | undefined): void;
  /** Notes that the lane is no longer in progress. */
  leave(): void;
}

/** What happens around the entries of an account. */
interface Around extends Pick<LaneAccount, 'mayCall' | 'leave'> {
  /** Called after a granted call has ended. @param requests booked for it: none if its reply was found, or not sent */
  onCall(requests: number, how: 'answered' | 'failed'): void;
  /** Called with the cost of a reply that was stored before, by this execution. */
  onFound(cost: Spending): void;
  onPaid(): void;
  onEpisode(): void;
}

function spendingOfReply({ usage, cost_usd }: GeneratedReply): Spending {
  const { input_tokens = 0, output_tokens = 0 } = usage ?? {};
  return { lm_calls: 1, tokens: input_tokens + output_tokens, cost_usd: cost_usd ?? null };
}

/** Opens the account of a lane, which adds to totals. */
export function laneAccount(
  { lost = 0 }: LaneState,
  totals: Totals,
  { mayCall, leave, onCall, onFound, onPaid, onEpisode }: Around,
): LaneAccount {
  return {
    cutOff: lost,
    mayCall,
    leave,
    answered: (reply) => {
      // Costs of earlier executions are in the totals that the run began with.
      if (reply.counted) bookUnrecorded(totals, reply.unrecorded ?? null);
      else bookCall(totals, reply);
      if (reply.found && !reply.counted) onFound(spendingOfReply(reply));
      onCall((reply.unrecorded?.requests ?? 0) + (reply.counted || reply.found ? 0 : 1), 'answered');
    },
    failed: (unrecorded) => {
      bookUnrecorded(totals, unrecorded);
      onCall(unrecorded?.requests ?? 0, 'failed');
    },
    paid: (embeddings) => {
      bookEmbeddings(totals, embeddings);
      onPaid();
    },
    ended: (outcome, before) => {
      bookEpisode(totals, outcome, before);
      onEpisode();
    },
  };
}
