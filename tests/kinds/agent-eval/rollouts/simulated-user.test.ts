import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '../../../../src/contracts/language-model.js';
import {
  readUserMessage,
  simulatedUserPrompt,
  userMove,
} from '../../../../src/kinds/agent-eval/rollouts/simulated-user.js';

const STOP = '[DONE].*';
const CALL = { id: '1', name: 'book', arguments: '{"secret":1}' };
const CHAT: ChatMessage[] = [
  { role: 'system', content: 'the policy' },
  { role: 'user', content: 'a flight, please' },
  { role: 'assistant', content: 'One moment.', tool_calls: [CALL] },
  { role: 'tool', content: 'the answer of a tool', tool_call_id: '1' },
  { role: 'assistant', content: '', tool_calls: [CALL] },
  { role: 'tool', content: 'another', tool_call_id: '1' },
  { role: 'assistant', content: 'It is booked.' },
];

describe('the prompt of a simulated user', () => {
  test('holds its part, the rules and the chat as the user sees it, with the roles exchanged', () => {
    const [system, ...chat] = simulatedUserPrompt('You are $& Alice.', CHAT, { stopToken: STOP });
    expect(system?.role).toBe('system');
    expect(system?.content).toContain('You are $& Alice.');
    expect(system?.content).toContain(`write ${STOP}`);
    expect(chat).toEqual([
      { role: 'user', content: 'The chat is open, and you write first.' },
      { role: 'assistant', content: 'a flight, please' },
      { role: 'user', content: 'One moment.\n\nIt is booked.' },
    ]);
    expect(JSON.stringify(chat)).not.toMatch(/secret|answer of a tool|the policy/);
  });

  test('begins with the agent where the agent has begun, and is never without a message', () => {
    const greeting: ChatMessage = { role: 'assistant', content: 'How can I help?' };
    const chatOf = (messages: ChatMessage[]) =>
      simulatedUserPrompt('p', messages, { stopToken: STOP }).slice(1);
    expect(chatOf([greeting])).toEqual([{ role: 'user', content: 'How can I help?' }]);
    expect(chatOf([])).toEqual([{ role: 'user', content: 'The chat is open, and you write first.' }]);
  });

  test('says what was wrong with the tries before', () => {
    const first = simulatedUserPrompt('p', CHAT, { stopToken: STOP });
    const second = simulatedUserPrompt('p', CHAT, { stopToken: STOP, faults: ['it was empty.'] });
    expect(second[0]?.content).toBe(
      `${first[0]?.content}\n\nYour last try could not be used: it was empty. Write the user's message.`,
    );
    expect(second.slice(1)).toEqual(first.slice(1));
  });
});

test('the stop token is taken out of what a user says, wherever and however often it is there', () => {
  expect(readUserMessage(`Thanks! ${STOP}`, STOP)).toEqual({ text: 'Thanks!', stops: true });
  expect(readUserMessage(`[done].*\nBye ${STOP}`, STOP)).toEqual({ text: 'Bye', stops: true });
  expect(readUserMessage(STOP, STOP)).toEqual({ text: '', stops: true });
  expect(readUserMessage(' [DONE] ', STOP)).toEqual({ text: '[DONE]', stops: false });
});

test.each([
  ['**###STOP###**', ''],
  ['`###STOP###`', ''],
  ['"###STOP###"', ''],
  ['(###STOP###)', ''],
  ['###STOP###.', ''],
  ['###STOP###\n\n---', ''],
  ['####STOP####', ''],
  ['### STOP ###', ''],
  ['### stop###', ''],
  ['Thanks!\n**###STOP###**', 'Thanks!'],
  ['No, that is all. ### STOP ###', 'No, that is all.'],
  ['Is it *free*? ###STOP###', 'Is it *free*?'],
  ['👍 ###STOP###', '👍'],
])('the stop token is read as models write it, and its marks are not said: %j', (said, text) => {
  expect(readUserMessage(said, '###STOP###')).toEqual({ text, stops: true });
});

test.each(['---', '**STOP**', '## Stop', 'Stop # 3', '### STO P ###', '#\n##STOP###'])(
  'what is no stop token stays as it is: %j',
  (said) => {
    expect(readUserMessage(said, '###STOP###')).toEqual({ text: said, stops: false });
  },
);

