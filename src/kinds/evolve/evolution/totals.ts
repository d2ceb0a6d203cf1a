import type { StepCost } from '../../../contracts/step-cost.js';
import { addStep, noStepCost } from '../../../runtime/step-cost.js';
import type { EvolveTotals } from '../contracts.js';

export function noEvolveTotals(): EvolveTotals {
  return { executions: 0, executions_failed: 0, ...noStepCost() };
}

export function addExecution(totals: EvolveTotals, run: StepCost & { ok: boolean }): EvolveTotals {
  const { executions, executions_failed } = totals;
  return {
    ...addStep(totals, run),
    executions: executions + 1,
    executions_failed: executions_failed + (run.ok ? 0 : 1),
  };
}
