export { agentEval } from './agent-eval.js';
export { evolve } from './evolve.js';
export { iteration } from './iteration.js';
export { judge } from './judge.js';
export { rate } from './rate.js';
export { rollout } from './rollout.js';
export { run } from './run.js';
export { shard } from './shard.js';
/** The SDK takes the default for every type that has no export of its name. */
export { unknown as default } from './unknown.js';
