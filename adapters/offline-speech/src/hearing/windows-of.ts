const SAMPLES_IN_FRAME = 320

/** Cuts a long utterance where it is quietest, so that no window is longer than `longest` samples and few words are cut. */
export function windowsOf(utterance: Float32Array, longest: number): readonly Float32Array[] {
  if (utterance.length <= longest) return [utterance]
  const cut = quietest(utterance, Math.floor(longest / 2), longest)
  return [utterance.subarray(0, cut), ...windowsOf(utterance.subarray(cut), longest)]
}

/** The middle of the quietest tenth of a second between two places. */
function quietest(samples: Float32Array, from: number, to: number): number {
  let best = to
  let least = Infinity
  for (let at = from; at + 5 * SAMPLES_IN_FRAME <= to; at += SAMPLES_IN_FRAME) {
    let energy = 0
    for (let index = at; index < at + 5 * SAMPLES_IN_FRAME; index++) energy += (samples[index] ?? 0) ** 2
    if (energy < least) {
      least = energy
      best = at + Math.floor(2.5 * SAMPLES_IN_FRAME)
    }
  }
  return best
}
