import { conduct } from '../../../workflows/conduct.js';
import { continueAsNew } from '../../../workflows/sdk.js';
import { assertContinues } from '../../../workflows/started-rightly.js';
import type { RunCarried, RunInput, RunResult } from '../contracts.js';
import { artifacts } from './activities.js';
import { RunControl } from './run-control.js';
import { RunSession } from './run-session.js';

/**
 * Runs a dataset of environments × an agent with memory × trials. Works on several lanes of samples at once, and writes
 * the artifacts, however the run ends. Continues as new when its history grows long: every lane is suspended between
 * two steps and continues from its state in the next execution.
 * @param carried state of the previous execution, if this one continues it.
 */
export function run(input: RunInput, carried?: RunCarried): Promise<RunResult> {
  assertContinues(carried);
  const control = new RunControl(carried);
  return conduct({
    what: 'run',
    carried,
    control,
    prepare: () => artifacts.prepareRun(input),
    work: async (plan, handOver) => {
      const session = new RunSession(plan, control, carried?.work);
      await session.run();
      if (session.isContinuing()) await handOver({ work: session.carried() });
      if (session.isDone()) control.allBegun();
    },
    continueWith: (whole) => continueAsNew<typeof run>(input, whole),
    finalize: (ended) => artifacts.finalizeRun(ended),
  });
}
