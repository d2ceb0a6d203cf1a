/** An expression as the maths library's parser gives it (https://mathlive.io/math-json/). */
export type MathJson = number | string | { num: string } | [string, ...MathJson[]];

/** The expression cannot be evaluated here: an unknown function, an error of the parser, too large a sum. */
export class Unsupported extends Error {}

/** What the unknowns of an expression stand for. An unknown is told by its name, `f(x)` by its spelling. */
export type Substitution = ReadonlyMap<string, MathJson>;
