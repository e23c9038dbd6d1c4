/** Documents: from a file's bytes to text with positions. Start reading at extract-text.ts. */
export { extractText, mediaTypeOf } from './extract-text.ts'
export type { Limits } from './reading.ts'
