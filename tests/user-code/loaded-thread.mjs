Error.stackTraceLimit = 50;
const { stack } = new Error('here');

/** A thread's module that tells who loaded it. */
export default function who() {
  return stack;
}
