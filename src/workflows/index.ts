export { agentEval } from './agent-eval.js';
export { evolve } from './evolve.js';
export { iteration } from './iteration.js';
export { judge } from './judge.js';
export { rollout } from './rollout.js';
export { run } from './run.js';
export { shard } from './shard.js';
