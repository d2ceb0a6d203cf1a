import { setWorkflowOptions } from '@temporalio/workflow';
import { agentEval } from './agent-eval.js';
import { evolve } from './evolve.js';
import { iteration } from './iteration.js';
import { judge } from './judge.js';
import { rate } from './rate.js';
import { rollout } from './rollout.js';
import { run } from './run.js';
import { shard } from './shard.js';

// By default a throw that nobody foresaw fails the workflow's task, again and again for ever, and nobody hears of it.
const failureExceptionTypes = [Error];
setWorkflowOptions({ failureExceptionTypes }, agentEval);
setWorkflowOptions({ failureExceptionTypes }, evolve);
setWorkflowOptions({ failureExceptionTypes }, iteration);
setWorkflowOptions({ failureExceptionTypes }, judge);
setWorkflowOptions({ failureExceptionTypes }, rate);
setWorkflowOptions({ failureExceptionTypes }, rollout);
setWorkflowOptions({ failureExceptionTypes }, run);
setWorkflowOptions({ failureExceptionTypes }, shard);

/** The SDK takes the default for every type that has no export of its name. */
export { unknown as default } from './unknown.js';
export { agentEval, evolve, iteration, judge, rate, rollout, run, shard };
