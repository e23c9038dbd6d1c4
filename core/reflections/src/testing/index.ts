/** The suite that every voice provider passes. */
export { describeVoiceProvider } from './voice-provider.conformance.ts'
export type { VoiceProviderUnderTest } from './voice-provider-under-test.ts'
