export const SPEEDS = ['1', '4', 'max'] as const
export type Speed = (typeof SPEEDS)[number]

export interface ReplayPlace {
  /** How many events have been played. */
  readonly at?: number
  readonly speed?: Speed
}

/** Where a replay stands, as an address has it. */
export function placeInAddress({ at, speed }: Readonly<Record<string, unknown>>): ReplayPlace {
  const known = SPEEDS.find((one) => one === String(speed))
  return {
    ...(typeof at === 'number' && Number.isSafeInteger(at) && at >= 0 && { at }),
    ...(known && { speed: known }),
  }
}
