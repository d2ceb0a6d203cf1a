import { setWorkflowOptions } from '@temporalio/workflow';
import { WORKFLOW_KINDS } from '../kinds/workflows.js';
import { dispatcherOf } from './dispatch.js';
import { rate } from './rate.js';

const dispatch = dispatcherOf(WORKFLOW_KINDS);

// By default a throw that nobody foresaw fails the workflow's task, again and again for ever, and nobody hears of it.
const failureExceptionTypes = [Error];
setWorkflowOptions({ failureExceptionTypes }, dispatch);
setWorkflowOptions({ failureExceptionTypes }, rate);

/** The SDK takes the default for every type that has no export of its name. */
export { dispatch as default, rate };
