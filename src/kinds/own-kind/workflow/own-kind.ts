import { CallRefusedError } from '../../../runtime/ports.js';
import { addStep } from '../../../runtime/step-cost.js';
import { modelCallOptions, timedOptions } from '../../../workflows/activity-options.js';
import { beginAll } from '../../../workflows/begin-each.js';
import { conduct } from '../../../workflows/conduct.js';
import { continueAsNew } from '../../../workflows/sdk.js';
import { assertContinues } from '../../../workflows/started-rightly.js';
import type { UnitsHandedOver } from '../../../workflows/units-control.js';
import type {
  OwnKindInput,
  OwnKindPlan,
  OwnKindResult,
  OwnKindTotals,
  SampleName,
  SampleWorked,
} from '../contracts.js';
import { samples } from './activities.js';
import { OwnKindControl } from './own-kind-control.js';

/** State that an execution passes to the one that continues it. */
interface OwnKindCarried extends UnitsHandedOver<OwnKindTotals> {
  plan: OwnKindPlan;
  /** Number of samples that were begun, of those that were due. */
  begun: number;
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
  control: OwnKindControl,
): Promise<void> {
  const asked = await Promise.allSettled(
    due.map(({ ordinal, role }) => {
      const { timeout_sec = 0, max_attempts = 1, model } = plan.models[role] ?? {};
      const summary = `sample ${name.sample + 1} · ${role} · call ${ordinal + 1}`;
      const options = modelCallOptions({ timeout_sec, max_attempts }, model === undefined ? role : summary);
      return control.reply(
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
async function workOnSample(plan: OwnKindPlan, name: SampleName, control: OwnKindControl): Promise<void> {
  const options = timedOptions(plan.work_timeout_sec, `sample ${name.sample + 1}`);
  for (let answered = 0; ; ) {
    const worked = await samples.workOnSample.executeWithOptions(options, [{ ...name, answered }]);
    if (worked.kind === 'ended') return control.ended(worked.scores);
    await askAll(plan, name, worked.due, control);
    answered = worked.asked;
  }
}

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
    work: (plan, handOver) =>
      beginAll(samplesDue(plan), { control, carried, handOver }, (sample) => {
        const name = { run: plan.run, sample };
        return control.unit(
          () => workOnSample(plan, name, control),
          (error) => samples.recordSampleError({ ...name, error }),
        );
      }),
    continueWith: (whole) => continueAsNew<typeof ownKind>(input, whole),
    finalize: (ended) => samples.finalizeOwnKind(ended),
  });
}
