import type { LlmMessage, ModelPort } from '@parley/engine'
import { fillVariables, withoutSecrets } from '../agent-tools/variables.ts'
import { createAgentTools } from './agent-tools.ts'
import { type Answer, createAnswer } from './answer.ts'
import type { Call, Ending } from './call.ts'
import { type ClientFrame, handleFrame } from './client-frame.ts'
import { createClientResults } from '../agent-tools/client-tool.ts'
import { type ConversationHost, toolCallEntries } from './conversation-record.ts'
import { type InterruptMode, createCallVoice } from './listener.ts'
import type { Prepared } from './prepare-conversation.ts'
import { SPOKEN_MANNER, createContextUpdates, runTurn } from './run-turn.ts'
import type { ErrorType, ServerEvent } from './server-event.ts'
import { createSilenceWatch } from './silence-watch.ts'

export interface Conversation {
  take(frame: ClientFrame): void
  /** Runs until it is stopped. */
  run(): Promise<void>
  stop(): void
}

export interface ConversationParts {
  readonly ready: Extract<Prepared, { kind: 'ready' }>
  readonly model: ModelPort
  readonly host: ConversationHost
  readonly call: Call
  readonly send: (event: ServerEvent) => void
  readonly end: (ending: Ending) => void
}

/** More waiting messages than a person could send. */
const MOST_WAITING = 50
/** Limit of transcript entries per conversation. */
const MOST_ENTRIES = 2_000

/** Shorter utterances, margins included, are coughs or knocks. */
const SHORTEST_SPEECH_MS = 900
const NOT_UNDERSTOOD = "I didn't catch that. Could you say it again?"
/** Limit of consecutive requests, so that the agent does not answer a noisy room forever. */
const MOST_REPEAT_REQUESTS = 2

