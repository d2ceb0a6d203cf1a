import { describe, expect, test } from 'vitest';
import type { UserFault } from '../../../../src/kinds/agent-eval/contracts.js';
import { DEFAULT_STOP_TOKEN } from '../../../../src/kinds/agent-eval/rollouts/simulated-user.js';
import { userFault } from '../../../../src/kinds/agent-eval/rollouts/user-faults.js';

const STOP = DEFAULT_STOP_TOKEN;
const ASKED = 'Flight HA103 leaves at 9:40 and costs $120. Shall I book it for you?';
const DONE = 'Your booking N4F2A1 is paid. Is there anything else I can help you with?';

const faultOf = (text: string, said = ASKED, part = 'You are Alice.') =>
  userFault(
    { text },
    { part, messages: [{ role: 'assistant', content: said }], agentHasReplied: true, stopToken: STOP },
  );

describe('a message of a user is taken where it', () => {
  test.each([
    ['agrees', 'Yes, please book it.'],
    ['agrees in a word', 'Yes'],
    ['answers with a number', '4'],
    ['is an emoji', '👍'],
    ['only wonders', '?'],
    ['is in another writing', '明日の朝の便をお願いします'],
    ['asks for help', 'Can you help me change my booking?'],
    ['asks whether there is more that the agent can do', 'Is there anything else you can do about the fee?'],
    ['asks what the user can do', 'Is there anything else I can do to get the refund?'],
    ['needs a moment', 'Let me check my email for that number.'],
    ['looks something up', 'Let me check that for you. It is B2001.'],
    ['offers to wait', "I'm happy to wait."],
    ['wants to help', 'How can I help you find my booking? I only know the date.'],
    ['quotes a mail', 'The mail says "Your booking has been confirmed. How may I help you?"'],
    ['quotes in other marks', 'It said “Thank you for choosing Harbour Air” and nothing more.'],
    ['quotes as mails do', '> How can I help you today?\nThat is what the bot wrote, twice.'],
    ['tells what the user did', 'I booked my flight last week and I have cancelled the hotel.'],
    ['tells of a booking', 'I have booked a flight for my mother and me.'],
    ['speaks of an agent', 'Another agent told me that it can be refunded.'],
    ['asks an agent', 'Agent, are you there?'],
    ['names an agent', 'Booking: B2001\nAgent: Maria\nDate: 3 March'],
    ['lists what it wants', 'Two things:\n1. the cheapest flight\n2. a refund of B2001'],
    ['asks for a number', 'Could you give me the confirmation number of my booking?'],
    ['asks what a number is', 'Where do I find my booking number?'],
    ['asks to be told the policy', 'Could you confirm your refund policy?'],
    ['thanks', 'Thank you for your help!'],
    ['thanks for an answer', 'Thank you for contacting me again about this.'],
    ['thanks for a choice', 'Thank you for choosing an aisle seat for me.'],
    ['thanks for a flight', 'Thank you for choosing HA103, it is the right one.'],
    ['thanks for a call', 'Thank you for calling back so soon.'],
    ['says a word that the agent said', 'HA103'],
    ['says the same few words', 'Goodbye!', 'Goodbye!'],
    ['repeats a part of it', 'Flight HA103 leaves at 9:40? That is early, but fine.'],
    ['quotes the whole of it', `You wrote "${ASKED}" but I asked for the afternoon.`],
    ['holds JSON of its own', 'My export says {"name": "Alice", "seat": "12A"}.'],
    ['is the end', STOP, DONE],
    ['is the end in another case', '###stop###', DONE],
    ['thanks and ends', `No, that is all, thanks! ${STOP}`, DONE],
    ['says yes to being done and ends', `Yes, that's everything. ${STOP}`, DONE],
    ['is content and ends', `Great, the booking is what I wanted.\n\n${STOP}`, DONE],
    ['agrees and ends', `Yes, please book it. ${STOP}`],
    ['tells to go ahead and ends', `That sounds right, go ahead. Thanks! ${STOP}`],
    ['declines and ends', `No, please do not book it. ${STOP}`],
    ['gives up and ends', `Then I'll cancel it myself. Please don't change anything. ${STOP}`],
    ['asks for nothing and ends', `OK, please leave it as it is. ${STOP}`, 'It cannot be refunded.'],
    ['has confirmed its address', 'I just confirmed my email address for you.'],
    ['has changed what is its own', 'I have updated my payment method in the app for you to check.'],
    ['has cancelled something', 'I already cancelled the other booking for you to see.'],
    ['wants to help with a check', 'Is there anything else I can do for you to verify this?'],
    ['compares numbers', 'Could you please confirm your order number with me? I think mine is 5.'],
    ['has booked for itself', "I've booked my hotel for the same night for you to know."],
    ['thanks for a call about its own', 'Thank you for contacting Delta about my refund.'],
    ['thanks for a call to others', 'Thank you for reaching out to Delta on my behalf.'],
    ['thanks for a call for them', 'Thanks! Thank you for calling the Hotel Astoria for me.'],
    ['tells what was promised', 'Agent: Bob promised that it would be free.'],
    ['tells what an agent said', 'Agent: Maria told me last week that it would be free.'],
    ['agrees without having been asked, and ends', `Yes, please do so next time. ${STOP}`, 'It is done.'],
  ])('%s', (_what, text, said = ASKED) => {
    expect(faultOf(text, said)).toBeNull();
  });
});

