export { evolve } from './evolve.js';
export { iteration } from './iteration.js';
export { run } from './run.js';
export { shard } from './shard.js';
