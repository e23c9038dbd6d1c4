/** Sound as everything inside handles it: one channel of signed 16-bit samples. */
export interface Sound {
  readonly samples: Int16Array
  readonly sampleRate: number
}

/** Hears what was said in one utterance. */
/** Names and places that the recogniser does not know and should prefer where they sound alike. */
export type RecognitionHints = readonly string[]

export interface Recogniser {
  /** Empty where nothing was said that it understood. */
  recognise(utterance: Sound, signal: AbortSignal, hints?: RecognitionHints): Promise<string>
}

export interface SpokenStyle {
  /** A voice by its id; one that is not known is spoken by the usual voice. */
  readonly voiceId?: string
  /** 1 is the voice's own pace. */
  readonly speed?: number
}

/** Says one sentence. */
export interface Synthesiser {
  synthesise(sentence: string, style: SpokenStyle, signal: AbortSignal): Promise<Sound>
}

/** Hearing and speaking, off the main thread. */
export interface Speech {
  readonly recogniser: Recogniser
  readonly synthesiser: Synthesiser
  close(): Promise<void>
}
