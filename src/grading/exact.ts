import { saidIn } from '../replies/read-reply.js';
import { listedAnswer } from './extraction/json-answer.js';
import { findWrittenAnswer } from './extraction/marked-answer.js';
import { plainMarks } from './extraction/plain-characters.js';
import { unwrapped } from './extraction/wrappings.js';
import { type Grade, quote } from './grade.js';

/**
 * Grades a reply by exact match: the whole reply, or the answer at its last explicit marker, must be the target, with
 * or without the Markdown, quotation marks and LaTeX delimiters that enclose it, the full stop after those, and a check
 * mark beside it. Upper and lower case differ; Unicode is brought to its composed form (NFC), typographic apostrophes,
 * quotation marks and hyphens to those of ASCII, white space to single spaces, and nothing else is changed.
 */
export function gradeExact(reply: string, target: string): Grade {
  const output = saidIn(reply);
  const gold = oneSpelling(target);
  const marked = findWrittenAnswer(output);
  const spellings = [
    ...listedAnswer(output, marked?.text),
    ...(marked ? spellingsOf(marked.text, marked.inSentence) : []),
  ];
  const said = [...spellings, ...layersOf(output)].find((text) => oneSpelling(text) === gold);
  const correct = gold !== '' && said !== undefined;
  const extracted = (correct ? said : (spellings.at(-1) ?? layersOf(output).at(-1))) || null;
  if (extracted === null) return { correct: false, extracted, message: 'The reply is empty.' };
  return {
    correct,
    extracted,
    message: `${quote(extracted)} ${correct ? 'is' : 'is not'} ${quote(target)}.`,
  };
}

/** Returns the possible readings of an answer: as written, and without enclosing characters. */
function spellingsOf(text: string, inSentence: boolean): string[] {
  const layers = layersOf(text);
  return inSentence
    ? [...layers, ...layers.flatMap((layer) => unwrapped(layer.replace(/[.!。।]$/, '')))]
    : layers;
}

const CHECK_MARKS = /^[✅✔✓☑]\ufe0f?\s?|\s?[✅✔✓☑]\ufe0f?$/gu;

/** Returns the layers of a text, then those without the check marks beside it: `Oslo** ✅`. */
function layersOf(text: string): string[] {
  const bare = text.trim().replace(CHECK_MARKS, '');
  return bare === '' || bare === text.trim() ? unwrapped(text) : [...unwrapped(text), ...unwrapped(bare)];
}

/** Brings a text to the one spelling by which answers are compared. */
export function oneSpelling(text: string): string {
  return plainMarks(text.normalize('NFC')).replace(/\s+/g, ' ').trim();
}
