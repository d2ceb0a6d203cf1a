import { setWorkflowOptions } from '@temporalio/workflow';
import { WORKFLOW_KINDS } from '../kinds/workflows.js';
import { dispatcherOf } from './dispatch.js';
import { rate } from './rate.js';

const dispatch = dispatcherOf(WORKFLOW_KINDS);

// By default an unexpected error fails the workflow's task, again and again, and nobody is notified.
const failureExceptionTypes = [Error];
setWorkflowOptions({ failureExceptionTypes }, dispatch);
setWorkflowOptions({ failureExceptionTypes }, rate);

/** Default workflow, which the SDK uses for every type without an export of its name. */
export { dispatch as default, rate };
