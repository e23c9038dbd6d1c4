import { z } from 'zod'

/** A voice that the voice provider has. */
export const ProviderVoice = z.object({
  voiceId: z.string().min(1),
  name: z.string(),
  description: z.string().optional(),
  /** One of the provider's own is nobody's; one made from a person's needs their word. */
  kind: z.enum(['stock', 'clone']),
})
export type ProviderVoice = z.infer<typeof ProviderVoice>

export const ProviderVoices = z.object({ items: z.array(ProviderVoice) })
