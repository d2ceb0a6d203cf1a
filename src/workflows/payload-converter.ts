import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';

/** Replacement of a payload that cannot be read, so that its receiver can refuse it. */
export interface Unreadable {
  unreadable: string;
}

/**
 * Reads payloads for workflows. Anybody can send one of any encoding: a workflow that failed to decode it would retry
 * for ever.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value, context, hint) => defaultPayloadConverter.toPayload(value, context, hint),
  fromPayload: (payload, context, hint) => {
    try {
      return defaultPayloadConverter.fromPayload(payload, context, hint);
    } catch (error) {
      const unreadable: Unreadable = { unreadable: (error as Error).message };
      return unreadable as never;
    }
  },
};
