import type { DurableContentPart, MediaHandle, SessionId, SessionMessage } from '@parley/contracts'
import type { Media, MediaStore } from '../ports/session-store.ts'

/** A part as it comes from a person or a model: media may hold their bytes, reasoning its provider's signature. */
export type InFlightPart =
  | DurableContentPart
  | (NewMedia & { readonly type: 'inline_media' })
  | { readonly type: 'reasoning'; readonly text: string; readonly signature: string }

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
      if (part.type === 'reasoning') return { type: 'reasoning', text: part.text }
      if (part.type !== 'inline_media') return part
      const { mediaType, bytes, name } = part
      const handle = await store.putMedia(sessionId, { mediaType, bytes })
      return { type: 'media', handle, mediaType, ...(name !== undefined && { name }) }
    }),
  )
}

/** The media that messages name. */
export const mediaOf = (messages: readonly SessionMessage[]): readonly MediaHandle[] =>
  messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'media' ? [part.handle] : [])))
