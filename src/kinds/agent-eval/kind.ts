import { candidateNames } from '../../storage/experiment-folder.js';
import { openStore } from '../../storage/open.js';
import { commandCode } from '../../user-code/code-runner.js';
import type { Kind } from '../kind.js';
import { askedRows, bundleCode } from './activities/asked-rows.js';
import { moduleTrialIn, type StoredRow } from './bundle-code.js';
import { agentEvalConfigs } from './config.js';
import { contentsOfAgentEval, makeRoomInAgentEval } from './contents.js';
import { AGENT_EVAL_FACTS } from './facts.js';
import { foundAgentEval, holdsRows } from './folder.js';
import type { AgentEvalConfig } from './schema.js';

/** Loads the rows that a config selects. Their modules were tried when the config was first read. */
function rowsOf(config: AgentEvalConfig, now = config.now ?? new Date().toISOString()): Promise<StoredRow[]> {
  return askedRows(config, now);
}

/** Evaluations of an agent with tools and a user on task bundles. */
export const agentEval: Kind<AgentEvalConfig> = {
  config: agentEvalConfigs,
  facts: AGENT_EVAL_FACTS,
  held: contentsOfAgentEval,
  title: ({ name }) => name,
  ids: ({ name }) => candidateNames(name),
  find: (id, config) => {
    const store = openStore(config.output.results_dir).within(id);
    const asked = { id, config, begun: new Date().toISOString() };
    return foundAgentEval(store, asked, (now) => rowsOf(config, now));
  },
  read: (config) => askedRows(config, config.now ?? new Date().toISOString(), moduleTrialIn(commandCode())),
  code: async (config) => bundleCode(await rowsOf(config)),
  retry: {
    levels: 1,
    holdsRows: async (store, config) => holdsRows(store, await rowsOf(config)),
    makeRoom: makeRoomInAgentEval,
  },
};
