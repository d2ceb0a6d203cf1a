// node plain-rollouts-child.mjs CONFIG: plays the rollouts of an evaluation in a plain loop, in memory, and prints what
// they came to as JSON.

import { loadConfig } from '../../dist/config/load.js';
import { loadBundle } from '../../dist/kinds/agent-eval/bundles/load.js';
import { agentEvalConfigs } from '../../dist/kinds/agent-eval/config.js';
import { modelAsAgent, modelAsUser } from '../../dist/kinds/agent-eval/workbench/model-players.js';
import { playRow } from '../../dist/kinds/agent-eval/workbench/play-row.js';
import { createLanguageModel } from '../../dist/language-models/create.js';

const started = performance.now();
const {
  datasets,
  now,
  rollouts,
  concurrency,
  models: asked,
  user,
} = loadConfig(agentEvalConfigs, process.argv[2]);
const bundle = await loadBundle(datasets[0], { now });
const dependencies = { environment: process.env };
const models = {
  agent: (await createLanguageModel(asked.agent, dependencies)).model,
  user: (await createLanguageModel(asked.user, dependencies)).model,
};
/** Nobody is there to try again: a model that fails ends the loop. */
const terminal = {
  say: (text) => process.stderr.write(`${text}\n`),
  ask: async () => {
    throw new Error('a model failed');
  },
};

let [toolCalls, toolCallsFailed] = [0, 0];

function playersOf({ row, registry }) {
  const asAgent = { model: models.agent, lm: asked.agent, row: row.id, terminal };
  const asUser = { model: models.user, lm: asked.user, row: row.id, terminal };
  return {
    agent: modelAsAgent(asAgent, registry.toToolDefinitions(row.tools_allowed)),
    user: modelAsUser(asUser, row.sim_user_prompt, user.stop_token),
    called: (_call, { ok }) => {
      toolCalls += 1;
      toolCallsFailed += Number(!ok);
    },
  };
}

const due = Array.from({ length: rollouts }, () => bundle.rows).flat();
const scores = [];

async function lane() {
  for (let loaded = due.shift(); loaded !== undefined; loaded = due.shift()) {
    const rules = { hasUser: true, stopToken: user.stop_token };
    const { reward } = await playRow(loaded, bundle.reward, playersOf(loaded), rules);
    scores.push(reward.score);
  }
}

await Promise.all(Array.from({ length: concurrency }, lane));
const figures = {
  status: 'done',
  rollouts: scores.length,
  mean_reward: scores.reduce((sum, score) => sum + score, 0) / scores.length,
  tool_calls: toolCalls,
  tool_calls_failed: toolCallsFailed,
  wall_seconds: (performance.now() - started) / 1000,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