describe('a stop token that is a word', () => {
  test.each([
    ['TERMINATE', 'TERMINATE', ''],
    ['TERMINATE', 'TERMINATE.', ''],
    ['TERMINATE', '**TERMINATE**', ''],
    ['TERMINATE', 'Thanks! TERMINATE', 'Thanks!'],
    ['TERMINATE', 'Thanks! **TERMINATE**', 'Thanks!'],
    ['TERMINATE', 'Thanks!TERMINATE.', 'Thanks!'],
    ['TERMINATE', 'Thanks! "TERMINATE"\n', 'Thanks!'],
    ['TERMINATE', 'Thanks!\nTERMINATE\nBye.', 'Thanks!\n\nBye.'],
    ['TERMINATE', 'I want to terminate it. TERMINATE', 'I want to terminate it.'],
    ['ALL DONE', 'Thanks. ALL DONE!', 'Thanks.'],
    ['bye', 'Okay, bye', 'Okay,'],
    ['结束', '谢谢。结束', '谢谢。'],
    ['结束', '谢谢结束', '谢谢'],
    ['结束', '【结束】', ''],
    ['TERMINATE', '[TERMINATE]', ''],
    ['TERMINATE', 'Thanks! <TERMINATE>', 'Thanks!'],
    ['TERMINATE', '“TERMINATE”', ''],
    ['TERMINATE', 'TERMINATE。', ''],
    ['TERMINATE', '谢谢TERMINATE', '谢谢'],
    ['TERMINATE', 'terminate.', ''],
    ['TERMINATE', 'Thank you. TERMINATE 😊', 'Thank you.'],
    ['TERMINATE', 'TERMINATE. Thanks for your help!', 'Thanks for your help!'],
    ['TERMINATE', 'TERMINATE, thank you', 'thank you'],
    ['TERMINATE', 'TERMINATE – thanks!', 'thanks!'],
    ['TERMINATE', 'TERMINATE:', ''],
    ['TERMINATE', 'TERMINATE TERMINATE', ''],
    ['TERMINATE', 'Bye.\n[TERMINATE]\n(The chat ends.)', 'Bye.\n\n(The chat ends.)'],
    ['STOP', '###STOP###', ''],
    ['STOP', 'Thanks! **STOP**', 'Thanks!'],
    ['DONE', 'DONE 👍', ''],
    ['goodbye', 'Thanks. Goodbye!', 'Thanks.'],
    ['exit', 'EXIT.', ''],
    ['END OF CONVERSATION', '(end of conversation)', ''],
    ['We’re done', 'we’re done!', ''],
  ])('%s ends the conversation: %j', (token, said, text) => {
    expect(readUserMessage(said, token)).toEqual({ text, stops: true });
  });

  test.each([
    ['TERMINATE', 'I want to terminate my contract.'],
    ['TERMINATE', 'Please terminate'],
    ['TERMINATE', 'TERMINATE my contract, please.'],
    ['TERMINATE', 'Does it say TERMINATED'],
    ['DONE', 'I have not done anything yet; is it done?'],
    ['DONE', 'Is it DONE?'],
    ['STOP', 'Please stop my subscription.'],
    ['STOP', 'Is it a flight that is NON-STOP'],
    ['END', 'When does the weekend offer start? Friends said it is good.'],
    ['STOP', 'STOP-over flights are fine'],
    ['STOP', 'My flight is non-STOP.'],
    ['TERMINATE', 'Can I TERMINATE?'],
    ['TERMINATE', 'TERMINATE?'],
    ['DONE', 'It is done.'],
    ['DONE', 'DONE with the first step'],
    ['exit', 'Exit row, please'],
    ['bye', 'Goodbye is not yet'],
    ['bye', 'This is not goodbye'],
    ['结束', '合同什么时候结束？'],
    ['---', 'No - not yet'],
  ])('%s is left in what the user says: %j', (token, said) => {
    expect(readUserMessage(said, token)).toEqual({ text: said, stops: false });
  });
});

