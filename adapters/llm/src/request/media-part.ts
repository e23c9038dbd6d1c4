import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider'
import type { Media, ModelRequest } from '@parley/engine'
import type { LanguageModelSupport } from '../vendors/vendor.ts'
import type { MediaPart } from './repair-messages.ts'

type ShownPart = LanguageModelV4FilePart | LanguageModelV4TextPart

const LONGEST_TEXT = 400_000

const IS_TEXT = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml)$)/

/** The bytes where the vendor takes them, text as text, and otherwise a note in words. */
export const mediaPart = (
  part: MediaPart,
  support: LanguageModelSupport,
  readMedia: ModelRequest['readMedia'],
): Promise<ShownPart> => shownPart(part, support, readMedia, textOf)

/**
 * The same of what a tool brought. Its text is only named: what a tool says is bounded and fenced, and this is neither.
 */
export const broughtPart = (
  part: MediaPart,
  support: LanguageModelSupport,
  readMedia: ModelRequest['readMedia'],
): Promise<ShownPart> =>
  shownPart(part, support, readMedia, (name, { mediaType }) =>
    note(name, mediaType, `is text and not shown here; all of it: read_file ${part.handle}`),
  )

async function shownPart(
  part: MediaPart,
  support: LanguageModelSupport,
  readMedia: ModelRequest['readMedia'],
  ofText: (name: string, media: Media) => LanguageModelV4TextPart,
): Promise<ShownPart> {
  const name = part.name ?? 'unnamed'
  const media = await readMedia?.(part.handle).catch(() => undefined)
  if (!media) return note(name, part.mediaType, 'is no longer there, so you cannot see it')
  if (IS_TEXT.test(media.mediaType)) return ofText(name, media)
  const rule = support.media.find(({ type }) => type.test(media.mediaType))
  if (!rule) return note(name, media.mediaType, 'is of a type that you cannot be shown')
  if (media.bytes.byteLength > rule.maxBytes)
    return note(name, media.mediaType, 'is too large to be shown to you')
  return {
    type: 'file',
    mediaType: media.mediaType,
    data: { type: 'data', data: media.bytes },
    ...(part.name !== undefined && { filename: inOneLine(part.name) }),
  }
}

function textOf(name: string, { bytes }: Media): LanguageModelV4TextPart {
  const whole = new TextDecoder().decode(bytes)
  const text =
    whole.length > LONGEST_TEXT ? `${whole.slice(0, LONGEST_TEXT)}\n[cut here: it is longer]` : whole
  return { type: 'text', text: `<file path=${JSON.stringify(name)}>\n${text}\n</file>` }
}

const note = (name: string, mediaType: string, what: string): LanguageModelV4TextPart => ({
  type: 'text',
  text: `[The file ${inOneLine(name)} (${inOneLine(mediaType)}) ${what}.]`,
})

const LONGEST_NAME = 100

/** A name from elsewhere, which is not to pass for anything but a name. */
const inOneLine = (name: string): string =>
  name
    .replace(/[\p{C}\s[\]<>]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_NAME)
    .toWellFormed()
