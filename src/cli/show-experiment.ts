import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { type CutOff, type State, stateOf } from '../client/state.js';
import { InvalidInputError } from '../config/errors.js';
import { addressFacts, countFact, type Fact, stateFact } from '../facts/fact.js';
import { factsOf } from '../facts/kind-facts.js';
import type { Kind } from '../kinds/kind.js';
import { kindOf } from '../kinds/registry.js';
import { factsText } from './experiment-text.js';
import { withoutWorker } from './format.js';
import { printJson, printText } from './print.js';

/** Returns the facts of an experiment without metrics. */
function factsOfCutOff({ phase, artifacts, held }: CutOff): Fact[] {
  if (artifacts === null) return [stateFact(phase, 'before it had a folder')];
  return [
    stateFact(phase, held === null ? 'its folder is not to be seen from here' : null),
    ...Object.entries(held ?? {}).map(([what, count]) => countFact(what, count)),
    ...addressFacts('artifacts', artifacts),
  ];
}

function factsOfState({ progress, left }: State, { facts }: Kind): Fact[] {
  if (progress !== null) return factsOf(progress, facts);
  return left === null ? [] : factsOfCutOff(left);
}

/** Prints an experiment: for people its facts, for programs the same keys for every kind and phase. */
export async function printExperiment(
  client: Client,
  described: WorkflowExecutionDescription,
  json: boolean,
): Promise<void> {
  const id = described.workflowId;
  const kind = await kindOf(described.type)?.kind();
  if (kind === undefined) {
    throw new InvalidInputError(`'${id}' is a part of an experiment; status shows the whole`);
  }
  const state = await stateOf(client, described, kind);
  const { phase, progress, left } = state;
  const facts = factsOfState(state, kind);
  if (json) {
    const { metrics = null, artifacts = null, ...further } = progress ?? {};
    printJson({
      id,
      kind: kind.config.id,
      phase,
      artifacts: left?.artifacts ?? (artifacts === '' ? null : artifacts),
      metrics,
      held: left?.held ?? null,
      progress: progress === null ? null : further,
      facts,
    });
    return;
  }
  if (facts.length === 0) printText(withoutWorker(id));
  else if (progress !== null || left?.held == null) printText(`${id}\n${factsText(facts)}`);
  else printText(`${id}\n${factsText(facts)}\nThe command that started it continues from there.`);
}