describe('what a user who says the stop token does', () => {
  const DONE = 'Your flight is booked. Is there anything else I can help you with?';
  const move = (said: string, agents: string) =>
    userMove(readUserMessage(said, '###STOP###'), [{ role: 'assistant', content: agents }]);

  test.each<[string, string, string]>([
    ['answers', 'The blue one, and please by Monday. ###STOP###', 'Which colour, and by when?'],
    ['agrees', 'Yes, please book it. ###STOP###', 'Flight HA103 has a seat. Shall I book it?'],
    ['says a number first', '###STOP### 7788', 'What is your PIN?'],
    ['answers in Chinese', '蓝色的。###STOP###', '要哪种颜色？'],
    ['answers in Arabic', 'الأزرق ###STOP###', 'أي لون تريد؟'],
    ['agrees to what stands there', 'Yes, please go ahead. ###STOP###', 'I will change A1 to 5 pieces.'],
    ['is asked to reply', 'Okay, thanks! ###STOP###', 'I will change A1. Please reply "yes" to confirm.'],
    ['is asked to confirm', 'Perfect. ###STOP###', 'I need your explicit confirmation (yes/no) before that.'],
    ['is asked to confirm first', 'Great, thank you! ###STOP###', 'I will cancel it once you confirm.'],
    ['says which', 'The blue one. ###STOP###', 'Let me know which colour you prefer.'],
    ['says a code', 'It is 20165. ###STOP###', 'To proceed, please provide your zip code.'],
    ['says a code alone', '20165 ###STOP###', 'Your zip code is needed.'],
    ['agrees in Chinese', '是的。###STOP###', '您确认取消吗'],
    ['agrees in a word', 'Sure ###STOP###', 'There is a fee of $20 for that.'],
    ['declines', 'No. ###STOP###', 'I will book it now.'],
    ['wants an end', 'That is okay, please go ahead and close this request. ###STOP###', 'I cannot do that.'],
    ['thanks and wants more', 'Thanks, and please cancel A2, too. ###STOP###', 'A1 is cancelled.'],
    ['thanks and asks', 'Thanks! And A2? ###STOP###', 'A1 is cancelled.'],
    ['thanks for a choice', 'Thank you for the list, the red one. ###STOP###', 'There are red and blue.'],
    ['agrees and thanks', 'Sure, thanks! ###STOP###', 'There is a fee of $20 for that.'],
    ['tells to do it and thanks', 'Thanks, book it. Bye! ###STOP###', 'Flight HA103 has a seat.'],
    ['chooses and thanks', 'Option B. Thanks! ###STOP###', 'There are A and B.'],
    ['names a flight and thanks', 'The cheaper flight, thanks. ###STOP###', 'There are two flights.'],
    ['chooses one and thanks', 'Cheapest one, thank you! ###STOP###', 'There are two flights.'],
    ['wants and thanks', 'Thanks, I still want the refund. ###STOP###', 'It is cancelled.'],
    ['thanks and adds', 'Thanks and cancel the other one too. ###STOP###', 'A1 is cancelled.'],
    [
      'thanks and asks without a mark',
      'Thanks, and could you send it by mail. ###STOP###',
      'It is cancelled.',
    ],
    ['needs one thing', 'All I need is a window seat. Thanks! ###STOP###', 'The flight is booked.'],
    ['thanks in German and asks', 'Danke, bitte alles stornieren. ###STOP###', 'Das ist gebucht.'],
    ['thanks in Chinese and asks', '谢谢，请取消。###STOP###', '已经预订。'],
    ['thanks for a choice that was asked for', 'Economy, thanks. ###STOP###', 'Please tell me your cabin.'],
    ['declines what was asked', 'No, thanks. ###STOP###', 'It is done. Shall I book a hotel?'],
    ['declines, of two questions', 'No. ###STOP###', 'Is there anything else, or shall I book it?'],
    ['wants something else', 'Yes, cancel A2. ###STOP###', DONE],
    ['wants something after all', 'No, but please cancel A2. ###STOP###', DONE],
    ['has not heard anything yet', 'A window seat on flight 1. ###STOP###', ''],
  ])('%s, and the agent may act on it', (_what, said, agents) => {
    expect(move(said, agents)).toBe('answered_and_left');
  });

  test.each<[string, string, string]>([
    ['says nothing else', '###STOP###', 'Is there anything else?'],
    ['says nothing else, in bold', '**###STOP###**', 'Is there anything else?'],
    ['was asked nothing', 'Thanks! ###STOP###', 'It is booked.'],
    ['thanks', 'Great, thank you! ###STOP###', 'Your booking is cancelled.'],
    ['thanks at length', 'Perfect, thank you so much for your help today! ###STOP###', 'It is booked.'],
    [
      'was offered more',
      'Great, thank you! ###STOP###',
      'It is done. Let me know if you need anything else.',
    ],
    ['was offered help', 'Thanks ###STOP###', 'Booked. Please let me know if you have any questions.'],
    [
      'was told of a confirmation',
      'Perfect ###STOP###',
      'I can confirm it; your confirmation is in the mail.',
    ],
    ['needs nothing', 'No, that’s all I needed. Have a great day! ###STOP###', 'It is booked.'],
    ['has nothing else', "I don't need anything else, thanks. ###STOP###", 'It is booked.'],
    ['says goodbye', 'Okay, got it. Bye! ###STOP###', 'It cannot be refunded.'],
    ['gives up', 'That is a pity, but all right. ###STOP###', 'It cannot be refunded.'],
    ['looks elsewhere', "Then I'll look elsewhere. ###STOP###", 'There is no flight.'],
    ['shows a thumb', '👍 ###STOP###', 'It is booked.'],
    ['thanks in French', 'Merci beaucoup, au revoir ! ###STOP###', 'C’est annulé.'],
    ['thanks in German', 'Danke schön! ###STOP###', 'Das ist erledigt.'],
    ['thanks in Chinese', '非常感谢！再见。###STOP###', '已经取消。'],
    ['thanks in Japanese', 'ありがとうございます。 ###STOP###', '予約しました。'],
    ['has no more for an offer', "No, thanks! That's all. ###STOP###", DONE],
    ['declines an offer in a word', 'Nope. ###STOP###', DONE],
    ['declines another offer', "No, I'm good. ###STOP###", 'Booked. Do you have any other questions?'],
    ['thanks for an offer', 'Thank you! ###STOP###', 'Done. What else can I do for you?'],
    ['may say how it goes', 'Thanks, bye! ###STOP###', 'Done. Let me know how it goes!'],
    ['may change it', 'Thanks! ###STOP###', "Let me know if you'd like to make changes later."],
    ['may share feedback', 'Thanks! ###STOP###', 'Booked. Please share your feedback.'],
    ['may provide a number', 'Thanks! ###STOP###', 'Please provide this reference number at the desk.'],
    ['may return it', 'Thanks! ###STOP###', 'If you choose to return it, the label is in your mail.'],
    ['may enter a code', 'Thanks! ###STOP###', 'Once you enter your code, you can choose a seat.'],
    ['was shown an address', 'Thanks! ###STOP###', 'See https://x.test/f?id=3 for it.'],
  ])('%s, and the conversation ends', (_what, said, agents) => {
    expect(move(said, agents)).toBe('stopped');
  });

  test.each([
    'No, thank you.',
    'Yes, thank you!',
    "Yes, that's all. Thank you!",
    'That works. Thank you.',
    'Sounds good, thanks!',
    'Thank you for your time and help.',
    'Thanks for all your help with my booking!',
    'Thank you for booking flight HA103 to Boston!',
    'Thanks, Alex. Bye!',
    'I really appreciate your help today.',
    'Glad to hear it. Thanks!',
    'That answers my question. Thanks!',
    'I have everything I need. Thank you!',
    "That's all I needed today.",
    "That's what I was looking for.",
    "I'm all set now, thank you!",
    'Have a good one!',
    'Have a great day, too!',
    'Thats all thanks',
    "Okay, I'll wait for the email. Thank you.",
    "That's disappointing, but I understand.",
    "Too bad. I'll call the hotel instead.",
    'My issue is resolved.',
    'Looking forward to my trip!',
    'Best regards, Tom',
    'Danke, das war alles.',
    'Gracias, eso es todo.',
    'はい、ありがとうございました。',
    '고맙습니다.',
    'Teşekkürler!',
  ])('ends the conversation with words that leave nothing to do: %s', (said) => {
    expect(move(`${said} ###STOP###`, 'It is done.')).toBe('stopped');
  });

  test('continues without the token', () => {
    expect(move('The blue one.', 'Which colour?')).toBe('said');
  });
});
