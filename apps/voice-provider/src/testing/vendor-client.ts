import { ElevenLabsClient, ElevenLabsError } from '@elevenlabs/elevenlabs-js'
import { expect } from 'vitest'
import { API_KEY } from './test-voice.ts'

/** The vendor's client for this server. */
export const createVendorClient = ({ url }: { readonly url: string }, apiKey = API_KEY) =>
  new ElevenLabsClient({ apiKey, baseUrl: url, maxRetries: 0 })

/** The error of a failed call of the vendor's client. */
export async function getVendorError(call: PromiseLike<unknown>): Promise<ElevenLabsError> {
  const failure = await Promise.resolve(call).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(ElevenLabsError)
  return failure as ElevenLabsError
}
