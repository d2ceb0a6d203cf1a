import { InvalidInputError } from '../../config/errors.js';
import { openStore } from '../../storage/open.js';
import type { Kind } from '../kind.js';
import { judgeConfigs } from './config.js';
import { contentsOfJudgement, makeRoomInJudgement } from './contents.js';
import { JUDGE_FACTS } from './facts.js';
import { foundJudgement, judgementId } from './folder.js';
import type { JudgeConfig } from './schema.js';

/** Kind of experiment that judges every step of a finished experiment. */
export const judge: Kind<JudgeConfig> = {
  config: judgeConfigs,
  facts: JUDGE_FACTS,
  held: contentsOfJudgement,
  title: ({ rubric }) => rubric.name,
  ids: (config) => [judgementId(config)],
  find: (id, config) => foundJudgement(openStore, id, config),
  retry: {
    levels: 3,
    foundAt: (stored, folder) => ({ ...stored, experiment: folder.split('/').slice(0, -2).join('/') }),
    check: (config, id) => {
      if (judgementId(config) === id) return;
      throw new InvalidInputError(
        `${id} was made by another config than its folder holds now; judge it anew`,
      );
    },
    makeRoom: makeRoomInJudgement,
  },
};
