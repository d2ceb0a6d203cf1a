export { run } from './run.js';
export { shard } from './shard.js';
