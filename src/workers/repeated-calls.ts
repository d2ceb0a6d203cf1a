import {
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type NextCall = Parameters<Interceptor>[1];
type Call = ReturnType<NextCall>;
type Listener = Parameters<Call['start']>[1];
type Status = Parameters<NonNullable<NonNullable<Listener>['onReceiveStatus']>>[0];

const CANCELLED = 1;

/** A call that ends as it begins. */
function endedCall(): Pick<Call, 'start' | 'sendMessage' | 'halfClose'> {
  return {
    start(metadata, listener) {
      const status: Status = { code: CANCELLED, details: 'the connection was closed', metadata };
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.(status);
    },
    sendMessage: () => undefined,
    halfClose: () => undefined,
  };
}

/**
 * The SDK's repetition of calls. It repeats by a timer, and what it meets there on a connection that was closed
 * meanwhile ends the process, since nobody is there to catch it; here the call ends as cancelled.
 */
export function repeatedCalls(): Interceptor {
  const repeat = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());
  return (options, nextCall) => {
    let isRepeated = false;
    const next: NextCall = (nextOptions) => {
      if (!isRepeated) {
        isRepeated = true;
        return nextCall(nextOptions);
      }
      try {
        return nextCall(nextOptions);
      } catch {
        return endedCall() as Call;
      }
    };
    return repeat(options, next);
  };
}
