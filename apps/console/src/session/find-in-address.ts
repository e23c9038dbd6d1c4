const LONGEST = 200

/** What an address looks for in a session; a number in it is read as one, and is a word all the same. */
export function findInAddress({ find }: Readonly<Record<string, unknown>>): { readonly find?: string } {
  if (typeof find !== 'string' && typeof find !== 'number') return {}
  return { find: String(find).slice(0, LONGEST) }
}
