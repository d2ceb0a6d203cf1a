import { sleep } from '@temporalio/workflow';

/** A run that waits where the real one calls activities: what a careless change looks like to a run in flight. */
export async function run(): Promise<void> {
  await sleep(1000);
}
