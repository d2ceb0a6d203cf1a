/** Maximum length of the end of a reply that is searched for an answer, in characters. */
export const LONGEST_REPLY = 20_000;

/** Maximum length of expressions for the maths library; longer ones are compared as text and as plain integers. */
export const LONGEST_EXPRESSION = 2_000;

/** Maximum characters that are read after a heading or sentence that announces an answer. */
export const LONGEST_STATEMENT = 2_000;

/** Maximum number of answer markers, from the last one backwards. */
export const MAX_MARKERS = 100;

/** Maximum size of exact numbers, in bits (about 60,000 decimal digits). */
export const MAX_BITS = 200_000;

/** Maximum nesting, so that no parser here can exhaust the stack. */
export const DEEPEST_NESTING = 60;

/** Maximum members of lists, sets and matrices; larger ones are compared as text. */
export const MAX_MEMBERS = 60;
