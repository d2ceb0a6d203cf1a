import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusedUnstored } from '../../../../src/activities/call-failures.js';
import type { RequestGrant } from '../../../../src/contracts/step-cost.js';
import type { JudgedStep, JudgePlan, JudgeTotals } from '../../../../src/kinds/judge/contracts.js';
import { addReply } from '../../../../src/kinds/judge/judging/totals.js';
import { JudgeControl } from '../../../../src/kinds/judge/workflow/judge-control.js';
import type { UnitAccount } from '../../../../src/workflows/unit-accounts.js';
import { enterWorkflow, leaveWorkflow } from '../../../support/workflow-context.js';

beforeEach(() => enterWorkflow(() => undefined));
afterEach(leaveWorkflow);

const PLAN = {
  experiment: 'mine',
  name: 'manners',
  steps: [2],
  criteria: [{ name: 'helpful', range: [1, 5] }],
  concurrency: 5,
  limits: { max_lm_calls: 2, max_tokens: null, max_cost_usd: null, max_wall_seconds: null },
  search_attributes: [],
  artifacts: '',
  spent: { lm_calls: 0, usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: 0 },
  stored: 0,
} as unknown as JudgePlan;

const COST = { lm_calls: 1, usage: { input_tokens: 2, output_tokens: 2 }, cost_usd: 0.5 };
const VERDICT: JudgedStep = { kind: 'judged', scores: { helpful: 4 }, ...COST };

/** Asks for a verdict. @returns what its request was allowed to be */
async function asked(
  control: JudgeControl,
  answer: () => Promise<JudgedStep> = async () => VERDICT,
): Promise<'new' | 'stored' | 'nothing'> {
  let allowed: 'new' | 'stored' | 'nothing' = 'nothing';
  const send = ({ stored_only }: RequestGrant) => {
    allowed = stored_only ? 'stored' : 'new';
    return answer();
  };
  const work = async (account: UnitAccount<JudgeTotals>) => void (await account.reply(send, addReply));
  await control.accounts.unit(0, work, async () => expect.unreachable());
  return allowed;
}

async function judged(control: JudgeControl, steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) expect(await asked(control)).toBe('new');
}

function begun(plan: Partial<JudgePlan> = {}): JudgeControl {
  const control = new JudgeControl();
  control.begin({ ...PLAN, ...plan }, true);
  return control;
}

describe('the outcome of a judgement', () => {
  it('is done where it is stopped, or a limit is met, when nothing was left to do', async () => {
    for (const end of [
      (control: JudgeControl) => control.stop(),
      (control: JudgeControl) => control.exhaust('limits'),
    ]) {
      const control = begun();
      await judged(control, 2);
      end(control);
      control.allBegun();
      expect(control.outcome(false)).toEqual({ status: 'done', message: null });
    }
  });

  it('is stopped where steps were not begun, and where one in flight was left open', async () => {
    const early = begun();
    await judged(early, 1);
    early.stop();
    expect(early.outcome(false).status).toBe('stopped');
    const open = begun();
    await judged(open, 1);
    open.stop();
    expect(await asked(open)).toBe('nothing');
    open.allBegun();
    expect(open.outcome(false).status).toBe('stopped');
  });

  it('is still a failure, or a cancellation, when all is done', async () => {
    const control = begun();
    await judged(control, 2);
    control.fail('no disk');
    control.allBegun();
    expect(control.outcome(false)).toEqual({ status: 'failed', message: 'no disk' });
    expect(control.outcome(true).status).toBe('cancelled');
  });
});

it('a judgement counts what replies have cost that others are asked for in the place of', async () => {
  const control = begun({ spent: { ...COST, lm_calls: 1 } });
  expect(control.progress()).toMatchObject({ spending: { lm_calls: 1, cost_usd: 0.5 }, units: { ended: 0 } });
  await judged(control, 1);
  // Of two calls in all, two are made.
  expect(await asked(control)).toBe('nothing');
});

it('a judgement whose limit is spent still finds what is stored, and ends at the first reply that is not', async () => {
  const control = begun({ spent: { ...COST, lm_calls: 2 }, stored: 2 });
  expect(await asked(control, async () => ({ ...VERDICT, counted: COST }))).toBe('stored');
  expect(control.progress()).toMatchObject({ spending: { lm_calls: 2 }, units: { ended: 1 } });
  const unstored = async () => {
    throw refusedUnstored('a step');
  };
  expect(await asked(control, unstored)).toBe('stored');
  expect(await asked(control)).toBe('nothing');
  expect(control.outcome(false).status).toBe('limit_reached');
});
