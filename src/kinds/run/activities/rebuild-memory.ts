import { replyOf } from '../../../activities/call-record.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import { asError } from '../../../contracts/run-user-code.js';
import type { MemorySnapshot } from '../../../memory/memory-module.js';
import type { LanePorts } from '../../../runtime/ports.js';
import { agentFactory, memoryFactory } from '../agent-factory.js';
import { Lane } from '../lane/lane.js';
import { newLane } from '../lane/lane-state.js';
import { resultOf } from './execution-record.js';
import type { EpisodeLine } from './part-file.js';
import type { RunContext } from './run-context.js';

function recordedCall(line: EpisodeLine, purpose: string, ordinal: number): CallRecord {
  const call = line.calls.find((record) => record.purpose === purpose && record.ordinal === ordinal);
  // The call failed when the episode ran, so the episode fails now, too.
  if (call === undefined) throw new Error('the call has no record');
  return call;
}

function recordedPorts(
  run: RunContext,
  lines: readonly EpisodeLine[],
  { createAgent, createMemory }: Pick<LanePorts, 'createAgent' | 'createMemory'>,
): LanePorts {
  const { runtime } = run.config;
  let begun = 0;
  let trial = 0;
  let steps = 0;
  const line = () => lines[trial] as EpisodeLine;
  return {
    rules: {
      num_trials: runtime.num_trials,
      early_stop_on_success: false,
      carry_memory_across_trials: runtime.carry_memory_across_trials,
      max_steps_per_episode: runtime.max_steps_per_episode,
      reset_each_trial: true,
      step_with_reply: false,
    },
    // Only the recorded trials run; the agent is given the planned number of trials.
    mayProceed: async (boundary) => boundary === 'step' || begun++ < lines.length,
    openSample: async (_slot, number) => {
      trial = number;
      steps = 0;
      return { index: line().index, id: line().row.id, state: null, obs: line().steps[0]?.obs ?? '' };
    },
    step: async () => {
      const step = line().steps[steps++];
      if (step === undefined)
        return { error: line().row.error ?? { type: 'Error', message: 'no such step' } };
      const { feedback, reward, done } = step;
      return { state: null, obs: line().steps[steps]?.obs ?? null, feedback, reward, done };
    },
    generate: async ({ purpose, ordinal }) => replyOf(recordedCall(line(), purpose, ordinal)),
    execute: async ({ ordinal }) => {
      const execution = line().executions?.find((record) => record.ordinal === ordinal);
      if (execution === undefined) throw new Error('the program has no record');
      return resultOf(execution);
    },
    createAgent,
    createMemory,
    record: () => undefined,
    now: () => 0,
    isInterruption: () => false,
    describeError: (error) => ({ type: 'Error', message: asError(error).message }),
  };
}

/**
 * Rebuilds the memory that a sample of its own ended with: runs its episodes again in the same lane and agent, with the
 * recorded steps and replies. So a run's history need not carry a memory for every sample.
 */
export async function memoryOfSample(
  run: RunContext,
  lines: readonly EpisodeLine[],
  initial: MemorySnapshot | null,
): Promise<MemorySnapshot> {
  const createAgent = await agentFactory(run.config.agent);
  const createMemory = await memoryFactory(run.config.memory);
  const lane = new Lane(newLane(0, 1, initial), recordedPorts(run, lines, { createAgent, createMemory }));
  await lane.run();
  return lane.snapshot().memory as MemorySnapshot;
}
