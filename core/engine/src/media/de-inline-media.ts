import type { DurableContentPart, MediaHandle, SessionMessage } from '@parley/contracts'
import type { ContentPart } from '../ports/model.ts'
import type { Media, MediaStore } from '../ports/session-store.ts'

/** A part from a person or a model: media may hold bytes, model output may hold its provider's signature. */
export type InFlightPart = ContentPart | (NewMedia & { readonly type: 'inline_media' })

/** Media that are not stored yet. */
export interface NewMedia extends Media {
  readonly name?: string
}

/** Splits parts into their stored form, without signatures, and the bytes for the owner's media. */
export function deInlineMedia(parts: readonly InFlightPart[], store: MediaStore): StoredContent {
  const media: Media[] = []
  const content = parts.map((part): DurableContentPart => {
    if (part.type !== 'inline_media') return removeSignature(part)
    const { mediaType, bytes, name } = part
    media.push({ mediaType, bytes })
    return {
      type: 'media',
      handle: store.toMediaHandle(bytes),
      mediaType,
      ...(name !== undefined && { name }),
    }
  })
  return { content, media }
}

interface StoredContent {
  readonly content: DurableContentPart[]
  readonly media: readonly Media[]
}

/** A provider's signature is only for the running turn and is never stored. */
export function removeSignature(part: ContentPart): DurableContentPart {
  if (!part.signature) return part
  const { signature: _, ...durable } = part
  return durable
}

/** The media that messages name. */
export const listMedia = (messages: readonly SessionMessage[]): readonly MediaHandle[] =>
  messages.flatMap(({ content }) => content.flatMap(listHandles))

const listHandles = (part: DurableContentPart): readonly MediaHandle[] => {
  if (part.type === 'media') return [part.handle]
  return part.type === 'tool_result' && part.outcome.whole ? [part.outcome.whole] : []
}
