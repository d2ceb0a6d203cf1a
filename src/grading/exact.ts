import { saidIn } from '../replies/read-reply.js';
import { extractMarkedAnswer } from './extraction/marked-answer.js';
import { type Grade, quote } from './grade.js';

/**
 * Grades a reply by exact match: the whole reply, or what follows its last explicit answer marker, must be the
 * target. Upper and lower case differ; Unicode is brought to its composed form (NFC) and white space to single
 * spaces, and nothing else is changed.
 */
export function gradeExact(reply: string, target: string): Grade {
  const output = saidIn(reply);
  const gold = normalize(target);
  const marked = extractMarkedAnswer(output);
  const extracted = marked ?? (output.trim() === '' ? null : output.trim());
  const correct =
    gold !== '' && (normalize(output) === gold || (marked !== null && normalize(marked) === gold));
  if (extracted === null) return { correct: false, extracted, message: 'The reply is empty.' };
  return {
    correct,
    extracted,
    message: `${quote(extracted)} ${correct ? 'is' : 'is not'} ${quote(target)}.`,
  };
}

function normalize(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}
