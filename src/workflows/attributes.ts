import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../contracts/names.js';
import { upsertSearchAttributes } from './sdk.js';

/**
 * Sets search attributes of the workflow.
 * @param known attributes of the server: an unknown one would fail the workflow task again and again.
 */
export function upsertAttributes(
  known: readonly string[],
  values: Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string>>,
): void {
  const pairs = Object.entries(values).flatMap(([key, value]): SearchAttributePair[] => {
    const name = SEARCH_ATTRIBUTES[key as keyof typeof SEARCH_ATTRIBUTES];
    if (!known.includes(name)) return [];
    return [{ key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD), value }];
  });
  if (pairs.length > 0) upsertSearchAttributes(pairs);
}
