import JSZip from 'jszip'
import mammoth from 'mammoth'
import type { UnreadableFile } from '@parley/knowledge'
import { type OpenedDocument, toUnreadable } from '../document-reader.ts'
import { type UnpackFailure, unpackTexts } from '../zip/unpack-zip.ts'
import { iterateBlocks, groupBlocks, parsePage } from './html-blocks.ts'

export async function readDocx(bytes: Uint8Array): Promise<OpenedDocument | UnreadableFile> {
  const parts = unpackDocxParts(bytes)
  if ('kind' in parts) return parts
  // The library gets an archive with only the checked parts.
  const archive = new JSZip()
  for (const [name, part] of parts) archive.file(name, part)
  const { value: html } = await mammoth.convertToHtml(
    { buffer: await archive.generateAsync({ type: 'nodebuffer' }) },
    { convertImage: mammoth.images.imgElement(async () => ({ src: '' })), includeEmbeddedStyleMap: false },
  )
  return {
    title: readDocxTitle(parts.get('docProps/core.xml')),
    segments: groupBlocks(iterateBlocks(parsePage(html))),
    whenEmpty: 'There is no text in the Word document; text in images is not read.',
  }
}

function readDocxTitle(core: Uint8Array | undefined): string | undefined {
  if (!core) return undefined
  const opening = new TextDecoder().decode(core.subarray(0, 20_000))
  const title = /<dc:title>([^<]{1,1000})<\/dc:title>/.exec(opening)?.[1]
  const [block] = title ? iterateBlocks(parsePage(title)) : []
  return block?.text
}

const REASONS: Record<UnpackFailure, string> = {
  absurd:
    'The Word document unpacks to far more than its size allows for: open it in Word or LibreOffice and save it again as .docx.',
  'cut off':
    'The Word document is cut off or broken: fetch it again, or open it in Word or LibreOffice and save it again as .docx.',
  locked: 'The Word document is locked with a password: save a copy without one.',
}

/** The parts of a Word document that may contain text. */
function unpackDocxParts(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> | UnreadableFile {
  const parts = unpackTexts(bytes, (name) => /\.(xml|rels)$/i.test(name))
  return typeof parts === 'string' ? toUnreadable(REASONS[parts]) : parts
}
