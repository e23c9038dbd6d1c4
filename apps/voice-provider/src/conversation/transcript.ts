import type { SecretMask } from '../tools-of-agent/secret-mask.ts'
import type { TranscriptEntry, ToolCallEntry, ToolResultEntry } from './conversation-record.ts'

/** What was said and done, as the record shows it. */
export interface Transcript {
  /** Without the secrets that are known by now. */
  entries(): readonly TranscriptEntry[]
  user(text: string, medium: 'audio' | 'text'): void
  /** Its place, by which it is completed and corrected. */
  agent(message: string | null, calls: readonly ToolCallEntry[], eventId: number): number
  result(place: number, result: ToolResultEntry): void
  /** It was cut short: only this was heard. */
  correct(place: number, heard: string): void
  /** Of the answer that a client's event belongs to; null takes it back. */
  readonly feedback: (eventId: number, score: 'like' | 'dislike' | null) => void
}

export function createTranscript(secondsInCall: () => number, secrets: SecretMask): Transcript {
  const entries: TranscriptEntry[] = []
  const masked = new Map<
    number,
    { readonly entry: TranscriptEntry; readonly size: number; readonly as: TranscriptEntry }
  >()
  const eventIds = new Map<number, number>()
  const change = (place: number, changed: (entry: TranscriptEntry) => Partial<TranscriptEntry>) => {
    const entry = entries[place]
    if (entry) entries[place] = { ...entry, ...changed(entry) }
  }
  const add = (entry: Pick<TranscriptEntry, 'role' | 'message'> & Partial<TranscriptEntry>): number =>
    entries.push({
      tool_calls: [],
      tool_results: [],
      time_in_call_secs: secondsInCall(),
      interrupted: false,
      original_message: null,
      source_medium: null,
      feedback: null,
      ...entry,
    }) - 1

  /** Once, unless the entry has changed or another secret is known since. */
  const maskedAt = (entry: TranscriptEntry, place: number): TranscriptEntry => {
    const before = masked.get(place)
    const size = secrets.size()
    if (before?.entry === entry && before.size === size) return before.as
    const as = withoutSecrets(entry, secrets)
    masked.set(place, { entry, size, as })
    return as
  }

  return {
    entries: () => entries.map(maskedAt),
    user: (message, source_medium) => void add({ role: 'user', message, source_medium }),
    agent(message, tool_calls, eventId) {
      const place = add({ role: 'agent', message, tool_calls })
      eventIds.set(place, eventId)
      return place
    },
    result: (place, result) => change(place, (entry) => ({ tool_results: [...entry.tool_results, result] })),
    correct: (place, heard) =>
      change(place, ({ message }) => ({ message: heard, interrupted: true, original_message: message })),
    feedback(eventId, score) {
      const place = [...eventIds].findLast(([, first]) => first <= eventId)?.[0]
      if (place === undefined) return
      const feedback = score && { score, time_in_call_secs: secondsInCall() }
      change(place, () => ({ feedback }))
    },
  }
}

const withoutSecrets = (entry: TranscriptEntry, { mask }: SecretMask): TranscriptEntry => ({
  ...entry,
  message: mask(entry.message),
  original_message: mask(entry.original_message),
  tool_calls: entry.tool_calls.map((call) => ({ ...call, params_as_json: mask(call.params_as_json) })),
  tool_results: entry.tool_results.map((result) => ({ ...result, result_value: mask(result.result_value) })),
})
