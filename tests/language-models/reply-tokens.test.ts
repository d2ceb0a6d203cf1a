import { describe, expect, it, test } from 'vitest';
import { tokensOfCandidate, tokensOfChoice } from '../../src/language-models/reply-tokens.js';
import { fake, modelFor, request } from './support.js';

/** A token of OpenAI's protocol with what was likely in its place. */
const token = (text: string, logprob: number, more: object = {}) => ({
  token: text,
  logprob,
  bytes: null,
  ...more,
});

describe('the tokens of a choice', () => {
  const [yes, stop] = [
    token('Yes', -0.1, { top_logprobs: [token('Yes', -0.1), token('No', -2.5)] }),
    token('.', -0.5, { top_logprobs: [token('.', -0.5)] }),
  ];
  const read = {
    tokens: ['Yes', '.'],
    logprobs: [-0.1, -0.5],
    top_tokens: [['Yes', 'No'], ['.']],
    top_logprobs: [[-0.1, -2.5], [-0.5]],
  };

  test.each<[string, Record<string, unknown>, unknown]>([
    ['of OpenAI', { logprobs: { content: [yes, stop], refusal: null } }, read],
    [
      'of vLLM, with ids',
      { logprobs: { content: [yes, stop] }, token_ids: [9454, 13] },
      { token_ids: [9454, 13], ...read },
    ],
    [
      'of llama.cpp, with an id beside each',
      {
        logprobs: {
          content: [
            { ...yes, id: 9454 },
            { ...stop, id: 13 },
          ],
        },
      },
      { token_ids: [9454, 13], ...read },
    ],
    [
      'of vLLM with ids for texts',
      { logprobs: { content: [token('token_id:9454', -0.1), token('token_id:13', -0.5)] } },
      { token_ids: [9454, 13], tokens: ['token_id:9454', 'token_id:13'], logprobs: [-0.1, -0.5] },
    ],
    [
      'of Together, in lists',
      {
        logprobs: {
          tokens: ['Yes', '.'],
          token_logprobs: [-0.1, -0.5],
          token_ids: [9454, 13],
          top_logprobs: [{ Yes: -0.1, No: -2.5 }, { '.': -0.5 }],
        },
      },
      { token_ids: [9454, 13], ...read },
    ],
    [
      'in lists without ids and likely ones',
      { logprobs: { content: null, tokens: ['Yes'], token_logprobs: [-0.1], top_logprobs: null } },
      { tokens: ['Yes'], logprobs: [-0.1] },
    ],
    [
      'both ways',
      { logprobs: { content: [yes, stop], tokens: ['x'], token_logprobs: [-9], token_ids: [9454, 13] } },
      { token_ids: [9454, 13], ...read },
    ],
    [
      'in lists of which one is shorter',
      { logprobs: { tokens: ['a', 'b'], token_logprobs: [-1] } },
      undefined,
    ],
    [
      'without likely ones',
      { logprobs: { content: [token('Yes', -0.1)] } },
      { tokens: ['Yes'], logprobs: [-0.1] },
    ],
    ['that are ids alone', { token_ids: [1, 2] }, { token_ids: [1, 2] }],
    [
      'of which there are more ids than texts',
      { logprobs: { content: [token('Yes', -0.1)] }, token_ids: [1, 2] },
      { tokens: ['Yes'], logprobs: [-0.1] },
    ],
    [
      'of which one cannot be read',
      { logprobs: { content: [yes, { token: 7 }] }, token_ids: [1, 2] },
      { token_ids: [1, 2] },
    ],
    ['that are none', { logprobs: null, token_ids: null }, undefined],
    ['that are odd', { logprobs: { content: 'x' }, token_ids: ['a'] }, undefined],
    [
      'with odd numbers',
      { logprobs: { content: [token('a', Number.NaN)] }, token_ids: [-1, 1.5] },
      undefined,
    ],
  ])('%s', (_name, choice, expected) => {
    expect(tokensOfChoice(choice)).toEqual(expected);
  });
});

test('the tokens of a candidate of Gemini’s', () => {
  const chosenCandidates = [
    { token: 'Yes', tokenId: 9454, logProbability: -0.1 },
    { token: '.', tokenId: 13, logProbability: -0.5 },
  ];
  const topCandidates = [{ candidates: [chosenCandidates[0], { token: 'No', logProbability: -2.5 }] }, {}];
  expect(tokensOfCandidate({ logprobsResult: { chosenCandidates, topCandidates } })).toEqual({
    token_ids: [9454, 13],
    tokens: ['Yes', '.'],
    logprobs: [-0.1, -0.5],
    top_tokens: [['Yes', 'No'], []],
    top_logprobs: [[-0.1, -2.5], []],
  });
  expect(tokensOfCandidate({})).toBeUndefined();
});

describe('log probabilities are asked for', () => {
  const asked = request('Hi', { parameters: { logprobs: 5 } });
  const body = (choice: object) =>
    JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop', ...choice }] });

  it('with the protocol’s fields and vLLM’s own, and read', async () => {
    const provider = await fake('openai');
    provider.intercept = () => ({
      kind: 'raw',
      body: body({ logprobs: { content: [token('Hi', -1)] }, token_ids: [7] }),
    });
    const reply = await (await modelFor(provider)).generate(asked);
    expect(reply.tokens).toEqual({ token_ids: [7], tokens: ['Hi'], logprobs: [-1] });
    expect(provider.requests[0]?.body).toMatchObject({
      logprobs: true,
      top_logprobs: 5,
      return_token_ids: true,
    });
    await (await modelFor(provider)).generate(request('Hi', { parameters: { logprobs: 0 } }));
    expect(provider.requests[1]?.body).toMatchObject({ logprobs: true });
    expect(provider.requests[1]?.body).not.toHaveProperty('top_logprobs');
  });

  it('without what a server does not take, which is said of the log probabilities', async () => {
    const provider = await fake('openai');
    provider.intercept = ({ body: sent }) => {
      if (sent.return_token_ids !== undefined)
        return {
          kind: 'status',
          status: 400,
          message: 'Unrecognized request argument supplied: return_token_ids',
        };
      if (sent.logprobs !== undefined)
        return { kind: 'status', status: 400, message: "'logprobs' is not supported with this model" };
      return { kind: 'raw', body: body({}) };
    };
    const model = await modelFor(provider);
    const reply = await model.generate(asked);
    expect(reply).not.toHaveProperty('tokens');
    expect(reply.adapted).toEqual([
      expect.stringMatching(/^lm\.logprobs 5 is left out: .*'logprobs' is not supported/),
    ]);
    expect(provider.requests).toHaveLength(3);
    await model.generate(asked);
    expect(provider.requests).toHaveLength(4);
  });

  it('in Gemini’s words', async () => {
    const provider = await fake('gemini');
    await (await modelFor(provider)).generate(asked);
    expect(provider.requests[0]?.body.generationConfig).toMatchObject({
      responseLogprobs: true,
      logprobs: 5,
    });
  });
});
