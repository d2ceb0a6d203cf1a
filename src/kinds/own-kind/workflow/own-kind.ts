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

/** What an execution hands to the one that continues it. */
interface OwnKindCarried extends UnitsHandedOver<OwnKindTotals> {
  plan: OwnKindPlan;
  /** Samples that were begun, of those that were due. */
  begun: number;
  /** Milliseconds since 1970; of the first execution. */
  started_at: number;
  /** What it has worked so far, where its time has a limit. */
  worked_seconds?: number;
}

/** Every sample without a row. */
function samplesDue({ samples: count, finished }: OwnKindPlan): number[] {
  const done = new Set(finished);
  return Array.from({ length: count }, (_, sample) => sample).filter((sample) => !done.has(sample));
}

/** Asks side by side what a sample waits for. @throws what the first one failed of, when all have ended. */
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
        (leave) => samples.askForSample.executeWithOptions(options, [{ ...name, ordinal, ...leave }]),
        addStep,
      );
    }),
  );
  const failures = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (failures.length === 0) return;
  throw failures.find((failure) => !(failure instanceof CallRefusedError)) ?? failures[0];
}

/** Runs the kind's code on a sample, again and again with more replies, until it answers with a row. */
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
 * A kind of experiment of a user's own works on the samples of a dataset. Its code runs in activities, each call of a
 * model is an activity of its own, and a reply is in the store before anybody hears of it. Continues as new when its
 * history grows long: samples in flight end first.
 * @param carried from the execution before, when this one continues it.
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
