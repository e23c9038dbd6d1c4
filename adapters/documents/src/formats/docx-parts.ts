import type { UnreadableFile } from '@parley/knowledge'
import { unreadable } from '../reading.ts'
import { unpackTexts, type WhyNotUnpacked } from '../zip/unpack-texts.ts'

const WHY: Record<WhyNotUnpacked, string> = {
  absurd:
    'The Word document unpacks to far more than its size allows for: open it in Word or LibreOffice and save it again as .docx.',
  'cut off':
    'The Word document is cut off or broken: fetch it again, or open it in Word or LibreOffice and save it again as .docx.',
  locked: 'The Word document is locked with a password: save a copy without one.',
}

/** The parts of a Word document that may hold text. */
export function docxParts(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> | UnreadableFile {
  const parts = unpackTexts(bytes, (name) => /\.(xml|rels)$/i.test(name))
  return typeof parts === 'string' ? unreadable(WHY[parts]) : parts
}
