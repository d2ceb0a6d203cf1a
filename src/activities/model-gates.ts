import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { FailedBefore } from '../contracts/step-cost.js';
import { AdaptiveLimit, callOutcome } from '../language-models/adaptive-limit.js';
import { LanguageModelError } from '../language-models/errors.js';
import { type Contact, FirstContact } from '../language-models/first-contact.js';
import { type OnUnreachable, Outage, type RetryTurnOptions, type Turn } from '../language-models/outage.js';
import { CallPacer } from '../language-models/pace.js';
import { NO_USAGE } from '../language-models/usage.js';
import { reachedKey } from '../storage/paths.js';
import type { WorkerDependencies } from './dependencies.js';
import type { CalledModel } from './model-calls.js';

/** Request that was refused in an outage: the provider is unreachable, which is no failure of this call. */
export class Forgiven extends Error {
  override readonly name = 'Forgiven';

  constructor(readonly refusal: LanguageModelError) {
    super(refusal.message);
  }
}

/** Call that requests a model. */
export interface Asker extends Omit<RetryTurnOptions, 'signal'> {
  key: string;
  /** Its earlier failures, without forgiven ones. */
  before: FailedBefore;
  /** Ends what comes before the request is sent. */
  waiting: AbortSignal;
}

/** Maximum pairs of experiment and model. */
const CONTACTS_IN_MEMORY = 1000;

/** Gates that requests to a model pass: the limit of calls in flight, the provider's reachability, and the rate. */
export class ModelGates {
  private readonly limits = new Map<string, AdaptiveLimit>();
  private readonly outages = new Map<string, Outage>();
  private readonly paces = new Map<string, CallPacer>();
  private readonly contacts = new LRUCache<string, FirstContact>({ max: CONTACTS_IN_MEMORY });

  constructor(
    private readonly dependencies: Pick<WorkerDependencies, 'grantStarts' | 'maxConcurrentCalls' | 'notify'>,
  ) {}

  /**
   * Sends a request once it may be sent.
   * @throws what `send` throws, Forgiven instead of a refusal that does not count, WaitedTooLong, or the reason of the
   * signal.
   */
  async pass<Reply>(
    model: CalledModel,
    { key, before, waiting, ...asker }: Asker,
    send: () => Promise<Reply>,
  ): Promise<Reply> {
    const outage = this.outageOf(model);
    const contact = this.contactWith(model);
    const signal = contact.within(waiting) as AbortSignal;
    const release = await this.limitOf(model).acquire(signal);
    let began = Number.NEGATIVE_INFINITY;
    let ended = () => {};
    try {
      await this.paceOf(model).wait(signal);
      const turn = await outage.turn({ ...asker, signal });
      began = performance.now();
      ended = contact.sent({ key, before });
      const reply = await this.inSight(model, contact, asker, () =>
        inTurn(outage, turn, { key, before }, send),
      );
      contact.replied();
      release('success');
      return reply;
    } catch (error) {
      const { refusal } = error instanceof Forgiven ? error : { refusal: error };
      const instead =
        refusal instanceof LanguageModelError ? await contact.failed(refusal, began, { key, before }) : null;
      // While single requests test whether the provider is back, refusals say nothing about its capacity.
      release(outage.isOpen ? 'other' : callOutcome(error));
      throw instead ?? error;
    } finally {
      ended();
    }
  }

  /** Sends a request, and says that it waits while the model's first one stays without an answer. */
  private async inSight<Reply>(
    { modelName, lm }: CalledModel,
    contact: FirstContact,
    { onUnreachable }: Pick<Asker, 'onUnreachable'>,
    send: () => Promise<Reply>,
  ): Promise<Reply> {
    const since = Date.now();
    let isSilent = false;
    const end = contact.watch((seconds) => {
      isSilent = true;
      const message = `no answer to the first request for ${seconds} s, which may take ${lm.timeout_sec} s`;
      this.dependencies.notify(`Waiting for ${modelName}: ${message}`);
      onUnreachable?.({ since, message });
    });
    try {
      return await send();
    } finally {
      end();
      if (isSilent) onUnreachable?.(null);
    }
  }

  private contactWith(model: CalledModel): FirstContact {
    const name = `${model.store.uri} ${model.modelAddress}`;
    const contact = this.contacts.get(name);
    if (contact !== undefined && !contact.isOver) return contact;
    const { store, modelName } = model;
    const place = createHash('sha256').update(model.modelAddress).digest('hex').slice(0, 16);
    const keyOf = (made: Contact) => reachedKey(made === 'reached' ? place : `${place}-${made}`);
    const anew = new FirstContact({
      modelName,
      wasMade: (made) => store.exists(keyOf(made)),
      made: (made) => store.write(keyOf(made), '{}', { ifAbsent: true }),
    });
    this.contacts.set(name, anew);
    return anew;
  }

  private outageOf(model: CalledModel): Outage {
    return entryOf(
      this.outages,
      addressOf(model),
      () => new Outage({ onUnreachable: this.listenerOf(model) }),
    );
  }

  /** Returns the listener that notifies people of an unreachable model. */
  private listenerOf({ modelName, log }: CalledModel): OnUnreachable {
    return (unreachable) => {
      if (unreachable === null) {
        log.warn({ model: modelName }, 'the model answers again');
        this.dependencies.notify(`${modelName} answers again`);
      } else {
        log.warn({ model: modelName, error: unreachable.message }, 'the model refuses everything');
        this.dependencies.notify(
          `Waiting for ${modelName}, which refuses everything: ${unreachable.message}`,
        );
      }
    };
  }

  private paceOf(model: CalledModel): CallPacer {
    const { requests_per_second } = model.lm;
    const name = `${addressOf(model)} ${requests_per_second}`;
    return entryOf(this.paces, name, () =>
      requests_per_second === null
        ? new CallPacer(null)
        : new CallPacer(
            requests_per_second,
            this.dependencies.grantStarts(model.modelAddress, requests_per_second),
          ),
    );
  }

  private limitOf(model: CalledModel): AdaptiveLimit {
    const maximum = this.dependencies.maxConcurrentCalls;
    return entryOf(this.limits, addressOf(model), () => new AdaptiveLimit({ maximum }));
  }
}

function addressOf({ lm: { provider, model, base_url } }: CalledModel): string {
  return [provider, model, base_url].join(' ');
}

function entryOf<Value>(entries: Map<string, Value>, name: string, make: () => Value): Value {
  const value = entries.get(name) ?? make();
  entries.set(name, value);
  return value;
}

async function inTurn<Reply>(
  outage: Outage,
  turn: Turn,
  { key, before }: Pick<Asker, 'key' | 'before'>,
  send: () => Promise<Reply>,
): Promise<Reply> {
  try {
    const reply = await send();
    turn.answered();
    return reply;
  } catch (error) {
    if (!(error instanceof LanguageModelError) || error.kind === 'cancelled') {
      turn.dropped();
      throw error;
    }
    const isForgiven = turn.failed(key, before, error);
    // Whatever a gateway says, no model is at work while the provider refuses everything.
    const usage = error.usage ?? (outage.isOpen && error.status !== undefined ? NO_USAGE : undefined);
    const refusal = new LanguageModelError(error.kind, error.message, { ...error, usage });
    throw isForgiven ? new Forgiven(refusal) : refusal;
  }
}
