import type { LlmMessage } from '@parley/engine'
import { createSentenceSplitter } from '@parley/speech'
import type { ToolCallEntry, CallTranscript } from './conversation-document.ts'
import type { ServerEvent } from './server-event.ts'
import { type CallPlayback, type SpokenPiece, getHeardText } from './call-playback.ts'

/** The agent's answer in one turn: sent and spoken as it streams, with the part that was heard. */
export interface StreamedAnswer {
  readonly say: (text: string) => void
  /** Completes a step: sends and stores its full text. Returns its index in the transcript. */
  endStep(message: LlmMessage, calls: readonly ToolCallEntry[]): number
  /** Messages for the history. An interrupted answer contains only the part that was heard. */
  messages(): readonly LlmMessage[]
  add(message: LlmMessage): void
  /** Marks the answer as interrupted at this time and corrects its completed steps. */
  cut(at: number): void
  /** Whether no part of the answer was heard. */
  isUnheard(): boolean
}

export interface StreamedAnswerHost {
  /** Undefined in a text conversation, where sent text counts as read. */
  readonly playback: CallPlayback | undefined
  readonly transcript: CallTranscript
  readonly send: (event: ServerEvent) => void
  readonly nextEventId: () => number
}

interface AnswerStep {
  readonly message: LlmMessage
  readonly text: string
  readonly pieces: readonly SpokenPiece[]
  readonly entryIndex?: number
  heard?: string
}

export function createStreamedAnswer(host: StreamedAnswerHost): StreamedAnswer {
  const { playback, transcript, send, nextEventId } = host
  const steps: AnswerStep[] = []
  let splitter = createSentenceSplitter()
  let pieces: SpokenPiece[] = []
  let text = ''
  let cutAt: number | undefined
  let partId: number | undefined

  const speak = (sentences: ReturnType<typeof splitter.add>) => {
    // The pieces belong to this step, even if they are played during the next.
    const scheduled = pieces
    if (cutAt !== undefined) return
    for (const sentence of sentences) playback?.speak(sentence, (piece) => scheduled.push(piece))
  }

  const sendPart = (type: 'start' | 'delta' | 'stop', addition: string) => {
    if (playback) return
    partId ??= nextEventId()
    send({ type: 'agent_chat_response_part', text_response_part: { text: addition, type, event_id: partId } })
  }

  const correctStep = (step: AnswerStep, at: number) => {
    if (!playback || step.heard !== undefined || step.text === '') return
    const heard = getHeardText(step.pieces, at)
    if (heard === step.text.trimEnd()) return
    step.heard = heard
    if (step.entryIndex !== undefined) transcript.correct(step.entryIndex, heard)
    send({
      type: 'agent_response_correction',
      agent_response_correction_event: {
        original_agent_response: step.text,
        corrected_agent_response: heard,
        event_id: nextEventId(),
      },
    })
  }

  return {
    say(addition) {
      if (text === '') sendPart('start', '')
      text += addition
      sendPart('delta', addition)
      speak(splitter.add(addition))
    },
    endStep(message, calls) {
      speak(splitter.end())
      if (text !== '') sendPart('stop', '')
      const eventId = nextEventId()
      if (text !== '')
        send({ type: 'agent_response', agent_response_event: { agent_response: text, event_id: eventId } })
      const entryIndex = transcript.agent(text === '' ? null : text, calls, eventId)
      const step: AnswerStep = { message, text, pieces, entryIndex }
      steps.push(step)
      splitter = createSentenceSplitter()
      pieces = []
      text = ''
      partId = undefined
      if (cutAt !== undefined) correctStep(step, cutAt)
      return entryIndex
    },
    messages: () => steps.flatMap(toHeardMessages),
    add: (message) => void steps.push({ message, text: '', pieces: [] }),
    cut(at) {
      cutAt ??= at
      for (const step of steps) correctStep(step, cutAt)
    },
    isUnheard: () => steps.every((step) => step.text === '' || step.heard === ''),
  }
}

function toHeardMessages({ message, heard }: AnswerStep): readonly LlmMessage[] {
  if (heard === undefined) return [message]
  const others = message.content.filter(({ type }) => type !== 'text' && type !== 'reasoning')
  const content = heard === '' ? others : [{ type: 'text' as const, text: heard }, ...others]
  return content.length === 0 ? [] : [{ ...message, content }]
}
