import type { Allotment, Amounts } from '../contracts/allotment.js';
import type { ShardClaim } from '../contracts/run.js';
import { isLeft, larger, minus, NOTHING, plus } from './amounts.js';

interface Account {
  allotted: Allotment;
  returned: Allotment;
  spent: Amounts;
  wanted: number;
  ended: boolean;
}

/** A run's side of its limits: what its shards were allotted, and what they said of it. Plain JSON. */
export interface RunBudget {
  limit: Allotment;
  /** Spent before this run, and by nobody of its shards. */
  before: Amounts;
  accounts: Record<number, Account>;
  /** Shards that want calls; who asked first comes first. */
  asking: number[];
}

export type RunBudgetEvent =
  | { type: 'claim'; shard: number; claim: ShardClaim }
  /** A shard has come to its end; what it did not spend is free. */
  | { type: 'ended'; shard: number; spent: Amounts };

/** More than the mean is allotted for a call, so that dearer ones do not make a shard ask at once. */
const SPARE = 1.5;

export function newRunBudget(limit: Allotment, before: Amounts, shards: readonly number[]): RunBudget {
  const none = minus(limit, limit);
  const account = { allotted: none, returned: none, spent: NOTHING, wanted: 0, ended: false };
  return {
    limit,
    before,
    accounts: Object.fromEntries(shards.map((shard) => [shard, account])),
    asking: [],
  };
}

/** What follows of an event; the accounts whose `allotted` has grown are to be told. */
export function advanceRun(state: RunBudget, event: RunBudgetEvent): RunBudget {
  const known = state.accounts[event.shard];
  if (known === undefined || known.ended) return state;
  const account = event.type === 'claim' ? remembered(known, event.claim) : known;
  const spent = event.type === 'ended' ? event.spent : event.claim.spent;
  const heard = event.type === 'ended' ? account : settled(account, event.claim);
  const ended = event.type === 'ended';
  const returned = ended ? minus(account.allotted, spent) : heard.returned;
  const wanted = ended ? 0 : heard.wanted;
  const others = state.asking.filter((shard) => shard !== event.shard || wanted > 0);
  const asking = wanted > 0 && !others.includes(event.shard) ? [...others, event.shard] : others;
  const accounts = { ...state.accounts, [event.shard]: { ...account, spent, returned, wanted, ended } };
  return allot({ ...state, accounts, asking });
}

/** A run that was reset may have forgotten what it had allotted since. */
function remembered(account: Account, { holds }: ShardClaim): Account {
  if (holds === undefined || holds.lm_calls <= account.allotted.lm_calls) return account;
  return { ...account, allotted: larger(account.allotted, holds) };
}

/** What is on its way to a shard it need not be given again. */
function settled(
  account: Account,
  { returned, heard, wanted }: ShardClaim,
): Pick<Account, 'returned' | 'wanted'> {
  return {
    returned: larger(account.returned, returned),
    wanted: Math.max(0, wanted - (account.allotted.lm_calls - heard)),
  };
}

/** All that was spent, as far as the run has heard. */
export function spentOf({ before, accounts }: RunBudget): Amounts {
  return Object.values(accounts).reduce((sum, { spent }) => plus(sum, spent) as Amounts, before);
}

/** What nobody has spent or holds. */
export function freeOf({ limit, before, accounts }: RunBudget): Allotment {
  const taken = Object.values(accounts).map(({ allotted, returned, spent }) =>
    larger(minus(allotted, returned), spent),
  );
  return taken.reduce(minus, minus(limit, before));
}

/** Whether a limit is reached. While none is, whoever asks gets something, or another one holds something. */
export function isExhausted(state: RunBudget): boolean {
  return !isLeft(minus(state.limit, spentOf(state)));
}

function allot(state: RunBudget): RunBudget {
  let after = state;
  for (const shard of state.asking) {
    const more = share(after, shard);
    if (more === null) break;
    const account = after.accounts[shard] as Account;
    const held = larger(minus(account.allotted, account.returned), account.spent);
    const wanted = Math.max(0, account.wanted - more.lm_calls);
    const allotted = plus(plus(held, account.returned), more);
    after = {
      ...after,
      accounts: { ...after.accounts, [shard]: { ...account, allotted, wanted } },
      asking: wanted > 0 ? after.asking : after.asking.filter((other) => other !== shard),
    };
  }
  return after;
}

/** What a shard that asks is given: an even share of what is free at most; all of it where that is too little for a call. */
function share(state: RunBudget, shard: number): Allotment | null {
  const free = freeOf(state);
  if (!isLeft(free)) return null;
  const working = Object.values(state.accounts).filter(({ ended }) => !ended).length;
  const { wanted } = state.accounts[shard] as Account;
  const calls = Math.min(wanted, Math.max(1, Math.floor(free.lm_calls / working)));
  const spent = spentOf(state);
  const part = (left: number | null, sum: number): number | null => {
    if (left === null) return null;
    const even = Math.floor(left / working);
    if (spent.lm_calls === 0) return Math.max(even, 1);
    const mean = sum / spent.lm_calls;
    if (even < SPARE * mean || even === 0) return left;
    return mean === 0 ? even : Math.min(even, Math.ceil(calls * mean * SPARE));
  };
  return {
    lm_calls: calls,
    tokens: part(free.tokens, spent.tokens),
    nanodollars: part(free.nanodollars, spent.nanodollars),
  };
}
