/** One channel of signed 16-bit samples. */
export interface Sound {
  readonly samples: Int16Array
  readonly sampleRate: number
}

/** Names and places to prefer over words that sound alike. */
export type RecognitionHints = readonly string[]

/** Turns one utterance into text. */
export interface Recogniser {
  /** Returns '' if no words were recognised. */
  recognise(utterance: Sound, signal: AbortSignal, hints?: RecognitionHints): Promise<string>
}

export interface SpokenStyle {
  /** Unknown ids use the default voice. */
  readonly voiceId?: string
  /** 1 is the voice's normal speed. */
  readonly speed?: number
}

/** Turns one sentence into sound. */
export interface Synthesiser {
  synthesise(sentence: string, style: SpokenStyle, signal: AbortSignal): Promise<Sound>
}

/** Speech recognition and synthesis, off the main thread. */
export interface Speech {
  readonly recogniser: Recogniser
  readonly synthesiser: Synthesiser
  close(): Promise<void>
}
