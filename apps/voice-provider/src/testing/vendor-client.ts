import { ElevenLabsClient, ElevenLabsError } from '@elevenlabs/elevenlabs-js'
import { expect } from 'vitest'
import { API_KEY } from './test-voice.ts'

/** The vendor's own client, pointed here. */
export const vendorClient = ({ url }: { readonly url: string }, apiKey = API_KEY) =>
  new ElevenLabsClient({ apiKey, baseUrl: url, maxRetries: 0 })

/** What a call of the vendor's client fails with. */
export async function failureOf(call: PromiseLike<unknown>): Promise<ElevenLabsError> {
  const failure = await Promise.resolve(call).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(ElevenLabsError)
  return failure as ElevenLabsError
}
