import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { InvalidInputError } from '../config/errors.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { ownerKey, ownerSignKey } from '../storage/paths.js';
import type { WorkerDependencies } from './dependencies.js';
import { type Owner, type Ownership, ownershipOf, ownStore } from './owners.js';

/** Milliseconds without a sign after which nobody is at work. */
const SILENCE = 30_000;
const LOOK_EVERY = 1000;

/** Whether an owner has given no sign of life for long, or has ended. It is watched, since clocks differ. */
async function isSilent(store: ArtifactStore, { number }: Ownership, silence: number): Promise<boolean> {
  const sign = () => store.readText(ownerSignKey(number));
  const before = await sign();
  const end = performance.now() + silence;
  while (performance.now() < end) {
    await sleep(Math.min(LOOK_EVERY, silence / 4), undefined, {
      signal: Context.current().cancellationSignal,
    });
    if ((await sign()) !== before) return false;
    const now = await ownershipOf(store);
    if (now === null || now.number !== number || now.hasEnded) return true;
  }
  return true;
}

function ownExecution(): { workflowId: string; runId: string } {
  return Context.current().info.workflowExecution as { workflowId: string; runId: string };
}

/** Takes an experiment's folder for the execution of this activity. */
export class OwnerClaims {
  constructor(
    private readonly dependencies: Pick<WorkerDependencies, 'namespaceId' | 'notify'>,
    private readonly silence = SILENCE,
  ) {}

  /**
   * Takes the folder that is chosen; chosen anew where somebody else was waited for, who may have finished it.
   * @returns its store as this execution may write to it.
   */
  async take<Folder>(
    choose: () => Promise<{ folder: Folder; store: ArtifactStore }>,
  ): Promise<{ folder: Folder; store: ArtifactStore }> {
    for (;;) {
      const { folder, store } = await choose();
      if (await this.claim(store)) return { folder, store: ownStore(store, ownExecution().runId) };
    }
  }

  /**
   * An owner on this server is followed where its workflow has this one's id, since of that only one is open at a time;
   * any other where it has ended or gives no sign of life.
   * @returns whether the folder is as it was: false where somebody else has been waited for.
   * @throws InvalidInputError where another execution is at work there.
   */
  private async claim(store: ArtifactStore): Promise<boolean> {
    const { workflowId, runId } = ownExecution();
    const own: Owner = {
      execution: runId,
      workflow_id: workflowId,
      namespace_id: await this.dependencies.namespaceId(),
    };
    let isAsItWas = true;
    for (;;) {
      const there = await ownershipOf(store);
      if (there?.owner.execution === own.execution) return isAsItWas;
      if (there !== null && !this.isOver(there, own)) {
        isAsItWas = false;
        await this.outwait(store, there, own);
      }
      const key = ownerKey((there?.number ?? 0) + 1);
      if (await store.write(key, JSON.stringify(own), { ifAbsent: true })) return isAsItWas;
      isAsItWas = false;
    }
  }

  private isOver({ owner, hasEnded }: Ownership, own: Owner): boolean {
    const isOfThisWorkflow = owner.namespace_id === own.namespace_id && owner.workflow_id === own.workflow_id;
    return hasEnded || isOfThisWorkflow;
  }

  private async outwait(store: ArtifactStore, there: Ownership, own: Owner): Promise<void> {
    const { owner } = there;
    const where = owner.namespace_id === own.namespace_id ? '' : ' of another Temporal server';
    const who = `the workflow '${owner.workflow_id}'${where} (execution ${owner.execution})`;
    this.dependencies.notify(`${store.uri} was last written by ${who}; making sure that it is not at work…`);
    if (await isSilent(store, there, this.silence)) return;
    throw new InvalidInputError(
      `${store.uri} is being written by ${who}: wait for it or stop it, or give this one another name or another output.results_dir`,
    );
  }
}
