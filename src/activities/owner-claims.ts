import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { InvalidInputError } from '../config/errors.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { ownerKey, ownerSignKey } from '../storage/paths.js';
import type { WorkerDependencies } from './dependencies.js';
import { type Owner, type Ownership, ownershipOf, ownStore } from './owners.js';

/** Milliseconds without a sign of life after which an owner is taken for dead. */
const SILENCE = 30_000;
const LOOK_EVERY = 1000;

/**
 * Reports whether an owner has ended or gives no sign of life for `silence` milliseconds. It is watched, since clocks
 * differ.
 */
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

/** Claims an experiment's folder for the execution of this activity. */
export class OwnerClaims {
  constructor(
    private readonly dependencies: Pick<WorkerDependencies, 'namespaceId' | 'notify'>,
    private readonly silence = SILENCE,
  ) {}

  /**
   * Claims the chosen folder; chooses again after waiting for another execution, which may have finished it.
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
   * Claims a folder from its owner. An owner on this server with the same workflow ID is replaced at once, since only
   * one execution of an ID is open at a time; any other one if it has ended or gives no sign of life.
   * @returns whether the folder is unchanged: false if another execution was waited for.
   * @throws InvalidInputError if another execution is working there.
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
