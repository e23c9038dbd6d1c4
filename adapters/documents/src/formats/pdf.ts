import type { Segment, UnreadableFile } from '@parley/knowledge'
import { getDocumentProxy } from 'unpdf'
import type { Limits } from '../limits.ts'
import { type Reading, unreadable } from '../reading.ts'
import { pageText } from './page-text.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** Page by page. */
export async function readPdf(bytes: Uint8Array, limits: Limits): Promise<Reading | UnreadableFile> {
  const pdf = await open(bytes)
  if (pdf === 'locked') return unreadable('The PDF is locked with a password: save a copy without one.')
  if (pdf.numPages > limits.maxPages) {
    return unreadable(
      `The PDF has ${pdf.numPages} pages, and at most ${limits.maxPages} are read: split it into smaller ones.`,
    )
  }
  return {
    title: await titleOf(pdf),
    segments: pagesOf(pdf),
    whenEmpty:
      'There is no text in the PDF: it holds images alone, or is broken. Make it searchable with text recognition (OCR), or add its text as .txt.',
  }
}

async function open(bytes: Uint8Array): Promise<Pdf | 'locked'> {
  try {
    return await getDocumentProxy(bytes, { disableFontFace: true, verbosity: 0 })
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') return 'locked'
    throw error
  }
}

async function titleOf(pdf: Pdf): Promise<string | undefined> {
  const { info } = await pdf.getMetadata()
  const title: unknown = 'Title' in info ? info.Title : undefined
  return typeof title === 'string' ? title : undefined
}

async function* pagesOf(pdf: Pdf): AsyncGenerator<Segment> {
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    yield { text: pageText(items.filter((item) => 'str' in item)), place: { page: number } }
    page.cleanup()
  }
}
