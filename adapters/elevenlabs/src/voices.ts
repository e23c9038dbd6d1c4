import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { VoiceProvider } from '@parley/reflections'
import { allPages } from './call/all-pages.ts'
import type { Caller } from './call/caller.ts'

export const voicesOf = ({ call }: Caller): Pick<VoiceProvider, 'listVoices'> => ({
  async listVoices(signal) {
    const voices = await allPages(async ({ cursor }) => {
      const page = await call('read', signal, (client, options) =>
        client.voices.search(
          { pageSize: 100, includeTotalCount: false, ...(cursor !== undefined && { nextPageToken: cursor }) },
          options,
        ),
      )
      return {
        items: page.voices,
        hasMore: page.hasMore,
        ...(page.nextPageToken && { nextCursor: page.nextPageToken }),
      }
    })
    return voices.map(({ voiceId, name, description, category }) => ({
      voiceId,
      name: name ?? voiceId,
      ...(description && { description }),
      kind: category !== undefined && CLONES.includes(category) ? ('clone' as const) : ('stock' as const),
    }))
  },
})

/** Made from the recordings of a person. */
const CLONES: readonly ElevenLabs.VoiceCategory[] = ['cloned', 'professional']
