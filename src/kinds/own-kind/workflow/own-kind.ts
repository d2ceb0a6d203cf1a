import { CallRefusedError } from '../../../runtime/ports.js';
import { addStep, noStepCost } from '../../../runtime/step-cost.js';
import { modelCallOptions, timedOptions } from '../../../workflows/activity-options.js';
import { conduct } from '../../../workflows/conduct.js';
import { continueAsNew } from '../../../workflows/sdk.js';
import { assertContinues } from '../../../workflows/started-rightly.js';
import type { UnitAccount } from '../../../workflows/unit-accounts.js';
import { bundleOf, type Units, workOnUnits } from '../../../workflows/unit-bundles.js';
import type { UnitsHandedOver } from '../../../workflows/units-control.js';
import type {
  OwnKindInput,
  OwnKindPlan,
  OwnKindResult,
  OwnKindTotals,
  SampleName,
  SampleWorked,
} from '../contracts.js';
import { addOwnKindTotals, addSampleScores, noOwnKindTotals } from '../scores.js';
import { samples } from './activities.js';
import { OwnKindControl } from './own-kind-control.js';

/** State that an execution passes to the one that continues it. */
interface OwnKindCarried extends UnitsHandedOver<OwnKindTotals> {
  plan: OwnKindPlan;
  /** Number of samples that were begun, of those that were due. */
  begun: number;
  /** Numbers of the samples that are left, of those that were due, where workers run bundles of them. */
  left?: number[];
  /** Start of the first execution, in milliseconds since 1970. */
  started_at: number;
  /** Seconds worked so far, if the experiment's time has a limit. */
  worked_seconds?: number;
}

/** Lists the samples without a row. */
function samplesDue({ samples: count, finished }: OwnKindPlan): number[] {
  const done = new Set(finished);
  return Array.from({ length: count }, (_, sample) => sample).filter((sample) => !done.has(sample));
}

/** Makes concurrently the calls that a sample waits for. @throws the first failure, once all have ended. */
async function askAll(
  plan: OwnKindPlan,
  name: SampleName,
  due: Extract<SampleWorked, { kind: 'asks' }>['due'],
  account: UnitAccount<OwnKindTotals>,
): Promise<void> {
  const asked = await Promise.allSettled(
    due.map(({ ordinal, role }) => {
      const { timeout_sec = 0, max_attempts = 1, model } = plan.models[role] ?? {};
      const summary = `sample ${name.sample + 1} · ${role} · call ${ordinal + 1}`;
      const options = modelCallOptions({ timeout_sec, max_attempts }, model === undefined ? role : summary);
      return account.reply(
        (grant) => samples.askForSample.executeWithOptions(options, [{ ...name, ordinal, ...grant }]),
        addStep,
      );
    }),
  );
  const failures = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (failures.length === 0) return;
  throw failures.find((failure) => !(failure instanceof CallRefusedError)) ?? failures[0];
}

/** Runs the kind's code on a sample, repeatedly with more replies, until it returns a row. */
async function workOnSample(
  plan: OwnKindPlan,
  sample: number,
  account: UnitAccount<OwnKindTotals>,
): Promise<void> {
  const name = { run: plan.run, sample };
  const options = timedOptions(plan.work_timeout_sec, `sample ${sample + 1}`);
  for (let answered = 0; ; ) {
    const worked = await samples.workOnSample.executeWithOptions(options, [{ ...name, answered }]);
    if (worked.kind === 'ended')
      return account.count((totals) => ({
        ...addStep(totals, worked.cost ?? noStepCost()),
        ended: totals.ended + 1,
        scores: addSampleScores(totals.scores, worked.scores),
      }));
    await askAll(plan, name, worked.due, account);
    answered = worked.asked;
  }
}

const units: Units<OwnKindPlan, number, OwnKindTotals> = {
  type: 'own-kind-samples',
  noun: 'sample',
  due: samplesDue,
  none: noOwnKindTotals,
  add: addOwnKindTotals,
  work: workOnSample,
  recordError: ({ run }, sample, error) => samples.recordSampleError({ run, sample, error }),
};

/** Works on a bundle of samples in a worker's process. */
export const ownKindSamples = bundleOf(units);

/**
 * Runs a user's own kind of experiment on the samples of a dataset. Its code runs in activities, each call of a model
 * is an activity of its own, and a reply is stored before it is returned. Continues as new when its history grows long,
 * once the samples in progress have ended.
 * @param carried state of the previous execution, if this one continues it.
 */
export function ownKind(input: OwnKindInput, carried?: OwnKindCarried): Promise<OwnKindResult> {
  assertContinues(carried);
  const control = new OwnKindControl(carried);
  return conduct({
    what: 'experiment',
    carried,
    control,
    prepare: () => samples.prepareOwnKind(input),
    work: (plan, handOver) => workOnUnits(units, { plan, control, carried, handOver }),
    continueWith: (whole) => continueAsNew<typeof ownKind>(input, whole),
    finalize: (ended) => samples.finalizeOwnKind(ended),
  });
}
