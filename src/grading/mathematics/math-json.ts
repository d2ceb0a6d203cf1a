/** An expression in the format of the maths library's parser (https://mathlive.io/math-json/). */
export type MathJson = number | string | { num: string } | [string, ...MathJson[]];

/** An expression that cannot be evaluated here: an unknown function, a parser error, or too large a sum. */
export class Unsupported extends Error {}

/** Values for the unknowns of an expression. The key of an unknown is its name, that of `f(x)` its spelling. */
export type Substitution = ReadonlyMap<string, MathJson>;
