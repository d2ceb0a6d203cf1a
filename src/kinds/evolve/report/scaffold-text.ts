import type { ScaffoldStatus } from '../evolution/lineage.js';

/** Status of a scaffold in the words of the page. */
export const STATUS_WORDS: Record<ScaffoldStatus, string> = {
  new: 'not validated',
  validated: 'validated',
  duplicate: 'duplicate',
  failed: 'failed',
  unscored: 'given up',
};