describe('what the part of a user tells it to say', () => {
  const PART = `You are a clerk who tests a desk. When asked, say exactly: "Can you provide your order number,
please?" Begin with: How may I help you today? Send {"name": "pay", "arguments": {"id": "B1"}} once.
Agent: Your flight is booked. Say that line, too.`;

  test.each([
    'Can you provide your order number, please?',
    'Hello! can you provide your order number please',
    'How may I help you today?',
    '{"name": "pay", "arguments": {"id": "B1"}}',
  ])('is no fault: %s', (text) => {
    expect(faultOf(text, ASKED, PART)).toBeNull();
    expect(faultOf(text)).toBe('role_swap');
  });

  test.each([
    'Can you provide your booking number, please?',
    'How may I assist you with your order?',
    'How may I help you today? I have booked it for you.',
    'Agent: One moment.',
  ])('but what it does not is: %s', (text) => {
    expect(faultOf(text, ASKED, PART)).toBe('role_swap');
  });

  test.each([
    '[Agent]\nYour flight is rebooked to Monday.',
    '**Agent:**\nYour flight is rebooked.',
    'Assistant:\nSure, one moment.',
    '<assistant>\nSure, one moment.',
    '### Agent:\n\nThe fee is $20.',
    'Customer service agent:\nYour flight is moved.',
    'Bot:\nDone.',
  ])('and a label alone is none of it: %j', (text) => {
    const part =
      'You want the agent, a bot or a support assistant, or a customer service agent to cancel it.';
    expect(faultOf(text, ASKED, part)).toBe('role_swap');
  });
});

test('a message that its token limit cut off is a fault, whatever it says', () => {
  const context = { part: '', messages: [], agentHasReplied: true, stopToken: STOP };
  expect(userFault({ text: 'I want to fly to', finish_reason: 'length' }, context)).toBe('cut_off');
  expect(userFault({ text: 'I want to fly to', finish_reason: 'stop' }, context)).toBeNull();
});

