import type { SqlResult } from '../../../../src/contracts/database.js';
import type { JsonObject } from '../../../../src/contracts/json.js';
import type { OracleAction } from '../../../../src/kinds/agent-eval/bundles/contracts.js';
import { runReward } from '../../../../src/kinds/agent-eval/bundles/judge.js';
import { type Bundle, loadBundle } from '../../../../src/kinds/agent-eval/bundles/load.js';
import type { RewardOutput } from '../../../../src/kinds/agent-eval/bundles/reward.js';
import type { LoadedRow } from '../../../../src/kinds/agent-eval/bundles/row-loader.js';
import { runOracle } from '../../../../src/kinds/agent-eval/bundles/run-oracle.js';
import { seedDatabase } from '../../../../src/kinds/agent-eval/bundles/seed-database.js';
import { NOW } from './support.js';

/** What the reward says of an agent that is not to be rewarded: row, how it goes wrong, what it does, the reason. */
export type WrongRollout = [row: string, how: string, actions: OracleAction[], reason: string];

export const MISSED = 'the goal is not reached';

export function call(tool: string, given: JsonObject): OracleAction {
  return { tool, arguments: given };
}

/** A bundle of examples/, and what its reward says. */
export class ShippedBundle {
  private constructor(readonly bundle: Bundle) {}

  static async load(folder: string, now = NOW): Promise<ShippedBundle> {
    return new ShippedBundle(await loadBundle(folder, { now }));
  }

  get ids(): string[] {
    return this.bundle.rows.map(({ row }) => row.id);
  }

  row(id: string): LoadedRow {
    const found = this.bundle.rows.find(({ row }) => row.id === id);
    if (found === undefined) throw new Error(`there is no row ${id}`);
    return found;
  }

  /** The reward of a rollout in which an agent does these things and nothing else. */
  async reward(id: string, actions: readonly OracleAction[]): Promise<RewardOutput> {
    const { row, registry } = this.row(id);
    const database = await seedDatabase(row);
    const seed = database.serialize();
    database.close();
    const end = await runOracle(row, actions, registry, seed);
    return runReward(this.bundle.reward, { row, seed, messages: end.messages, database: end.database });
  }

  /** A value of the row's seed. */
  async seeded<Value extends SqlResult>(id: string, sql: string): Promise<Value | null> {
    const database = await seedDatabase(this.row(id).row);
    try {
      return await database.fetchValue<Value>(sql);
    } finally {
      database.close();
    }
  }
}
