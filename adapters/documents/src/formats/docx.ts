import mammoth from 'mammoth'
import type { UnreadableFile } from '@parley/knowledge'
import { type Reading, unreadable } from '../reading.ts'
import { type UnpackFailure, storedZip, unpackTexts } from '../zip/unpack-zip.ts'
import { blocksOf, groupBlocks, parsePage } from './html-blocks.ts'

/** The library gets an archive that we build ourselves, with only the checked parts. */
export async function readDocx(bytes: Uint8Array): Promise<Reading | UnreadableFile> {
  const parts = docxParts(bytes)
  if ('kind' in parts) return parts
  const { value: html } = await mammoth.convertToHtml(
    { buffer: storedZip(parts) },
    { convertImage: mammoth.images.imgElement(async () => ({ src: '' })), includeEmbeddedStyleMap: false },
  )
  return {
    title: titleOf(parts.get('docProps/core.xml')),
    segments: groupBlocks(blocksOf(parsePage(html))),
    whenEmpty: 'There is no text in the Word document; text in images is not read.',
  }
}

function titleOf(core: Uint8Array | undefined): string | undefined {
  if (!core) return undefined
  const opening = new TextDecoder().decode(core.subarray(0, 20_000))
  const title = /<dc:title>([^<]{1,1000})<\/dc:title>/.exec(opening)?.[1]
  const [block] = title ? blocksOf(parsePage(title)) : []
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
function docxParts(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> | UnreadableFile {
  const parts = unpackTexts(bytes, (name) => /\.(xml|rels)$/i.test(name))
  return typeof parts === 'string' ? unreadable(REASONS[parts]) : parts
}
