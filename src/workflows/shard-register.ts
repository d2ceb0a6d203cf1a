import type { ChildWorkflowHandle } from '@temporalio/workflow';
import type { ShardCarried, ShardReport, ShardStanding, Totals } from '../contracts/run.js';
import type { shard as shardWorkflow } from './shard.js';

/** What an execution of a run that was reset has said last may arrive after what the next one says first. */
const ON_THEIR_WAY = 100;

/** Of them, what an earlier one has said may still be on its way. */
const RUNS_KEPT = 20;

export type ShardHandle = ChildWorkflowHandle<typeof shardWorkflow>;

/** A run's shards: who is at work, what each said last, and where those stand that wait for the run's next execution. */
export class ShardRegister {
  private readonly shards: ShardStanding[];
  /** Being started. */
  private starting: number[] = [];
  private readonly working = new Map<number, ShardHandle>();
  private readonly names: string[] = [];

  /** @param before from the execution before, when this one continues it. */
  constructor(before: readonly ShardStanding[] = []) {
    this.shards = before.map((shard) => ({ ...shard }));
  }

  /** For an execution that continues this one. */
  get standing(): ShardStanding[] {
    return this.shards;
  }

  /** Workflow ids of those that were started. */
  get ids(): readonly string[] {
    return this.names;
  }

  /** Those that have work, of so many. */
  due(count: number): number[] {
    return Array.from({ length: count }, (_, shard) => shard).filter((shard) => !this.of(shard).ended);
  }

  /** These are about to be started. */
  start(shards: readonly number[]): void {
    this.starting = [...shards];
  }

  joined(shard: number, handle: ShardHandle): void {
    this.starting = this.starting.filter((other) => other !== shard);
    this.working.set(shard, handle);
    this.names.push(handle.workflowId);
  }

  /** Where it goes on, once: it is about to. */
  resume(shard: number): ShardCarried | undefined {
    const { carried, ...standing } = this.of(shard);
    this.shards[shard] = standing;
    return carried;
  }

  /** @returns whether it says something new; what a shard says when it ends is its last word, whatever arrives later. */
  hear({ shard, from, version, totals }: ShardReport): boolean {
    const standing = this.of(shard);
    if (standing.ended || standing.carried !== undefined) return false;
    const { runs = [] } = standing;
    // One that has continued as new or was reset: what the execution before it has said may arrive later.
    if (!runs.includes(from.run)) standing.runs = [...runs, from.run].slice(-RUNS_KEPT);
    else if (from.run !== runs.at(-1) || version <= standing.heard) return false;
    standing.heard = version;
    standing.totals = totals;
    return true;
  }

  /** @returns whether a shard has been told more than this execution knows of, which was reset, then. */
  hasForgotten({ shard, told }: ShardReport): boolean {
    const standing = this.of(shard);
    if (told <= standing.told) return false;
    standing.told = told + ON_THEIR_WAY;
    return true;
  }

  /** It has come to its end, with these totals where it could say them. */
  end(shard: number, totals?: Totals): void {
    this.working.delete(shard);
    const standing = this.of(shard);
    standing.ended = true;
    standing.totals = totals ?? standing.totals;
  }

  /** It goes on from there in the run's next execution. */
  handedOver(shard: number, carried: ShardCarried): void {
    this.working.delete(shard);
    const { told } = this.of(shard);
    this.shards[shard] = { told, heard: carried.reports, totals: carried.totals, ended: false, carried };
  }

  /** Whether any goes on in the run's next execution. */
  carriesOn(): boolean {
    return this.shards.some(({ carried }) => carried !== undefined);
  }

  /** Those that hear what they are told. */
  atWork(): number[] {
    return [...this.working.keys()];
  }

  /** Those among which the lanes are dealt. */
  going(): number[] {
    return [...this.working.keys(), ...this.starting];
  }

  totalsOf(shard: number): Totals | undefined {
    return this.of(shard).totals;
  }

  totals(): Totals[] {
    return this.shards.flatMap(({ totals }) => totals ?? []);
  }

  /** Number of the next message to a shard. */
  nextVersion(shard: number): number {
    this.of(shard).told += 1;
    return this.of(shard).told;
  }

  /** A shard that has just ended cannot be told anything, and need not. */
  tell(shard: number, send: (handle: ShardHandle) => void): void {
    const handle = this.working.get(shard);
    if (handle !== undefined) send(handle);
  }

  private of(shard: number): ShardStanding {
    this.shards[shard] ??= { heard: 0, told: 0, ended: false };
    return this.shards[shard];
  }
}
