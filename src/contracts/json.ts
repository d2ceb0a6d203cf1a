/** A value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A plain JSON object. */
export type JsonObject = { [key: string]: Json };
