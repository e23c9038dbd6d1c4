import type { DurableContentPart, MediaHandle, SessionId, SessionMessage } from '@parley/contracts'
import type { LlmPart } from '../ports/model.ts'
import type { Media, MediaStore } from '../ports/session-store.ts'

/** A part as it comes from a person or a model: media may hold their bytes, what a model said its provider's signature. */
export type InFlightPart = LlmPart | (NewMedia & { readonly type: 'inline_media' })

/** Media that are not kept yet. */
export interface NewMedia extends Media {
  readonly name?: string
}

/** Parts as they are stored: bytes go to the owner's media, a signature is left out. */
export async function deInlineMedia(
  parts: readonly InFlightPart[],
  sessionId: SessionId,
  store: MediaStore,
): Promise<DurableContentPart[]> {
  return Promise.all(
    parts.map(async (part): Promise<DurableContentPart> => {
      if (part.type !== 'inline_media') return withoutProof(part)
      const { mediaType, bytes, name } = part
      const handle = await store.putMedia(sessionId, { mediaType, bytes })
      return { type: 'media', handle, mediaType, ...(name !== undefined && { name }) }
    }),
  )
}

/** A provider's signature is for the turn that runs, and is never stored. */
export function withoutProof(part: LlmPart): DurableContentPart {
  if (!part.proof) return part
  const { proof: _, ...durable } = part
  return durable
}

/** The media that messages name. */
export const mediaOf = (messages: readonly SessionMessage[]): readonly MediaHandle[] =>
  messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'media' ? [part.handle] : [])))