/** Manages the turns between a person and an agent: speaking, interrupting and waiting. */
export function createConversation({ ready, model, host, call, send, end }: ConversationParts): Conversation {
  const { transcript, audio, nextEventId } = call
  const { agent: settings, turn: turnSettings } = ready.agent.conversation_config
  const { now } = host
  const stopped = new AbortController()
  const results = createClientResults()
  const context = createContextUpdates()
  const waiting: TurnInput[] = []
  let past: readonly LlmMessage[] = []
  let wake: (() => void) | undefined
  let answer: Answer | undefined
  let turn: AbortController | undefined
  let next: 'end-call' | 'wait' | undefined
  let lastIndex = 0
  let isGreeting = false
  let wasInterrupted = false
  let repeatRequests = 0

  const sendError = (error_type: ErrorType, message: string, code: 1008 | 1011 = 1011) =>
    send({ type: 'error', error_event: { code, message, error_type } })
  const fill = (text: string) => fillVariables(text, withoutSecrets(call.variables()))

  const push = (input: TurnInput) => {
    if (waiting.length >= MOST_WAITING || transcript.entries().length >= MOST_ENTRIES)
      return end({ kind: 'abuse', reason: 'Too many messages' })
    waiting.push(input)
    wake?.()
  }

  const addUserText = (text: string, medium: 'audio' | 'text', mode: InterruptMode) => {
    silence.active()
    repeatRequests = 0
    if (medium === 'audio')
      send({
        type: 'user_transcript',
        user_transcription_event: { user_transcript: text, event_id: nextEventId() },
      })
    if (mode === 'interrupts') interrupt()
    push({ kind: 'said', text, medium })
  }

  /** Stops the current answer. Returns false if it may not be interrupted. */
  const interrupt = (): boolean => {
    if (isGreeting && settings.disable_first_message_interruptions) return false
    const at = now()
    const isHeard = speaker?.isBusy() ?? false
    turn?.abort()
    speaker?.silence()
    if (isHeard) send({ type: 'interruption', interruption_event: { event_id: nextEventId() } })
    if (!isHeard && !turn) return true
    wasInterrupted = true
    answer?.cut(at)
    return true
  }

  const voice = createCallVoice(ready.agent.conversation_config, {
    speech: host.speech,
    audio,
    now,
    send,
    nextEventId,
    sendError,
    interrupt,
    onSpeech() {
      silence.hold()
      if (speaker?.isBusy()) interrupt()
    },
    onUtterance: (text, mode) => addUserText(text, 'audio', mode),
    onNotUnderstood(milliseconds) {
      if (turn) return
      // A noise interrupted the last answer before it was heard: answer again.
      if (wasInterrupted && answer?.isUnheard() && repeatRequests === 0) return push({ kind: 'again' })
      if (milliseconds >= SHORTEST_SPEECH_MS && repeatRequests < MOST_REPEAT_REQUESTS) {
        repeatRequests += 1
        return push({ kind: 'not-understood' })
      }
      silence.answeredUntil(speaker?.endsAt() ?? now(), false)
    },
  })
  const speaker = voice?.speaker

  const silence = createSilenceWatch({
    turnTimeoutMs: voice && milliseconds(turnSettings.turn_timeout),
    endCallMs: milliseconds(turnSettings.silence_end_call_timeout),
    now,
    onTurnTimeout: () => push({ kind: 'silence' }),
    onEndCall: () => end({ kind: 'silence' }),
  })

  const tools = createAgentTools(ready.tools, {
    now,
    send,
    nextEventId,
    variables: call.variables,
    assign: call.assign,
    assignFromClient: call.assignFromClient,
    isFromClient: call.isFromClient,
    secrets: call.secrets,
    secretValue: host.secretValue,
    environmentValue: (label) => host.environmentValue(label, call.environment()),
    waitForResult: results.wait,
    played: async (signal) => speaker?.played(signal),
    onError: host.onError,
    onResult(result, chosen) {
      transcript.result(lastIndex, result)
      next = chosen ?? next
    },
  })

  const prompt = fill(settings.prompt.prompt)
  const system = voice ? `${prompt}\n\n${SPOKEN_MANNER}`.trim() : prompt
  const startAnswer = () => createAnswer({ speaker, transcript, send, nextEventId })

  /** Says a fixed text, without the model. */
  const sayFixed = (text: string) => {
    answer = startAnswer()
    answer.say(text)
    lastIndex = answer.endStep({ role: 'assistant', content: [{ type: 'text', text }] }, [])
  }

  const greet = () => {
    const text = fill(settings.first_message)
    if (text.trim() === '') return
    isGreeting = true
    sayFixed(text)
  }

  const takeTurn = async (inputs: readonly TurnInput[]) => {
    silence.hold()
    past = [...past, ...(answer?.messages() ?? []), ...messagesOf(inputs)]
    for (const input of inputs) if (input.kind === 'said') transcript.user(input.text, input.medium)
    isGreeting = false
    wasInterrupted = false
    next = undefined
    if (inputs.every(({ kind }) => kind === 'not-understood')) return sayFixed(NOT_UNDERSTOOD)
    const current = startAnswer()
    answer = current
    turn = new AbortController()
    const failure = await runTurn({
      model,
      tools: tools.port,
      system: context.addTo(system),
      conversation: voice ? 'spoken' : 'typed',
      past,
      prompt: settings.prompt,
      signal: AbortSignal.any([turn.signal, stopped.signal]),
      say: current.say,
      onMessage(message) {
        if (message.role === 'assistant')
          lastIndex = current.endStep(message, toolCallEntries(message, tools.typeOf))
        else current.add(message)
      },
      isOver: () => next !== undefined,
    })
    turn = undefined
    if (failure) sendError('llm_error', failure.message)
  }

  /** Waits for the person after the answer. */
  const waitForPerson = async (wasAsked: boolean) => {
    call.keep()
    if (next === 'end-call') return end({ kind: 'end-call' })
    await speaker?.sent()
    if (waiting.length === 0 && next !== 'wait') silence.answeredUntil(speaker?.endsAt() ?? now(), wasAsked)
  }

  return {
    async run() {
      greet()
      await waitForPerson(true)
      while (!stopped.signal.aborted) {
        if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve))
        if (stopped.signal.aborted) return
        const inputs = waiting.splice(0)
        await takeTurn(inputs)
        if (!stopped.signal.aborted) await waitForPerson(inputs.some(({ kind }) => kind !== 'silence'))
      }
    },
    take: (frame) =>
      handleFrame(frame, {
        hear(bytes) {
          if (voice && !voice.listener.hear(bytes))
            end({ kind: 'abuse', reason: 'Sound arrives faster than real time' })
        },
        say(text) {
          voice?.listener.overtake()
          addUserText(text, 'text', 'interrupts')
        },
        active: silence.active,
        inform: context.add,
        result: results.give,
        feedback: transcript.feedback,
        refuse: (reason) => sendError('value_error', reason, 1008),
      }),
    stop() {
      // The person heard nothing after hanging up.
      if (speaker?.isBusy()) answer?.cut(now())
      stopped.abort()
      silence.close()
      voice?.listener.close()
      speaker?.silence()
      wake?.()
    },
  }
}

/** Converts a setting in seconds; a negative value means never. */
const milliseconds = (seconds: number): number | undefined => (seconds < 0 ? undefined : seconds * 1_000)

/** Input of a turn: words, unrecognised speech, silence, or a request to repeat an unheard answer. */
type TurnInput =
  | { readonly kind: 'said'; readonly text: string; readonly medium: 'audio' | 'text' }
  | { readonly kind: 'not-understood' }
  | { readonly kind: 'silence' }
  | { readonly kind: 'again' }

/** Text for a silence, because models need a message. */
const SILENCE = '...'

/** The messages for the model. */
const messagesOf = (inputs: readonly TurnInput[]): readonly LlmMessage[] =>
  inputs
    .filter(({ kind }) => kind === 'said' || kind === 'silence')
    .map((input) => ({
      role: 'user',
      content: [{ type: 'text', text: input.kind === 'said' ? input.text : SILENCE }],
    }))
