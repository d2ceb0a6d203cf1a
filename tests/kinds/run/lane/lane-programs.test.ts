import { expect, test } from 'vitest';
import { MemoryAgent } from '../../../../src/agents/memory-agent.js';
import type { Feedback } from '../../../../src/contracts/environment.js';
import type { ExecutionIdentity } from '../../../../src/contracts/execution.js';
import { Lane } from '../../../../src/kinds/run/lane/lane.js';
import { type LaneState, newLane } from '../../../../src/kinds/run/lane/lane-state.js';
import type { LanePorts } from '../../../../src/runtime/ports.js';
import { ended } from '../../../agents/cheatsheet-bench.js';
import { FakeWorld } from '../../../support/fake-world.js';

/** Runs a program before each answer and after each step, and says what the first one printed. */
class ProgrammingAgent extends MemoryAgent {
  override async act(observation: string): Promise<string> {
    await super.act(observation);
    const { stdout } = await this.codeExecutor.execute({ code: observation, timeout_sec: 1 });
    this.count('programs');
    this.lastAction = stdout;
    return stdout;
  }

  override async observe(observation: string | null, feedback: Feedback, done: boolean): Promise<void> {
    await super.observe(observation, feedback, done);
    await this.codeExecutor.execute({ code: 'after', timeout_sec: 1 });
  }
}

/** A lane of two trials of three steps; what was run is noted as `trial/ordinal code`. */
function world(fails: (identity: ExecutionIdentity) => boolean = () => false) {
  const fake = new FakeWorld({
    agentClass: ProgrammingAgent,
    rules: { num_trials: 2, step_with_reply: true },
    patience: 3,
  });
  const run: string[] = [];
  let steps = 0;
  const ports = (everyStep: boolean): LanePorts => ({
    ...fake.ports(),
    mayProceed: async () => !everyStep || steps++ % 2 === 0,
    execute: async (identity, { code }) => {
      const { sample_id, trial, ordinal } = identity;
      run.push(`${sample_id} ${trial}/${ordinal} ${code}`);
      if (fails(identity)) throw new Error('the sandbox is gone');
      return ended({ stdout: `printed ${ordinal}` });
    },
  });
  return { fake, run, ports };
}

test('programs are numbered within sample and trial, and counted', async () => {
  const { fake, run, ports } = world();
  expect(await new Lane(newLane(0, 1, null), ports(false)).run()).toBe('finished');
  const trial = (number: number) =>
    ['question 0', 'after', 'try 2', 'after', 'try 3', 'after'].map(
      (code, ordinal) => `s0 ${number}/${ordinal} ${code}`,
    );
  expect(run).toEqual([...trial(0), ...trial(1)]);
  expect(fake.records.map(({ executions, agent_metrics }) => [executions, agent_metrics])).toEqual([
    [6, { programs: 3 }],
    [6, { programs: 3 }],
  ]);
  expect(fake.records[0]?.steps.map(({ action }) => action)).toEqual(['printed 0', 'printed 2', 'printed 4']);
});

test('their numbers and counts continue where the lane is handed over between any two steps', async () => {
  const [whole, handedOver] = [world(), world()];
  await new Lane(newLane(0, 1, null), whole.ports(false)).run();
  let state = newLane(0, 1, null);
  let executions = 0;
  for (; executions < 50; executions++) {
    const lane = new Lane(state, handedOver.ports(true));
    if ((await lane.run()) === 'finished') break;
    state = JSON.parse(JSON.stringify(lane.snapshot())) as LaneState;
  }
  expect(executions).toBeGreaterThan(3);
  expect(handedOver.run).toEqual(whole.run);
  const withoutTimes = ({ fake }: typeof whole) =>
    fake.records.map((record) => ({ ...record, started_at: 0, ended_at: 0 }));
  expect(withoutTimes(handedOver)).toEqual(withoutTimes(whole));
});

test('one that cannot be run makes the episode an error, after an answer a warning; never a score', async () => {
  const before = world(({ trial, ordinal }) => trial === 0 && ordinal === 2);
  await new Lane(newLane(0, 1, null), before.ports(false)).run();
  expect(
    before.fake.records.map(({ error, executions, steps }) => [error?.message, executions, steps.length]),
  ).toEqual([
    ['the sandbox is gone', 3, 1],
    [undefined, 6, 3],
  ]);
  const after = world(({ ordinal }) => ordinal === 1);
  await new Lane(newLane(0, 1, null), after.ports(false)).run();
  expect(after.fake.records[0]).toMatchObject({
    error: null,
    warnings: ['after step 1: the sandbox is gone'],
  });
});

test('none may be run outside of an episode', async () => {
  let tools: Parameters<LanePorts['createAgent']>[0] | undefined;
  const { ports } = world();
  const given = ports(false);
  const lane = new Lane(newLane(0, 1, null), {
    ...given,
    createAgent: (handed) => {
      tools = handed;
      return given.createAgent(handed);
    },
  });
  await lane.run();
  await expect((async () => tools?.codeExecutor.execute({ code: 'x', timeout_sec: 1 }))()).rejects.toThrow(
    'only during an episode',
  );
});
