/** Documents: from a file's bytes to text with positions. Start reading at extract-text.ts. */
export { extractText, detectFileType } from './extract-text.ts'
export type { ReadingLimits } from './document-reader.ts'
