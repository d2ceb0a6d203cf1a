/** Question mark of any script, with the rest of its word. */
const MARK = /[?？؟՞\u037e](\S*)/g;

/** Requests without a question mark, such as `Please reply "yes" to confirm.` */
const REQUEST = new RegExp(
  [
    String.raw`\b(?:please|kindly|you to|once you|if you)(?: \w+)? (?:confirm|approve|reply|respond|answer|say|type|tell|give|provide|share|choose|select|specify|enter)\b`,
    String.raw`\b(?:reply|respond|answer)(?: with)? ["'“*]{0,3}(?:yes|ok|confirm)\b`,
    String.raw`\byes ?\/ ?no\b|\(y\/n\)`,
    String.raw`\b(?:need|require|await|awaiting|without|wait for|waiting for) your (?:\w+ )?(?:confirmation|approval|consent|permission|go-ahead)\b`,
    String.raw`\blet me know (?!.{0,60}\b(?:any|anything|else|help|need|questions)\b)`,
  ].join('|'),
  'i',
);

/** Reports whether a text asks for something. Question marks before the parameters of a URL ask for nothing. */
export function asks(text: string): boolean {
  return [...text.matchAll(MARK)].some(([, rest = '']) => !/[=&]/.test(rest)) || REQUEST.test(text);
}

const PRAISE =
  '(?:great|good|perfect|excellent|awesome|wonderful|fantastic|amazing|lovely|brilliant|nice|helpful|kind)';
/** Rest of a clause, up to what may be another wish. */
const REST = String.raw`(?:(?!\b(?:please|and|but|also|i|my|can|could)\b)[^.,;:!?\n]){0,80}`;

/** Thanks, agreement with what has been done, and goodbyes. */
const LEAVING = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${[
    `(?:no |many )?(?:thanks|thank you|thx|cheers)(?: (?:so|very) much| a lot| again| anyway)*(?: for${REST})?`,
    `i (?:really )?appreciate (?:it|that|your help|the help)|much appreciated`,
    `you(?:'ve| have) been (?:\\w+ )?${PRAISE}`,
    `(?:(?:no|yes),? )?that(?:'s| is| was| will be|'ll be) (?:all|everything|it|(?:exactly )?what)(?: i (?:need|want)(?:ed)?)?(?: for${REST})?`,
    `(?:no,? )?(?:i (?:have|need) )?(?:nothing (?:else|more|further)|no (?:further|more|other) questions)(?: for now| from me)?`,
    `i (?:don't|do not) (?:need|have) any(?:thing| questions)?(?: else| more)?`,
    `(?:i'm|i am) (?:all )?(?:set|done|good|happy|satisfied)|all (?:set|good|right)`,
    `(?:good ?)?bye|take care|see you|you too|(?:have|enjoy) (?:an?|the|your) (?:\\w+ ){0,4}(?:day|one|evening|night|afternoon|weekend|week|trip|flight)`,
    `(?:(?:that|it|this)(?:'s| is| was) )?(?:so |very |really |all )?(?:${PRAISE}|a pity|a shame|too bad)(?: (?:job|work|news|to (?:hear|know)(?: that)?))?`,
    `ok|okay|alright|got it|understood|noted|i (?:see|understand)|never ?mind|no (?:problem|worries)|you're welcome`,
    `i(?:'ll| will) (?:look|try|go|ask) (?:elsewhere|somewhere else|again later)`,
    `and|but|so|then|well|oh`,
    `merci(?: beaucoup)?|au revoir|bonne (?:journée|soirée)|danke(?: schön| sehr)?|vielen dank|tschüss|auf wiedersehen|(?:muchas )?gracias|adiós|hasta luego|(?:muito )?obrigad[oa]|tchau|grazie(?: mille)?|arrivederci|dank (?:je|u)(?: wel)?|спасибо(?: большое)?|до свидания|شكرا(?: جزيلا)?|धन्यवाद`,
  ].join(
    '|',
  )})(?![\p{L}\p{N}])|(?:非常)?(?:感谢|谢谢|多谢)(?:您|你)?|再见|拜拜|ありがとう(?:ございま(?:す|した))?|さようなら|감사합니다|안녕히 계세요`,
  'giu',
);

/** Reports whether a user's last words only thank, or say goodbye: nobody waits for what the agent says to them. */
export function onlyTakesLeave(text: string): boolean {
  return !/[\p{L}\p{N}?？؟]/u.test(text.replaceAll('’', "'").replaceAll(LEAVING, ' '));
}
