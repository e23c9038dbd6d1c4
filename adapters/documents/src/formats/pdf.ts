import { getDocumentProxy } from 'unpdf'
import type { Segment, UnreadableFile } from '@parley/knowledge'
import { type ReadingLimits, type OpenedDocument, toUnreadable } from '../document-reader.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** Reads a PDF page by page. */
export async function readPdf(
  bytes: Uint8Array,
  limits: ReadingLimits,
): Promise<OpenedDocument | UnreadableFile> {
  const pdf = await openPdf(bytes)
  if (pdf === 'locked') return toUnreadable('The PDF is locked with a password: save a copy without one.')
  if (pdf.numPages > limits.maxPages) {
    return toUnreadable(
      `The PDF has ${pdf.numPages} pages, and at most ${limits.maxPages} are read: split it into smaller ones.`,
    )
  }
  return {
    title: await readTitle(pdf),
    segments: readPages(pdf),
    whenEmpty:
      'There is no text in the PDF: it has only images, or is broken. Make it searchable with text recognition (OCR), or add its text as .txt.',
  }
}

async function openPdf(bytes: Uint8Array): Promise<Pdf | 'locked'> {
  try {
    return await getDocumentProxy(bytes, { disableFontFace: true, verbosity: 0 })
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') return 'locked'
    throw error
  }
}

async function readTitle(pdf: Pdf): Promise<string | undefined> {
  const { info } = await pdf.getMetadata()
  const title: unknown = 'Title' in info ? info.Title : undefined
  return typeof title === 'string' ? title : undefined
}

async function* readPages(pdf: Pdf): AsyncGenerator<Segment> {
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    yield { text: joinPageText(items.filter((item) => 'str' in item)), place: { page: number } }
    page.cleanup()
  }
}

/** A run of text on a page. */
interface TextRun {
  readonly str: string
  readonly hasEOL: boolean
  readonly height: number
  /** The fifth and sixth numbers are its position. */
  readonly transform: readonly number[]
}

/** A larger gap, in line heights, starts a new paragraph. */
const PARAGRAPH_GAP = 1.75

/** The text of a page, with lines joined into paragraphs. */
function joinPageText(items: readonly TextRun[]): string {
  const paragraphs: string[] = []
  let paragraph = ''
  let last: PdfLine | undefined
  for (const line of iteratePdfLines(items)) {
    const isNew = !last || Math.abs(last.y - line.y) > PARAGRAPH_GAP * Math.max(last.height, line.height)
    if (isNew && paragraph) paragraphs.push(paragraph)
    paragraph = isNew ? line.text : joinLines(paragraph, line.text)
    last = line
  }
  if (paragraph) paragraphs.push(paragraph)
  return paragraphs.join('\n\n')
}

interface PdfLine {
  readonly text: string
  readonly y: number
  readonly height: number
}

function* iteratePdfLines(items: readonly TextRun[]): Generator<PdfLine> {
  let texts: string[] = []
  let y = 0
  let height = 0
  for (const item of items) {
    if (item.str.trim() !== '') {
      if (texts.length === 0) y = item.transform[5] ?? 0
      height = Math.max(height, item.height)
    }
    if (texts.length > 0 || item.str.trim() !== '') texts.push(item.str)
    if (!item.hasEOL || texts.length === 0) continue
    yield { text: texts.join('').trim(), y, height }
    texts = []
    height = 0
  }
  if (texts.length > 0) yield { text: texts.join('').trim(), y, height }
}

/** Joins a word that is hyphenated at the end of a line. */
function joinLines(before: string, after: string): string {
  const isDivided = /\p{Ll}{2}[-\u00ad\u2010]$/u.test(before) && /^\p{Ll}{2}/u.test(after)
  return isDivided ? before.slice(0, -1) + after : `${before} ${after}`
}
