/** Numbers from 0 to below 1, the same in every run. */
export type Random = () => number

export function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x9e_37_79_b9) | 0
    const mixed = Math.imul(state ^ (state >>> 16), 0x21_f0_aa_ad)
    const again = Math.imul(mixed ^ (mixed >>> 15), 0x73_5a_2d_97)
    return ((again ^ (again >>> 15)) >>> 0) / 2 ** 32
  }
}

export const pickOne = <Item>(items: readonly Item[], random: Random): Item => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('The list is empty')
  return item
}

/** Chooses by Zipf's law, like words in a language: the n-th item about n times less often than the first. */
export function zipf<Item>(items: readonly Item[], random: Random): () => Item {
  const sums = new Float64Array(items.length)
  let sum = 0
  for (let rank = 0; rank < items.length; rank += 1) sums[rank] = sum += 1 / (rank + 2)
  return () => {
    const sought = random() * sum
    let low = 0
    let high = items.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < sought) low = middle + 1
      else high = middle
    }
    const item = items[low]
    if (item === undefined) throw new Error('The list is empty')
    return item
  }
}
