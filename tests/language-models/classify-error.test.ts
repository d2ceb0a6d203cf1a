import { describe, expect, it, test } from 'vitest';
import { classifyError, errorInsideBody } from '../../src/language-models/classify-error.js';
import { tidyErrorText } from '../../src/language-models/error-text.js';
import { readRetryAfter } from '../../src/language-models/retry-after.js';

const now = Date.parse('2026-11-21T12:00:00Z');

describe('the wait a provider asks for', () => {
  it.each([
    [{ 'retry-after': '17' }, 17_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': '99999999' }, 600_000],
    [{ 'retry-after': '-5' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '17' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '17' }, 17_000],
    [{}, undefined],
  ])('%j is %s ms', (headers, expected) => {
    expect(readRetryAfter(new Headers(headers as Record<string, string>), undefined, now)).toBe(expected);
  });

  it.each([
    [[{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }], 34_000],
    [[{ violations: [] }, { retryDelay: '0.75s' }], 750],
    [[{ retryDelay: '2h' }], undefined],
    [[null, 'x'], undefined],
    ['no list', undefined],
  ])("Google's details %j are %s ms", (details, expected) => {
    expect(readRetryAfter(undefined, { details }, now)).toBe(expected);
  });
});

describe('the wait that a provider names elsewhere', () => {
  test.each<[string, Record<string, string>, unknown, number | undefined]>([
    ['words of OpenAI', {}, { message: 'Rate limit reached. Please try again in 2.5s.' }, 2500],
    ['words of Groq', {}, { message: 'Limit 6000. Please try again in 1m2.5s. Upgrade' }, 62_500],
    ['milliseconds', {}, { message: 'Please try again in 350ms.' }, 350],
    ['words of Azure', {}, { message: 'Please retry after 24 seconds.' }, 24_000],
    ['words of Gemini', {}, { message: 'Please retry in 38.5s.' }, 38_500],
    ['words without a time', {}, { message: 'Please try again in a while.' }, undefined],
    [
      'a limit of OpenAI that is used up',
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6s' },
      {},
      6000,
    ],
    [
      'a limit with something left',
      { 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '6s' },
      {},
      undefined,
    ],
    [
      'a moment in seconds',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 4) },
      {},
      4000,
    ],
    [
      "OpenRouter's headers in the body",
      {},
      { metadata: { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(now + 9000) } } },
      9000,
    ],
    [
      'tomorrow',
      {},
      { metadata: { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(now + 9e7) } } },
      600_000,
    ],
    ['the header before all of them', { 'retry-after': '1' }, { message: 'try again in 20s' }, 1000],
  ])('%s', (_name, headers, error, expected) => {
    expect(readRetryAfter(new Headers(headers), error, now)).toBe(expected);
  });
});

