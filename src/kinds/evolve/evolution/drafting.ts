import type { CodeTraits } from './duplicates.js';
import { type IterationPorts, type ProposalRequest, scoresOn, type Unscored } from './iteration-ports.js';

/** Result of a try to write a scaffold. */
export type Proposal =
  | { ok: true; fingerprint: string; traits: CodeTraits }
  | { ok: false; fault: string; duplicate_of?: string }
  /** A draft could not be run. */
  | Unscored;

/** Settings of working turn by turn. */
export interface Drafting {
  max_turns: number;
  /** Training examples that drafts are run on. */
  examples: string[];
}

/**
 * Makes a try in which the scaffolder works turn by turn: it has drafts run on training examples, sees the results, and
 * submits one in the end. Every turn and every run is a step of its own, so none is repeated.
 */
export async function proposeByTurns(
  request: ProposalRequest,
  { max_turns, examples }: Drafting,
  ports: Pick<IterationPorts, 'turn' | 'runDraft'>,
): Promise<Proposal> {
  const told: (string | null)[] = [];
  for (let turn = 0; turn < max_turns; turn++) {
    const taken = await ports.turn({
      ...request,
      turn,
      max_turns,
      draft_examples: examples,
      told: [...told],
    });
    if (taken.kind === 'submitted') {
      return { ok: true, fingerprint: taken.fingerprint, traits: taken.traits };
    }
    if (taken.kind === 'failed') {
      const { fault, duplicate_of } = taken;
      return { ok: false, fault, ...(duplicate_of === undefined ? {} : { duplicate_of }) };
    }
    if (taken.kind === 'draft') {
      const { iteration, id, parent, attempt } = request;
      const draft = { scaffold: id, iteration, parent, attempt, turn, max_turns };
      const ran = await scoresOn(examples, (example) => ports.runDraft({ ...draft, example }));
      if ('unscored' in ran) return ran;
    }
    told.push(taken.kind === 'refused' ? taken.fault : null);
  }
  return { ok: false, fault: `nothing was submitted in ${max_turns} turns` };
}
