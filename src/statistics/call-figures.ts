import type { CallRecord } from '../contracts/language-model.js';
import type { CallFigures, CutOffReplies } from '../contracts/results.js';

/** Maximum number of distinct sentences; further ones are counted together. */
const MAX_SENTENCES = 20;
const OTHERS = 'in other ways';

/** Counts of adapted requests and of replies that a token limit cut off, for the metrics. */
export class CallTally {
  private cutOff = 0;
  private reasoning: number | undefined;
  private readonly adaptations = new Map<string, number>();

  /** Counts a row, or a reply, that was cut off. */
  addCutOff(found: CutOffReplies | null | undefined): void {
    if (found == null) return;
    this.cutOff += 1;
    if (found.reasoning_tokens === undefined) return;
    this.reasoning = (this.reasoning ?? 0) + found.reasoning_tokens;
  }

  addCall({ adapted = [] }: Pick<CallRecord, 'adapted'>): void {
    for (const sentence of new Set(adapted)) {
      const isKnown = this.adaptations.has(sentence) || this.adaptations.size < MAX_SENTENCES;
      const key = isKnown ? sentence : OTHERS;
      this.adaptations.set(key, (this.adaptations.get(key) ?? 0) + 1);
    }
  }

  figures(): CallFigures {
    const { cutOff, reasoning, adaptations } = this;
    return {
      cut_off: cutOff,
      ...(reasoning === undefined ? {} : { cut_off_reasoning_tokens: reasoning }),
      ...(adaptations.size === 0 ? {} : { adaptations: Object.fromEntries(adaptations) }),
    };
  }
}
