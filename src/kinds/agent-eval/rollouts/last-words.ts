/** Question mark of any script, but for one before the parameters of a URL, which asks for nothing. */
const MARK = /[?？؟՞\u037e](?!\S{0,99}[=&])/;

/** Offer of more help, which a user who leaves declines. */
const OFFER =
  /\b(?:(?:any|some)thing (?:else|more|further)|(?:how|what) else|(?:any|other|more|further|additional) (?:\w+ )?(?:questions?|concerns?|help|assistance|issues?|requests?))\b(?:(?!, or\b)[^.!?\n]){0,80}\?/gi;

/** Requests without a question mark, such as `Please reply "yes" to confirm.` */
const REQUEST =
  /\b(?:please|kindly|need you to|once you|until you)(?: \w+)? (?:confirm|approve|reply|respond|answer|say|type|(?:tell|give) me|provide (?:me|your)|choose|select|specify)\b|\b(?:reply|respond|answer)(?: with)? ["'“*]{0,3}(?:yes|ok|confirm)\b|\byes ?\/ ?no\b|\(y\/n\)|\b(?:need|require|await|awaiting|wait for|waiting for) your (?:\w+ )?(?:confirmation|approval|consent|permission|go-ahead)\b|\blet me know (?:which|what|whether|your|how you|if (?:i|this|that))\b/i;

/** Words of leave that name what is settled, or what the user does without the agent. */
const SETTLED =
  /\b(?:thank(?:s|ing)?|appreciate)(?:(?!\b(?:please|and|but|also|so|i|can|could)\b)[^.,;:!?\n])*|\b(?:yes|yep|yeah),? (?=thank|that'?s (?:all|it|everything|right|correct)|perfect)|\b(?:all|everything|what) i (?:need|want|was looking for)(?! is\b)|\bi(?:'ll| will) (?:wait|check|look|keep|think|call|contact|try again|get back|leave|be (?:looking|waiting))\b[^.!?\n]*/gi;

/** Other words of which one stands in what only takes leave. */
const CLOSES =
  /(?<!\p{L})(?:thx|ty|tysm|cheers|(?:good)?bye|have an?|enjoy (?:the|your)|take care|see you|talk to you|you too|(?:that'?s|that is|that was|that'll be|that will be) (?:all|it|everything)|nothing (?:else|more|further)|(?:don't|do not|no) (?:have )?(?:any )?(?:other|further|more) questions|never ?mind|forward to|regards|wishes|bless|safe|(?:re)?solved|sorted|helpful|makes sense)(?!\p{L})|^\W*(?:(?:that|this|it|everything|i|we|you)(?:'s|'m|'re|'ve| is| was| am| are| have been| looks| sounds)? |looks |sounds )?(?:(?:an?|all|so|very|too) )?(?:ok(?:ay)?|alright|great|perfect|excellent|awesome|wonderful|fantastic|amazing|lovely|good|nice|kind|cool|fine|bad|glad|happy|set|done|clear|noted|understood|understand|got it|disappointing|unfortunate|pity|shame|right|relieved|huge help)\b|(?<!\p{L})(?:merci|danke?|vielen dank|gracias|obrigad|grazie|спасибо|дякую|شكر|धन्यवाद|teşekkür|bedankt|tack|dziękuj|cảm ơn|terima kasih)|谢|再见|ありがと|감사|고맙/iu;

/** What the agent can act on. */
const ACTS =
  /[\d?？؟@请]|(?<![\p{L}'])(?:please|bitte|por favor|per favore|(?:can|could|would|will) you|let me|yes|yeah|yep|sure|agreed?|confirm(?:ed)?|go ahead|proceed|do (?:it|that|so|this)|go with|(?:book|rebook|reserve|cancel|change|switch|use|send|refund|return|exchange|replace|update|upgrade|add|remove|make|get|give|keep|close|transfer|connect|charge|pay|take|move|put|check|try|split|schedule|process|issue|apply) (?:it|that|this|them|me|us|my|the|both|all|everything|an?)|i (?:\w+ )?(?:want|need|prefer|choose|accept|agree)|i(?:'d| would) (?:like|rather|prefer)|i(?:'ll| will) (?:take|have)|(?:name|address) is|instead|also|(?<!\b(?:you|me|day|one),? )too(?=[.,!]|$)|both|(?:all|everything) (?:of|in)|(?<!\ban? \w{1,12} )one|option|(?<=(?:^|[,.;:!]) ?)(?:the|by|to|from))(?![\p{L}'])/iu;

/**
 * Reports whether an agent can act on a user's last words: it asked for something, or they do more than thank, decline
 * its offer of help and say goodbye.
 * @param agents the message that they answer
 */
export function canBeActedOn(text: string, agents: string): boolean {
  const asked = agents.replaceAll(OFFER, '');
  if (MARK.test(asked) || REQUEST.test(asked)) return true;
  const said = text.replaceAll('’', "'");
  const rest = said.replaceAll(SETTLED, '');
  const declines = asked !== agents && /^\W*(?:no|nope|not|nothing)\b/i.test(said);
  const takesLeave = rest !== said || declines || CLOSES.test(said) || !/[\p{L}\p{N}]/u.test(said);
  return !takesLeave || ACTS.test(rest);
}
