// node plain-loop-child.mjs CONFIG CALLS: the samples of a config in a plain loop of the same lanes, agent, environment and
// model client, which keeps, limits and asks again nothing. It prints as JSON what it came to.
import { writeFile } from 'node:fs/promises';
import { createAgent } from '../../dist/agents/registry.js';
import { loadConfig } from '../../dist/config/load.js';
import { builtInEnvironment, environmentName } from '../../dist/environments/registry.js';
import { datasetTasks } from '../../dist/kinds/run/activities/dataset.js';
import { runConfigs } from '../../dist/kinds/run/config.js';
import { Lane } from '../../dist/kinds/run/lane/lane.js';
import { LanePool } from '../../dist/kinds/run/lane/lane-pool.js';
import { laneRulesOf } from '../../dist/kinds/run/lane/lane-rules.js';
import { newLane } from '../../dist/kinds/run/lane/lane-state.js';
import { beginEpisode, takeStep } from '../../dist/kinds/run/take-step.js';
import { createLanguageModel } from '../../dist/language-models/create.js';
import { buildMemory } from '../../dist/memory/factory.js';

const [path, callsPath] = process.argv.slice(2);
const config = loadConfig(runConfigs, path);
const startedAt = Date.now();
const { model } = await createLanguageModel(config.lm, { environment: process.env, seed: config.seed });
const tasks = [];
for await (const task of datasetTasks(config, { environment: process.env })) tasks.push(task);
const Environment = builtInEnvironment(environmentName(config.dataset));
const made = (index) => ({ make: () => new Environment(tasks[index], { options: {} }, {}) });
const calls = [];
const { lm } = config;
const parameters = { temperature: lm.temperature, max_output_tokens: lm.max_output_tokens };
const metrics = { status: 'done', samples: 0, correct: 0, errors: 0, lm_calls: 0, lm_calls_repeated: 0 };

const ports = {
  rules: { ...laneRulesOf(config), step_with_reply: false },
  mayProceed: async () => true,
  openSample: async (index) => ({ index, id: tasks[index].id, ...(await beginEpisode(made(index))) }),
  step: (sample, state, action) => takeStep(made(sample.index), state, action),
  generate: async (call, { purpose: _purpose, ...request }) => {
    const begun = performance.now();
    const asked = { call, parameters, ...request };
    const reply = await model.generate(asked, { signal: AbortSignal.timeout(lm.timeout_sec * 1000) });
    metrics.lm_calls += 1;
    calls.push({
      ...call,
      ...asked,
      response: reply.text,
      usage: reply.usage,
      latency_ms: performance.now() - begun,
      at: new Date().toISOString(),
    });
    return { ...reply, cost_usd: null };
  },
  createAgent: (tools) => createAgent({ config: config.agent, ...tools }),
  createMemory: (saved) => buildMemory(config.memory, saved),
  record: ({ steps, error }) => {
    metrics.samples += 1;
    metrics.errors += error === null ? 0 : 1;
    metrics.correct += steps.at(-1)?.feedback?.correct === true ? 1 : 0;
  },
  now: () => Date.now(),
  isInterruption: () => false,
  describeError: (error) => ({ type: error.name, message: error.message }),
};
let next = 0;
const isOne = config.runtime.memory_scope === 'run';
const take = () => {
  if (next >= tasks.length) return undefined;
  const from = next;
  next = isOne ? tasks.length : from + 1;
  return newLane(from, next, null);
};
await new LanePool(isOne ? 1 : config.runtime.concurrency, take, (lane) => new Lane(lane, ports).run()).run();
metrics.wall_seconds = (Date.now() - startedAt) / 1000;
await writeFile(callsPath, calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
process.stdout.write(`${JSON.stringify(metrics)}\n`);
