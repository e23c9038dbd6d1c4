/** The beginning of an id after its prefix, enough to find by it what it stands for. */
export const shortId = (id: string, length = 8): string => id.slice(PREFIX, PREFIX + length)

const PREFIX = 'ses_'.length
