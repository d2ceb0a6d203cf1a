import { askingProgram } from './asking-evolution.js';
import type { FakeReply, RecordedRequest } from './fake-providers/behaviours.js';
import { addNumbers } from './fake-providers/fake-provider.js';
import { VERDICT } from './judged-steps.js';
import { seatsReply } from './seats-bundle.js';

/** Answers experiments of every kind: as `writer` of programs, `judge`, `fake` that adds numbers, or agent and user at a desk. */
export function replyToAnyKind(request: RecordedRequest): string | FakeReply {
  if (request.model === 'writer') return askingProgram(request.number);
  if (request.model === 'judge') return VERDICT;
  return request.model === 'fake' ? addNumbers(request) : seatsReply(request);
}
