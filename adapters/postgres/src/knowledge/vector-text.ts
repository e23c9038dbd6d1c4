/** A vector as an array of numbers in a statement. */
export const vectorText = (vector: Float32Array): string => `{${vector.join(',')}}`
