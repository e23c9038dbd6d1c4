import { neutralise } from './neutralise.ts'

/** Somebody else's text as part of a line. */
export const inLine = (text: string): string => neutralise(text).replace(/\s+/g, ' ')
