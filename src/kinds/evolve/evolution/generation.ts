import type { ScaffoldJob, ScaffoldNode } from '../contracts.js';
import { type Drafting, type Proposal, proposeByTurns } from './drafting.js';
import { type Fingerprinted, rejectDuplicates, sameAs } from './duplicates.js';
import type { IterationPlan, IterationPorts, ProposalRequest } from './iteration-ports.js';
import { dealtExamples } from './sampling.js';
import { settleAll } from './settle-all.js';

/** Maximum tries for one scaffold. */
const GENERATION_ATTEMPTS = 3;

export interface WantedScaffold {
  id: string;
  /** null for one made from scratch. */
  parent: Pick<ScaffoldNode, 'id' | 'iteration'> | null;
  /** Runs of the parent that the prompt shows. */
  runs: ScaffoldJob[];
  /** Number of its hand of training examples. */
  hand: number;
}

/** Common data of all scaffolds of a round. */
export interface Round {
  plan: IterationPlan;
  iteration: number;
  /** Prefix of every progress line. */
  label: string;
  /** Scaffolds that exist already. */
  earlier: readonly ScaffoldNode[];
}

type GenerationPorts = Pick<IterationPorts, 'propose' | 'turn' | 'runDraft' | 'say'>;

/**
 * Makes scaffolds concurrently. Returns all of them, in the order of the requests: `new`; after
 * {@link GENERATION_ATTEMPTS} tries `failed`, or `duplicate` where the last one equals another scaffold; or `unscored`
 * where a draft could not be run. Which of two equal ones that are made at the same time has to try again does not
 * depend on which was quicker: that is decided when all of them are made.
 */
export async function generateScaffolds(
  wanted: readonly WantedScaffold[],
  round: Round,
  ports: GenerationPorts,
): Promise<ScaffoldNode[]> {
  const earlier = fingerprinted(round.earlier);
  const making = wanted.map((one) => new Making(one, round, ports));
  for (let kept: Fingerprinted[] = []; ; ) {
    const known = Object.fromEntries([...earlier, ...kept].map(({ id, fingerprint }) => [id, fingerprint]));
    const made = await settleAll(making.map((one) => one.made(known)));
    const { rejected, kept: ids } = rejectDuplicates(fingerprinted(made), earlier);
    kept = fingerprinted(made).filter(({ id }) => ids.includes(id));
    const twins = rejected.filter(({ id }) => making.some((one) => one.isMade(id)));
    if (twins.length === 0) return made;
    for (const { id, duplicate_of } of twins) making.find((one) => one.isMade(id))?.reject(duplicate_of);
  }
}

function fingerprinted(nodes: readonly ScaffoldNode[]): Fingerprinted[] {
  return nodes.flatMap(({ id, fingerprint, status }) =>
    fingerprint === undefined || status === 'duplicate' ? [] : [{ id, fingerprint }],
  );
}

/** Creates a scaffold without results. */
export function newNode(id: string, parent_scaffold_id: string | null, iteration: number): ScaffoldNode {
  return { id, parent_scaffold_id, iteration, status: 'new', train: [], valid: [] };
}

/** One scaffold, through its tries. */
class Making {
  private readonly faults: string[] = [];
  private readonly blank: ScaffoldNode;
  private readonly examples: string[];
  private readonly drafts: Drafting | null;
  private node: ScaffoldNode | null = null;
  private twin: string | undefined;

  constructor(
    private readonly wanted: WantedScaffold,
    private readonly round: Round,
    private readonly ports: GenerationPorts,
  ) {
    const { id, parent, hand } = wanted;
    const { plan, iteration } = round;
    const { agent, num_examples } = plan.scaffolder;
    const deal = (purpose: 'generate' | 'draft', count: number) =>
      dealtExamples(plan.train, count, { seed: plan.seed, purpose, hand });
    this.blank = newNode(id, parent?.id ?? null, iteration);
    this.examples = parent === null ? deal('generate', num_examples) : [];
    this.drafts =
      agent === undefined
        ? null
        : { max_turns: agent.max_turns, examples: deal('draft', agent.draft_examples) };
  }

  isMade(id: string): boolean {
    return this.node?.id === id && this.node.status === 'new';
  }

  /** Returns the scaffold, after as many further tries as it takes. */
  async made(known: Record<string, string>): Promise<ScaffoldNode> {
    this.node ??= await this.tried(known);
    return this.node;
  }

  /** Counts a duplicate of a scaffold that was made at the same time as a failed try. */
  reject(twin: string): void {
    this.node = null;
    this.twin = twin;
    this.faults.push(sameAs(twin));
  }

  private async tried(known: Record<string, string>): Promise<ScaffoldNode> {
    const { faults, blank, ports } = this;
    const { label } = this.round;
    const { id, parent_scaffold_id: parent } = blank;
    while (faults.length < GENERATION_ATTEMPTS) {
      const proposed = await this.propose(known);
      if ('unscored' in proposed) {
        ports.say(`[${label}] Warning: scaffold ${id} is given up: ${proposed.unscored}`);
        return { ...blank, status: 'unscored', error: proposed.unscored };
      }
      if (proposed.ok) {
        const { fingerprint, traits } = proposed;
        ports.say(`[${label}] ${parent === null ? 'Generated scaffold' : `Evolved ${parent} into`} ${id}`);
        return { ...blank, fingerprint, traits };
      }
      this.twin = proposed.duplicate_of;
      faults.push(proposed.fault);
    }
    const fault = faults.at(-1) ?? '';
    ports.say(`[${label}] Warning: scaffold ${id} is skipped after ${GENERATION_ATTEMPTS} tries: ${fault}`);
    return this.twin === undefined
      ? { ...blank, status: 'failed', error: fault }
      : { ...blank, status: 'duplicate', duplicate_of: this.twin };
  }

  private propose(known: Record<string, string>): Promise<Proposal> {
    const { wanted, round, ports, examples, faults, drafts } = this;
    const { id, parent, runs } = wanted;
    const request: ProposalRequest = {
      iteration: round.iteration,
      id,
      parent: parent?.id ?? null,
      parent_made_in: parent?.iteration ?? null,
      runs,
      examples,
      attempt: faults.length,
      faults: [...faults],
      known,
    };
    return drafts === null ? ports.propose(request) : proposeByTurns(request, drafts, ports);
  }
}
