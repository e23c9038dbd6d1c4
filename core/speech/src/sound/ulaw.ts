/** μ-law as in G.711: a byte of sign, exponent and mantissa, all inverted. */
export function decodeUlaw(bytes: Uint8Array): Int16Array {
  return Int16Array.from(bytes, decodeByte)
}

export function encodeUlaw(samples: Int16Array): Uint8Array {
  return Uint8Array.from(samples, encodeSample)
}

const BIAS = 132
const LOUDEST = 32_635

function decodeByte(byte: number): number {
  const bits = ~byte
  const exponent = (bits >> 4) & 7
  const magnitude = ((((bits & 15) << 3) + BIAS) << exponent) - BIAS
  return bits & 128 ? -magnitude : magnitude
}

function encodeSample(sample: number): number {
  const sign = sample < 0 ? 128 : 0
  const biased = Math.min(Math.abs(sample), LOUDEST) + BIAS
  const exponent = 24 - Math.clz32(biased)
  const mantissa = (biased >> (exponent + 3)) & 15
  return ~(sign | (exponent << 4) | mantissa) & 255
}
