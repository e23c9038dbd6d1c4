import type { DurableContentPart, MediaHandle, SessionMessage } from '@parley/contracts'
import type { ContentPart } from '../ports/model.ts'
import type { Media, MediaStore } from '../ports/session-store.ts'

/** A part as it comes from a person or a model: media may hold their bytes, what a model said its provider's signature. */
export type InFlightPart = ContentPart | (NewMedia & { readonly type: 'inline_media' })

/** Media that are not kept yet. */
export interface NewMedia extends Media {
  readonly name?: string
}

/** Parts as they are stored, and the bytes that go to the owner's media; a signature is left out. */
export function deInlineMedia(parts: readonly InFlightPart[], store: MediaStore): Durable {
  const media: Media[] = []
  const content = parts.map((part): DurableContentPart => {
    if (part.type !== 'inline_media') return withoutProof(part)
    const { mediaType, bytes, name } = part
    media.push({ mediaType, bytes })
    return { type: 'media', handle: store.handleOf(bytes), mediaType, ...(name !== undefined && { name }) }
  })
  return { content, media }
}

interface Durable {
  readonly content: DurableContentPart[]
  readonly media: readonly Media[]
}

/** A provider's signature is for the turn that runs, and is never stored. */
export function withoutProof(part: ContentPart): DurableContentPart {
  if (!part.proof) return part
  const { proof: _, ...durable } = part
  return durable
}

/** The media that messages name. */
export const mediaOf = (messages: readonly SessionMessage[]): readonly MediaHandle[] =>
  messages.flatMap(({ content }) => content.flatMap(handlesIn))

const handlesIn = (part: DurableContentPart): readonly MediaHandle[] => {
  if (part.type === 'media') return [part.handle]
  return part.type === 'tool_result' && part.outcome.whole ? [part.outcome.whole] : []
}
