/** The voices there are, by their ids: a woman's, and two men's, American and Scottish; and an old plain one. */
const VOICES: Readonly<Record<string, string>> = { slt: 'slt', rms: 'rms', awb: 'awb', kal: 'kal16' }

const USUAL = 'slt'

export function voiceOf(voiceId: string | undefined): string {
  return voiceId !== undefined && Object.hasOwn(VOICES, voiceId) ? (VOICES[voiceId] ?? USUAL) : USUAL
}
