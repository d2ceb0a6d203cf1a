import type { ScaffoldJob, ScaffoldNode } from '../contracts/evolve.js';
import { settleAll } from '../runtime/settle-all.js';
import { type Proposal, proposeByTurns } from './drafting.js';
import { rejectDuplicates } from './duplicates.js';
import type { IterationPlan, IterationPorts, ProposalRequest } from './iteration-ports.js';
import { trainingExamples } from './sampling.js';

/** Tries for one scaffold. */
export const GENERATION_ATTEMPTS = 3;

/** A scaffold that is to be made. */
export interface WantedScaffold {
  id: string;
  /** null for one made from scratch. */
  parent: Pick<ScaffoldNode, 'id' | 'iteration'> | null;
  /** The parent's runs that its prompt shows. */
  runs: ScaffoldJob[];
}

/** What all scaffolds of a round have in common. */
export interface Round {
  plan: IterationPlan;
  iteration: number;
  /** Begins every line that people read. */
  label: string;
  /** The scaffolds that there are already. */
  earlier: readonly ScaffoldNode[];
}

type GenerationPorts = Pick<IterationPorts, 'propose' | 'turn' | 'runDraft' | 'say'>;

type Known = readonly { id: string; fingerprint: string }[];

/**
 * Makes scaffolds side by side. Answers with all of them, in the order they were asked for: `new`, `failed` after
 * {@link GENERATION_ATTEMPTS} tries, `duplicate` where one says the same as an earlier one or as one of this round, or
 * `unscored` where a draft could not be run.
 */
export async function generateScaffolds(
  wanted: readonly WantedScaffold[],
  round: Round,
  ports: GenerationPorts,
): Promise<ScaffoldNode[]> {
  const earlier = fingerprinted(round.earlier);
  const known = Object.fromEntries(earlier.map(({ id, fingerprint }) => [id, fingerprint]));
  const made = await settleAll(wanted.map((one) => generateOne(one, round, known, ports)));
  const { rejected } = rejectDuplicates(fingerprinted(made), earlier);
  const originals = new Map(rejected.map(({ id, duplicate_of }) => [id, duplicate_of]));
  for (const { id, duplicate_of } of rejected) {
    ports.say(`[${round.label}] Scaffold ${id} says the same as ${duplicate_of}`);
  }
  return made.map((node) => {
    const duplicate_of = originals.get(node.id);
    return duplicate_of === undefined ? node : { ...node, status: 'duplicate', duplicate_of };
  });
}

function fingerprinted(nodes: readonly ScaffoldNode[]): Known {
  return nodes.flatMap(({ id, fingerprint }) => (fingerprint === undefined ? [] : [{ id, fingerprint }]));
}

/** A scaffold of which nothing is known so far. */
export function newNode(id: string, parent_scaffold_id: string | null, iteration: number): ScaffoldNode {
  return { id, parent_scaffold_id, iteration, status: 'new', train: [], valid: [] };
}

async function generateOne(
  { id, parent, runs }: WantedScaffold,
  { plan, iteration, label }: Round,
  known: Record<string, string>,
  ports: GenerationPorts,
): Promise<ScaffoldNode> {
  const node = newNode(id, parent?.id ?? null, iteration);
  const choice = { seed: plan.seed, iteration, purpose: 'generate', scaffold_id: id } as const;
  const examples = parent === null ? trainingExamples(plan.train, plan.scaffolder.num_examples, choice) : [];
  const { agent } = plan.scaffolder;
  const drafts =
    agent === undefined
      ? null
      : {
          max_turns: agent.max_turns,
          examples: trainingExamples(plan.train, agent.draft_examples, { ...choice, purpose: 'draft' }),
        };
  const proposal = (request: ProposalRequest): Promise<Proposal> =>
    drafts === null ? ports.propose(request) : proposeByTurns(request, drafts, ports);
  const faults: string[] = [];
  for (let attempt = 0; attempt < GENERATION_ATTEMPTS; attempt++) {
    const proposed = await proposal({
      iteration,
      id,
      parent: parent?.id ?? null,
      parent_made_in: parent?.iteration ?? null,
      runs,
      examples,
      attempt,
      faults: [...faults],
      known,
    });
    if ('unscored' in proposed) {
      ports.say(`[${label}] Warning: scaffold ${id} is given up: ${proposed.unscored}`);
      return { ...node, status: 'unscored', error: proposed.unscored };
    }
    if (proposed.ok) {
      const { fingerprint, traits } = proposed;
      ports.say(`[${label}] ${parent === null ? 'Generated scaffold' : `Evolved ${parent.id} into`} ${id}`);
      return { ...node, fingerprint, traits };
    }
    faults.push(proposed.fault);
  }
  const fault = faults.at(-1) ?? '';
  ports.say(`[${label}] Warning: scaffold ${id} is skipped after ${GENERATION_ATTEMPTS} tries: ${fault}`);
  return { ...node, status: 'failed', error: fault };
}
