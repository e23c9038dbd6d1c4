/** So many of a thing, as a person says it. */
export const counted = (count: number, one: string): string => (count === 1 ? `1 ${one}` : `${count} ${one}s`)
