/** Error of vectors that cannot be compared: of different lengths, or with a component that is no finite number. */
export class VectorError extends Error {
  override readonly name = 'VectorError';
}

function dot(left: Float32Array, right: Float32Array | Float64Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += (left[index] as number) * (right[index] as number);
  return sum;
}

/** Returns the Euclidean length of a vector; not finite if one of its components is not. */
export function lengthOf(vector: Float32Array): number {
  return Math.sqrt(dot(vector, vector));
}

/**
 * Returns the scalar products of vectors with a query of the same length. Four at a time, which takes a third of the
 * time: the query is read once for all four. Each sum goes from the first component to the last, in any grouping.
 */
export function scalarProducts(vectors: readonly Float32Array[], query: Float32Array): Float64Array {
  const products = new Float64Array(vectors.length);
  const wide = Float64Array.from(query);
  let index = 0;
  for (; index + 4 <= vectors.length; index += 4) {
    const [first, second, third, fourth] = vectors.slice(index, index + 4) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let place = 0; place < wide.length; place++) {
      const component = wide[place] as number;
      a += (first[place] as number) * component;
      b += (second[place] as number) * component;
      c += (third[place] as number) * component;
      d += (fourth[place] as number) * component;
    }
    products.set([a, b, c, d], index);
  }
  for (; index < vectors.length; index++) products[index] = dot(vectors[index] as Float32Array, wide);
  return products;
}