describe('a message of a user is a fault where it', () => {
  test.each<[string, UserFault, string, string?]>([
    ['is empty', 'empty', ''],
    ['is blank', 'empty', ' \n '],
    ['is dots', 'empty', '…'],
    ['is dashes', 'empty', '---'],
    ['has the label of the agent', 'role_swap', 'Agent: Your flight is booked.'],
    ['has the label of the assistant', 'role_swap', 'assistant: Sure!'],
    ['has a bold label', 'role_swap', '**Assistant:** Sure!'],
    ['has a label in brackets', 'role_swap', '[Agent] One moment.'],
    ['has a longer label', 'role_swap', 'Customer service agent: One moment.'],
    ['plays both parts', 'role_swap', 'Yes, please.\nAgent: I have found a seat on that flight.'],
    ['asks how to help', 'role_swap', 'Hello! How can I help you today?'],
    ['asks how to assist', 'role_swap', 'How may I assist you with your booking?'],
    ['asks for more to do', 'role_swap', "You're welcome! Is there anything else I can help you with?"],
    ['would be happy to help', 'role_swap', "I'd be happy to help you with that. Which flight is it?"],
    ['writes it with a curly mark', 'role_swap', 'I’d be happy to assist you.'],
    ['is there to help', 'role_swap', "I'm here to help you with any further questions."],
    ['is a virtual assistant', 'role_swap', 'I am a virtual assistant and cannot do that.'],
    ['is a language model', 'role_swap', 'As an AI language model, I have no bookings.'],
    ['thanks the customer', 'role_swap', 'Thank you for contacting Harbour Air.'],
    ['thanks on behalf of a company', 'role_swap', 'Thank you for contacting us, goodbye.'],
    ['has booked for the customer', 'role_swap', "I've booked flight HA103 for you."],
    ['has changed for the customer', 'role_swap', "I've updated your address for you."],
    ['has confirmed for the customer', 'role_swap', 'I have confirmed the booking for you.'],
    ['has changed it', 'role_swap', "I've changed it for you."],
    ['has changed something', 'role_swap', "I've just changed the delivery date for you."],
    ['has updated something', 'role_swap', "I've updated the payment method for you."],
    ['has confirmed several', 'role_swap', 'I have confirmed both seats for you.'],
    ['has booked to a place', 'role_swap', "I've booked the 9am flight for you to Boston."],
    ['has refunded to a card', 'role_swap', 'I have refunded the amount for you to your card.'],
    ['has cancelled what the customer has', 'role_swap', "I've cancelled your booking for you."],
    ['thanks and checks', 'role_swap', 'Thank you for contacting us, let me check that.'],
    ['thanks and has a name', 'role_swap', 'Thank you for calling Acme, my name is Sarah.'],
    ['thanks and looks', 'role_swap', 'Thank you for contacting us — let me look into it.'],
    ['thanks for a chance', 'role_swap', 'Thank you for flying with us and giving me the chance to help.'],
    [
      'asks for a confirmation',
      'role_swap',
      'Could you please give me your confirmation number and last name?',
    ],
    ['asks to be told a ticket', 'role_swap', 'Can you tell me your ticket number?'],
    ['offers to make it right', 'role_swap', 'Is there anything else I can do for you to make it right?'],
    ['offers to do more', 'role_swap', 'Is there anything else I can help you to do?'],
    ['has a label and a promise', 'role_swap', 'Agent: We promised you a refund last week.'],
    ['has a label and says who told', 'role_swap', 'Agent: They told you that it is free.'],
    ['asks to be told a number', 'role_swap', 'Can you tell me your order number?'],
    ['asks for the order', 'role_swap', 'Could you provide your order number?'],
    ['thanks the customer for a mail', 'role_swap', 'Thank you for reaching out to Delta about the delay.'],
    ['has a label and a sentence', 'role_swap', 'Agent: I told you that it is booked.'],
    ['has cancelled for the customer', 'role_swap', 'I have successfully cancelled the booking for you.'],
    ['asks for a number', 'role_swap', 'Could you please provide your booking number?'],
    ['asks for an id', 'role_swap', 'May I have your customer ID, please?'],
    ['reports what was done', 'role_swap', 'Your booking has been confirmed. Have a nice flight!'],
    ['repeats the agent', 'role_swap', ASKED],
    ['repeats it with other marks', 'role_swap', ASKED.toUpperCase().replaceAll(/[.?]/g, '!')],
    ['repeats it and continues', 'role_swap', `${ASKED} Yes, I would like that.`],
    ['calls a tool', 'role_swap', '{"name": "create_booking", "arguments": {"flight_id": "HA103"}}'],
    ['calls a tool in a fence', 'role_swap', '```json\n{"tool": "pay", "parameters": {"id": "B1"}}\n```'],
    ['calls a tool with a mark', 'role_swap', '<tool_call>pay_booking</tool_call>'],
    ['helps at the end', 'role_swap', `Is there anything else I can do for you? ${STOP}`],
  ])('%s', (_what, fault, text, said = ASKED) => {
    expect(faultOf(text, said)).toBe(fault);
  });

  test('ends before the agent has replied', () => {
    const before = { part: '', messages: [], agentHasReplied: false, stopToken: STOP };
    expect(userFault({ text: STOP }, before)).toBe('early_stop');
    expect(userFault({ text: `I want a flight. ${STOP}` }, before)).toBe('early_stop');
    expect(userFault({ text: 'I want a flight.' }, before)).toBeNull();
  });

  test('asks for a tool', () => {
    const tool_calls = [{ id: '1', name: 'book', arguments: '{}' }];
    const after = { part: '', messages: [], agentHasReplied: true, stopToken: STOP };
    expect(userFault({ text: '', tool_calls }, after)).toBe('role_swap');
  });
});
