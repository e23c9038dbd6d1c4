import type { VoiceProvider } from '../ports/voice-provider.ts'

/** A provider, and what the suite cannot do by its port alone. */
export interface VoiceProviderUnderTest {
  readonly provider: VoiceProvider
  /** The same one, with a key that is not valid there. */
  readonly stranger: VoiceProvider
  /** Connects by a signed URL with these variables, says something once the agent has greeted, hears the answer, and hangs up. */
  readonly converse: (
    signedUrl: string,
    say: string,
    variables: Readonly<Record<string, string>>,
  ) => Promise<void>
  /** Connects by a signed URL with these variables, and stays until the call is ended. */
  readonly connect: (
    signedUrl: string,
    variables: Readonly<Record<string, string>>,
  ) => Promise<{ readonly closed: Promise<void> }>
  readonly close: () => Promise<void>
}
