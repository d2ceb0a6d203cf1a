import { isMapping, type JsonObject } from '../../contracts/json.js';
import type { Comparable } from '../kind.js';
import { ownKindConfigs } from './config.js';
import type { OwnKindRow } from './contracts.js';
import type { OwnKindConfig } from './schema.js';

/** Comparison of experiments of users' own kinds: by each of their scores. */
export const ownKindComparison: Comparable<OwnKindRow, OwnKindConfig> = {
  pace: ownKindConfigs.pace,
  figures: () => ['mean', 'last'],
  outcomeOf: ({ id, question, target, scores, error, answer, metadata }) => ({
    id,
    trial: 0,
    question,
    target,
    metadata: isMapping(metadata) ? (metadata as JsonObject) : {},
    answer: answer == null || typeof answer === 'string' ? (answer ?? null) : JSON.stringify(answer),
    scores: error === null ? scores : null,
    seconds: null,
  }),
};