describe('the classifier', () => {
  const classify = (error: unknown, context = {}) => classifyError(error, { provider: 'gemini', ...context });

  it("finds the socket's error code below what fetch throws", () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(classify(new TypeError('fetch failed', { cause: reset })).message).toBe(
      'the connection to gemini failed (ECONNRESET): fetch failed',
    );
    const addresses = new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]);
    expect(classify(new TypeError('fetch failed', { cause: addresses }))).toMatchObject({
      kind: 'connection',
    });
    const slow = Object.assign(new Error('x'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
    expect(classify(new TypeError('fetch failed', { cause: slow }))).toMatchObject({
      kind: 'timeout',
      retryable: true,
    });
    expect(classify(new TypeError('terminated'))).toMatchObject({ kind: 'connection' });
  });

  it('tells a timeout from a cancellation, although both are AbortErrors', () => {
    const aborted = new DOMException('This operation was aborted', 'AbortError');
    expect(classify(aborted, { timedOutAfterMs: 60_000, aborted: true })).toMatchObject({
      kind: 'timeout',
      message: 'gemini did not answer within 60 s',
    });
    expect(classify(aborted, { aborted: true })).toMatchObject({ kind: 'cancelled', retryable: false });
  });

  test.each([
    [498, 'Flex tier capacity exceeded', 'overloaded'],
    [529, 'Overloaded', 'overloaded'],
    [521, 'Web server is down', 'overloaded'],
    [524, 'A timeout occurred', 'timeout'],
    [499, 'Client closed', 'server'],
    [429, 'Rate limit exceeded: free-models-per-min.', 'rate_limited'],
    [429, 'Rate limit exceeded: free-models-per-day-high-balance.', 'quota_exhausted'],
    [429, 'Rate limit reached on requests per day (RPD): Limit 200. Try again in 7m12s.', 'quota_exhausted'],
    [429, 'Number of request tokens has exceeded your daily rate limit', 'quota_exhausted'],
    [429, '60 requests per minute; 1000 per day', 'rate_limited'],
    [429, 'Your prepayment credits are depleted.', 'quota_exhausted'],
    [429, 'Your project has exceeded its monthly spending cap.', 'quota_exhausted'],
    [400, 'You have reached your specified API usage limits.', 'quota_exhausted'],
    [400, 'You have reached your specified workspace API usage limits.', 'quota_exhausted'],
    [429, 'This request would exceed your usage limit of tokens per minute', 'rate_limited'],
    [
      429,
      'Your account org-1 <ak-1> is suspended due to insufficient balance, please recharge',
      'quota_exhausted',
    ],
    [429, 'Insufficient balance or no resource package. Please recharge.', 'quota_exhausted'],
    [429, '余额不足或无可用资源包,请充值。', 'quota_exhausted'],
    [400, 'Budget has been exceeded! Current cost: 14.2, Max budget: 10.0', 'quota_exhausted'],
    [400, 'ExceededBudget: User=me over budget. Spend=2.1, Budget=2.0', 'quota_exhausted'],
    [429, 'No deployments available - crossed budget: Exceeded budget for deployment x', 'quota_exhausted'],
    [
      400,
      "body.messages.3: invalid input 'Your balance is insufficient, the budget was exceeded'",
      'bad_request',
    ],
    [429, 'Requests rate limit exceeded, please try again later.', 'rate_limited'],
    [400, 'Incorrect API key provided: xa***.', 'authentication'],
    [403, 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO', 'bad_request'],
    [403, "The request violates your organisation's policy on regions.", 'authentication'],
    [403, 'Request blocked by content filter guardrail', 'bad_request'],
    [403, 'Content blocked by guardrail intervention', 'bad_request'],
    [403, 'Your input was flagged by moderation', 'bad_request'],
    [
      403,
      'User: arn:aws:iam::1:user/me is not authorized to perform: bedrock:ApplyGuardrail on resource: arn:aws:bedrock:us-east-1:1:guardrail/abc',
      'authentication',
    ],
    [403, 'Your API key does not have access to content filter configuration.', 'authentication'],
    [403, 'Missing permission to use the guardrail of this project', 'authentication'],
    [403, 'This project has no access to the moderation model', 'authentication'],
    [403, 'Forbidden', 'forbidden'],
    [403, 'Your request was blocked.', 'forbidden'],
    [403, 'Access denied by the security policy of your organization', 'forbidden'],
    [403, 'Your organization must be verified to use this model.', 'authentication'],
    [403, 'Country, region, or territory not supported', 'authentication'],
    [403, 'This API key does not have access to this model', 'authentication'],
    [401, 'Request blocked', 'authentication'],
    [429, 'Your account is not active, please check your billing details on our website.', 'quota_exhausted'],
    [429, "you've reached your weekly usage limit, upgrade for higher limits", 'quota_exhausted'],
    [429, "you've reached your hourly usage limit, upgrade for higher limits", 'rate_limited'],
    [429, 'You are using a Trial key, which is limited to 1000 API calls / month.', 'quota_exhausted'],
    [429, 'You are using a Trial key, which is limited to 10 API calls / minute.', 'rate_limited'],
    [429, 'You have exceeded your monthly budget', 'quota_exhausted'],
    [429, 'Monthly quota used up: 1000 requests/month.', 'quota_exhausted'],
    [429, 'Rate limit exceeded. Upgrade to a monthly plan for higher limits.', 'rate_limited'],
    [429, 'Rate limit exceeded. Upgrade to Pro ($20.00/month) for more.', 'rate_limited'],
    [429, 'Rate limit exceeded. Plans begin at €5 per month.', 'rate_limited'],
    [429, 'Too many requests. For plans see https://x.ai/pricing/month', 'rate_limited'],
    [429, 'Slow down. Your monthly budget is unaffected.', 'rate_limited'],
    [429, 'Rate limit exceeded, remaining limit: 0, retry in 12 seconds', 'rate_limited'],
    [429, 'Rate limit exceeded. Limit: 0 requests remaining.', 'rate_limited'],
    [
      429,
      'Rate limit of 50 per 86400s exceeded for UserByModelByDay. Please wait 35163 seconds',
      'quota_exhausted',
    ],
    [
      429,
      'Rate limit of 10 per 60s exceeded for UserByModelByMinute. Please wait 41 seconds',
      'rate_limited',
    ],
    [429, 'Quota exceeded: requests per day, limit: 0; requests per minute, limit: 0', 'quota_exhausted'],
    [429, 'Quota exceeded: requests per day, limit: 0.5; requests per minute, limit: 05', 'rate_limited'],
    [429, 'Rate limit reached (TPM): Limit 6,000, Used 0, Requested 7,500. Try again in 1m.', 'bad_request'],
    [429, 'Rate limit reached (TPM): Limit 6000, Used 5500, Requested 750. Try again in 2s.', 'rate_limited'],
    [400, "[{'msg': 'wrong type', 'input': 'of the spending limit'}]", 'bad_request'],
    [422, '[{"loc":["body"],"msg":"wrong","input":"Incorrect API key provided"}]', 'bad_request'],
    [400, 'Failed to call a function. (tool_use_failed)', 'broken_off'],
    [400, 'litellm: GroqException - {"error":{"code":"json_validate_failed"}}', 'broken_off'],
  ])('takes %d with "%s" for %s', (status, message, kind) => {
    const error = Object.assign(new Error(message), { status, error: { message } });
    expect(classify(error)).toMatchObject({ kind });
  });

  test.each([
    [429, 'exceeded_current_quota_error', 'Your account is suspended, check your plan.', 'quota_exhausted'],
    [429, 'budget_exceeded', 'LiteLLM User: me, exceeded budget for model=x', 'quota_exhausted'],
    [
      400,
      'Arrearage',
      'Access denied, please make sure your account is in good standing.',
      'quota_exhausted',
    ],
    [429, 'insufficient_quota', 'You exceeded your current quota, check your plan.', 'quota_exhausted'],
    [429, 'insufficient_quota', 'Free allocated quota exceeded.', 'quota_exhausted'],
    [429, 'billing_not_active', 'Please check your billing details.', 'quota_exhausted'],
    [429, 'SetLimitExceeded', 'The model service has been paused.', 'quota_exhausted'],
    [
      429,
      'insufficient_quota',
      'Allocated quota exceeded, please increase your quota limit.',
      'rate_limited',
    ],
    [
      429,
      'insufficient_quota',
      'You exceeded your current quota. For details, see: https://help.aliyun.com/zh/model-studio/error-code#token-limit',
      'rate_limited',
    ],
  ])('takes %d of the code %s with "%s" for %s', (status, code, message, kind) => {
    const error = Object.assign(new Error(message), { status, error: { message, code, type: code } });
    expect(classify(error)).toMatchObject({ kind });
  });

  test.each([
    [
      400,
      "This model's maximum context length is 8192 tokens. However, you requested 8400 tokens (6352 in the messages, 2048 in the completion). Please reduce the length of the messages or completion.",
    ],
    [
      400,
      "'max_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 5000 input tokens",
    ],
    [400, 'prompt is too long: 210032 tokens > 200000 maximum'],
    [
      400,
      'input length and `max_tokens` exceed context limit: 199000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
    ],
    [400, 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).'],
    [400, 'Input is too long for requested model.'],
    [
      400,
      'the request exceeds the available context size. try increasing the context size or enable context shift',
    ],
    [500, 'the request exceeds the available context size.'],
    [400, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."],
    [
      400,
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    ],
    [400, "This model's maximum prompt length is 131072 but the request contains 150000 tokens."],
    [
      400,
      'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    ],
    [400, 'Invalid request: Your request exceeded model token limit: 131072'],
    [422, 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.'],
    [400, 'litellm.ContextWindowExceededError: the prompt does not fit'],
    [400, "Invalid 'messages[3].content': string too long. (string_above_max_length)"],
    [
      400,
      "Invalid 'messages[3].content[0].text': string too long. Expected a string with maximum length 10.",
    ],
    [413, 'Request body too large for gpt-4o model. Max size: 8000 tokens.'],
  ])('takes %d with "%s" for a full context', (status, message) => {
    const error = Object.assign(new Error(message), { status, error: { message } });
    expect(classify(error)).toMatchObject({ kind: 'context_full', retryable: false, fatalForRun: false });
  });

  test.each([
    [400, 'max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens', 'bad_request'],
    [400, 'Missing field context in the request', 'bad_request'],
    [413, 'Request Entity Too Large', 'bad_request'],
    [413, 'The images exceed 5 MB', 'bad_request'],
    [
      400,
      "Invalid 'tools[0].function.description': string too long. (string_above_max_length)",
      'bad_request',
    ],
    [400, "Invalid 'user': string too long. (string_above_max_length)", 'bad_request'],
    [400, "Invalid 'stop[0]': string too long. Expected a string with maximum length 64.", 'bad_request'],
    [500, 'timeout exceeded while awaiting headers: context deadline exceeded', 'server'],
    [
      413,
      'Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 8000',
      'bad_request',
    ],
    [429, 'Too many tokens; the maximum context length is 8192', 'rate_limited'],
  ])('takes %d with "%s" for no full context', (status, message, kind) => {
    const error = Object.assign(new Error(message), { status, error: { message } });
    expect(classify(error)).toMatchObject({ kind });
  });

  test.each([
    ['of the week', 'weekly usage limit', 'the quota of the week is'],
    ['of the month', 'limited to 1000 API calls / month', 'the quota of the month is'],
    ['of the day', 'requests per day (RPD)', 'the quota of the day is'],
  ])('says whether a quota is %s', (_what, message, said) => {
    const error = Object.assign(new Error(message), { status: 429, error: { message } });
    expect(classify(error).message).toContain(said);
  });

  test.each<[string, unknown, string | undefined]>([
    ['a code of 0 beside a reply is none', { error: { code: 0, message: '' }, choices: [{}] }, undefined],
    ['nor is an error of 0', { error: 0, choices: [{}] }, undefined],
    ['an error beside a reply is one', { error: { code: 0, message: 'gone' }, choices: [{}] }, 'broken_off'],
    ['an empty data is no reply', { code: 429, msg: 'rate limited', data: {} }, 'rate_limited'],
    ['nor is an empty list of it', { code: 429, msg: 'rate limited', data: [] }, 'rate_limited'],
    ['vectors are a reply', { message: 'ok', data: [{ embedding: [1] }] }, undefined],
  ])('reads a body of status 200: %s', (_what, body, kind) => {
    expect(errorInsideBody(body, { provider: 'openai' })?.kind).toBe(kind);
  });

  it("reads a day's quota out of Google's details, whose RetryInfo says two seconds", () => {
    const details = [
      { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] },
      { retryDelay: '2s' },
    ];
    const body = { error: { code: 429, message: 'You exceeded your current quota.', details } };
    const error = Object.assign(new Error(JSON.stringify(body)), { status: 429 });
    expect(classify(error)).toMatchObject({
      kind: 'quota_exhausted',
      fatalForRun: true,
      message:
        'gemini says that the quota of the day is used up (HTTP 429): You exceeded your current quota.',
    });
  });

  it('names the period of the quota, not that of a plan', () => {
    const message = 'Daily limit reached. Upgrade to a monthly plan.';
    const error = Object.assign(new Error(message), { status: 429, error: { message } });
    expect(classify(error).message).toContain('the quota of the day is used up');
  });

  it("takes a prompt that a gateway's filter stopped for one call's fault", () => {
    const error = Object.assign(new Error('403 Input was flagged by moderation'), { status: 403 });
    expect(classify(error)).toMatchObject({ kind: 'bad_request', fatalForRun: false });
  });

  it.each([
    [403, 'Content violates usage guidelines.', 'bad_request'],
    [400, '{"error":{"code":"tool_use_failed","message":"Failed to call a function."}}', 'broken_off'],
    // Of its own account the gateway speaks itself: another provider may answer the next request.
    [429, '{"error":{"code":"insufficient_quota","message":"You exceeded your quota."}}', 'rate_limited'],
    [400, 'API key not valid.', 'bad_request'],
  ])('shows what the provider behind a gateway says with %d: %s', (status, raw, kind) => {
    const error = { message: 'Provider returned error', code: status, metadata: { raw, provider_name: 'x' } };
    const classified = classify(Object.assign(new Error('x'), { status, error }));
    expect(classified).toMatchObject({ kind });
    expect(classified.message).toMatch(/Provider returned error: (?:Content|Failed|You exceeded|API key)/);
  });

  it('survives a loop of causes and things that are no errors', () => {
    const loop: { cause?: unknown } = new Error('round');
    loop.cause = loop;
    expect(classify(loop)).toMatchObject({ kind: 'unknown', retryable: true });
    expect(classify('just text').message).toContain('just text');
    expect(classify(undefined).kind).toBe('unknown');
    expect(classify(null).kind).toBe('unknown');
  });

  it('carries no cause, since that would end up in a history', () => {
    const error = classify(
      Object.assign(new Error('503 x'), { status: 503, headers: new Headers({ 'x-secret': 's' }) }),
    );
    expect(error.cause).toBeUndefined();
    expect(Object.keys(error).sort()).toEqual([
      'fatalForRun',
      'isUnsent',
      'kind',
      'name',
      'provider',
      'retryAfterMs',
      'retryable',
      'status',
      'usage',
    ]);
  });
});

describe('the text of an error', () => {
  it.each([
    [
      '<html><head><style>a{b}</style><title>502</title></head>\n<body><h1>Bad  gateway</h1></body></html>',
      '502 Bad gateway',
    ],
    [
      'Incorrect API key provided: sk-abcd********wxyz. See the docs.',
      'Incorrect API key provided: *** See the docs.',
    ],
    ['key AIzaSyA1234567890abcdefghij was refused', 'key *** was refused'],
    ['authorization: Bearer abc.def-ghi rejected', 'authorization: *** rejected'],
    ['2 < 3 and 5 > 4', '2 < 3 and 5 > 4'],
  ])('%j is shown as %j', (text, expected) => {
    expect(tidyErrorText(text)).toBe(expected);
  });

  it('is cut before it is searched, which takes minutes for one as long as this', () => {
    expect(tidyErrorText(`<${'<a '.repeat(1_000_000)}`).length).toBeLessThanOrEqual(300);
  });
});
