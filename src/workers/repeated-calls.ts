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

/** Creates a call that ends at once. */
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
 * Wraps the SDK's interceptor that repeats calls. It repeats them by a timer, in which an error of a closed connection
 * is uncaught and ends the process; with this wrapper the call ends as cancelled.
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
