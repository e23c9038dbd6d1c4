/** A vendor's prices as they were on a day. Dollars for a million tokens, as vendors write them. */
export interface PriceList {
  readonly asOf: string
  readonly source: string
  readonly models: Readonly<Record<string, ListedPrice>>
}

/** The window is the one within which the price holds: some vendors ask more of longer requests. */
export interface ListedPrice {
  readonly contextWindow: number
  readonly input: number
  readonly output: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
}
