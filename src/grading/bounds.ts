/** Only this much of a reply's end is searched for an answer, in characters. */
export const LONGEST_REPLY = 20_000;

/** Longer expressions are compared as text and as plain integers, and never reach the maths library. */
export const LONGEST_EXPRESSION = 2_000;

/** What is read of the text after a heading or sentence that announces an answer, in characters. */
export const LONGEST_STATEMENT = 2_000;

/** So many answer markers are looked at, from the last one back. */
export const MOST_MARKERS = 100;

/** Exact numbers stay below this many bits (about 60,000 decimal digits). */
export const MOST_BITS = 200_000;

/** Nesting beyond this is refused, so that no parser here can exhaust the stack. */
export const DEEPEST_NESTING = 60;

/** Lists, sets and matrices with more members are compared as text. */
export const MOST_MEMBERS = 60;
