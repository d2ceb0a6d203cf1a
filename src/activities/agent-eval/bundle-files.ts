import { loadReward, loadToolset, type ModuleTrial, moduleMessage } from '../../bundles/bundle-modules.js';
import type { Reward } from '../../bundles/reward.js';
import type { ToolRegistry } from '../../bundles/tool-registry.js';
import { InvalidInputError } from '../../config/errors.js';
import { loadedOnce } from '../lru.js';
import type { BundleModules, LoadableRow, StoredRow } from './bundle-code.js';

async function loaded<Value>({ row }: StoredRow, load: () => Promise<Value>): Promise<Value> {
  try {
    return await load();
  } catch (error) {
    throw new InvalidInputError(
      `${row.id}: ${moduleMessage(error)}; the files of a bundle must lie at the same path on every worker`,
      'datasets',
    );
  }
}

/** Code from the bundles' files on this machine, each module loaded once. */
export class BundleFiles implements BundleModules {
  private readonly toolsets = new Map<string, Promise<ToolRegistry>>();
  private readonly rewards = new Map<string, Promise<Reward>>();

  /** @param trial each module goes through it before it is loaded here. */
  constructor(private readonly trial?: ModuleTrial) {}

  /** @throws InvalidInputError where the module cannot be loaded here. */
  toolset(stored: LoadableRow): Promise<ToolRegistry> {
    const { folder, row, texts } = stored;
    return loadedOnce(this.toolsets, `${folder} ${row.toolset}`, async () => {
      const { registry } = await loaded(stored, () =>
        loadToolset(row.toolset, folder, { trial: this.trial, texts }),
      );
      return registry;
    });
  }

  /** @throws InvalidInputError where the module cannot be loaded here. */
  reward(stored: LoadableRow): Promise<Reward> {
    const { folder, texts } = stored;
    const loading = { trial: this.trial, texts };
    return loadedOnce(this.rewards, folder, () => loaded(stored, () => loadReward(folder, loading)));
  }
}
