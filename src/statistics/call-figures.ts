import type { CallRecord } from '../contracts/language-model.js';
import type { CallFigures, CutOffReplies } from '../contracts/results.js';
import type { Beside, Repeats, StepCost, Unrecorded } from '../contracts/step-cost.js';
import { cutOffReplies } from '../replies/reply-faults.js';
import { addBeside } from '../runtime/beside.js';
import { addRepeats, repeatsOfCall, sumRepeats } from '../runtime/repeats.js';
import { addStep, costOfCall, noStepCost } from '../runtime/step-cost.js';
import { roundCost } from './result-row.js';

/** Maximum number of distinct sentences; further ones are counted together. */
const MAX_SENTENCES = 20;
const OTHERS = 'in other ways';

/** Builds the fields of the metrics for usage outside of the recorded replies; empty ones are left out. */
function besideOf(counts: Omit<Beside, 'unrecorded'>, unrecorded: Unrecorded | null): Beside {
  const { lm_calls_cut_off, lm_calls_estimated } = counts;
  return addBeside(
    { lm_calls_cut_off, lm_calls_estimated },
    unrecorded === null ? {} : { unrecorded: rounded(unrecorded) },
  );
}

/** Counts a text; from a number of texts on, all further ones together. */
function countIn(counts: Map<string, number>, text: string): void {
  const key = counts.has(text) || counts.size < MAX_SENTENCES ? text : OTHERS;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function rounded({ cost_usd, ...unrecorded }: Unrecorded): Unrecorded {
  return { ...unrecorded, cost_usd: cost_usd === null ? null : roundCost(cost_usd) };
}

/** Sums of an experiment's calls for its metrics: cost, repeats, adapted requests, and replies that were cut off. */
export class CallTally {
  private cost: StepCost = noStepCost();
  private repeats: Repeats = sumRepeats([]);
  private cutOff = 0;
  private reasoning: number | undefined;
  private readonly adaptations = new Map<string, number>();
  private readonly roles = new Map<string, StepCost>();
  /** Replies by the model that answered, of each role. */
  private readonly answerers = new Map<string, Map<string, number>>();

  /** @param roleOf names the role whose model a call is of; absent: all have one */
  constructor(private readonly roleOf?: (call: CallRecord) => string) {}

  /** Counts a row, or a reply, that was cut off. */
  addCutOff(found: CutOffReplies | null | undefined): void {
    if (found == null) return;
    this.cutOff += 1;
    if (found.reasoning_tokens === undefined) return;
    this.reasoning = (this.reasoning ?? 0) + found.reasoning_tokens;
  }

  addCall(call: CallRecord): void {
    const cost = costOfCall(call);
    this.addCost(cost);
    const role = this.roleOf?.(call);
    if (role !== undefined) this.roles.set(role, addStep(this.roles.get(role) ?? noStepCost(), cost));
    this.repeats = addRepeats(this.repeats, repeatsOfCall(call));
    for (const sentence of new Set(call.adapted)) countIn(this.adaptations, sentence);
    // Judges may be a panel, and nobody has answered what is refused.
    if (call.purpose === 'grade' || call.context_full !== undefined) return;
    const names = this.answerers.get(role ?? '') ?? new Map<string, number>();
    countIn(names, call.model);
    this.answerers.set(role ?? '', names);
  }

  /** Adds a call where cut-off replies are counted, not rows with one. */
  addReply(call: CallRecord): void {
    this.addCall(call);
    this.addCutOff(cutOffReplies([call]));
  }

  /** Adds cost besides that of recorded calls. */
  addCost(cost: StepCost): void {
    this.cost = addStep(this.cost, cost);
  }

  /** @param unrecorded cost of requests without a recorded reply, which is listed beside the other figures */
  figures(unrecorded: Unrecorded | null): CallFigures {
    const { cost, repeats, cutOff, reasoning } = this;
    const adaptations = new Map([...this.adaptations, ...this.otherAnswerers()]);
    return {
      cut_off: cutOff,
      ...(reasoning === undefined ? {} : { cut_off_reasoning_tokens: reasoning }),
      ...(adaptations.size === 0 ? {} : { adaptations: Object.fromEntries(adaptations) }),
      ...this.byRole(),
      lm_calls: cost.lm_calls,
      ...repeats,
      usage: cost.usage,
      cost_usd: cost.cost_usd === null ? null : roundCost(cost.cost_usd),
      ...besideOf(cost, unrecorded),
    };
  }

  /** Counts the replies of models that did not answer the other calls of their role: the figures are of a mixture. */
  private otherAnswerers(): [sentence: string, calls: number][] {
    return [...this.answerers.values()].flatMap((names) => {
      const [[usual] = [''], ...others] = [...names].sort(([, left], [, right]) => right - left);
      return others.map(([name, calls]): [string, number] => [
        `${name} answered, and not ${usual} as elsewhere`,
        calls,
      ]);
    });
  }

  /** Returns the sums by role, where several roles have calls. */
  private byRole(): Pick<CallFigures, 'by_role'> {
    if (this.roles.size < 2) return {};
    const sums = [...this.roles].map(([role, { lm_calls, usage, cost_usd }]) => {
      const rounded = cost_usd === null ? null : roundCost(cost_usd);
      return [role, { lm_calls, usage, cost_usd: rounded }] as const;
    });
    return { by_role: Object.fromEntries(sums) };
  }
}
