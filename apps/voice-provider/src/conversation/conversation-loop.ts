import type { LlmMessage, ModelPort } from '@parley/engine'
import { createClientResults } from '../agent-tools/client-tool.ts'
import { fillVariables, omitSecrets } from '../agent-tools/variables.ts'
import { type AgentTools, createAgentTools } from './agent-tools.ts'
import { type CallVoice, type InterruptMode, createCallVoice } from './call-listener.ts'
import type { CallEnding, ProviderCall } from './call-state.ts'
import { type ClientFrame, handleFrame } from './client-frame.ts'
import { type ConversationHost, toToolCallEntries } from './conversation-document.ts'
import type { PreparedConversation } from './prepare-conversation.ts'
import { type ContextUpdates, SPOKEN_MANNER, createContextUpdates, runTurn } from './run-turn.ts'
import type { ErrorType, ServerEvent } from './server-event.ts'
import { type SilenceWatch, createSilenceWatch } from './silence-watch.ts'
import { type StreamedAnswer, createStreamedAnswer } from './streamed-answer.ts'

export interface ConversationLoop {
  take(frame: ClientFrame): void
  /** Runs until it is stopped. */
  run(): Promise<void>
  stop(): void
}

export interface ConversationLoopParts {
  readonly prepared: PreparedConversation
  readonly model: ModelPort
  readonly host: ConversationHost
  readonly call: ProviderCall
  readonly send: (event: ServerEvent) => void
  readonly end: (ending: CallEnding) => void
}

/** Manages the turns between a person and an agent: speaking, interrupting and waiting. */
export function createConversationLoop(parts: ConversationLoopParts): ConversationLoop {
  const { prepared, host, call, send, end } = parts
  const config = prepared.agent.conversation_config
  const results = createClientResults()
  const voice = createCallVoice(config, {
    speech: host.speech,
    audio: call.audio,
    now: host.now,
    send,
    nextEventId: call.nextEventId,
    sendError: (type, message) => sendError(loop, type, message),
    interrupt: () => interruptAnswer(loop),
    onSpeech() {
      loop.silence.pause()
      if (voice?.playback.isBusy()) interruptAnswer(loop)
    },
    onUtterance: (text, mode) => addUserText(loop, text, 'audio', mode),
    onNotUnderstood: (milliseconds) => handleUnrecognisedSound(loop, milliseconds),
  })
  const instructions = fill(call, config.agent.prompt.prompt)
  const loop: Loop = {
    ...parts,
    system: voice ? `${instructions}\n\n${SPOKEN_MANNER}`.trim() : instructions,
    voice,
    silence: createSilenceWatch({
      turnTimeoutMs: voice && toMilliseconds(config.turn.turn_timeout),
      endCallMs: toMilliseconds(config.turn.silence_end_call_timeout),
      now: host.now,
      onTurnTimeout: () => addInput(loop, { kind: 'silence' }),
      onEndCall: () => end({ kind: 'silence' }),
    }),
    tools: createAgentTools(prepared.tools, {
      now: host.now,
      send,
      nextEventId: call.nextEventId,
      variables: call.variables,
      assign: call.assign,
      assignFromClient: call.assignFromClient,
      isFromClient: call.isFromClient,
      secrets: call.secrets,
      readSecret: host.readSecret,
      readEnvironmentValue: (label) => host.readEnvironmentValue(label, call.environment()),
      waitForResult: results.wait,
      played: async (signal) => voice?.playback.played(signal),
      onError: host.onError,
      onResult(result, next) {
        call.transcript.result(loop.state.lastIndex, result)
        loop.state.next = next ?? loop.state.next
      },
    }),
    context: createContextUpdates(),
    stopped: new AbortController(),
    state: {
      inputs: [],
      wake: undefined,
      past: [],
      answer: undefined,
      turn: undefined,
      next: undefined,
      lastIndex: 0,
      isGreeting: false,
      wasInterrupted: false,
      repeatRequests: 0,
    },
  }

  return {
    run: () => runTurns(loop),
    take: (frame) =>
      handleFrame(frame, {
        hear(bytes) {
          if (voice && !voice.listener.hear(bytes))
            end({ kind: 'abuse', reason: 'Sound arrives faster than real time' })
        },
        say(text) {
          voice?.listener.endUtterance()
          addUserText(loop, text, 'text', 'interrupts')
        },
        active: loop.silence.recordActivity,
        inform: loop.context.add,
        result: results.give,
        feedback: call.transcript.feedback,
        refuse: (reason) => sendError(loop, 'value_error', reason, 1008),
      }),
    stop: () => stopLoop(loop),
  }
}

interface Loop extends ConversationLoopParts {
  /** The system prompt. */
  readonly system: string
  /** Undefined for a text conversation. */
  readonly voice: CallVoice | undefined
  readonly silence: SilenceWatch
  readonly tools: AgentTools
  readonly context: ContextUpdates
  readonly stopped: AbortController
  readonly state: LoopState
}

interface LoopState {
  /** Inputs for the next turn. */
  inputs: TurnInput[]
  /** Ends the wait for an input. */
  wake: (() => void) | undefined
  /** Messages before the current answer. */
  past: readonly LlmMessage[]
  answer: StreamedAnswer | undefined
  /** Aborts the running turn. */
  turn: AbortController | undefined
  /** What a tool requested instead of the model's next step. */
  next: 'end-call' | 'wait' | undefined
  /** Index of the last answer in the transcript. */
  lastIndex: number
  isGreeting: boolean
  wasInterrupted: boolean
  /** Consecutive requests to repeat. */
  repeatRequests: number
}

/** Input of a turn: words, unrecognised speech, silence, or a request to repeat an unheard answer. */
type TurnInput =
  | { readonly kind: 'said'; readonly text: string; readonly medium: 'audio' | 'text' }
  | { readonly kind: 'not-understood' }
  | { readonly kind: 'silence' }
  | { readonly kind: 'again' }

async function runTurns(loop: Loop): Promise<void> {
  const { state, stopped } = loop
  greet(loop)
  await waitForPerson(loop, true)
  while (!stopped.signal.aborted) {
    if (state.inputs.length === 0) await new Promise<void>((resolve) => (state.wake = resolve))
    if (stopped.signal.aborted) return
    const inputs = state.inputs.splice(0)
    await takeTurn(loop, inputs)
    const wasAsked = inputs.some(({ kind }) => kind !== 'silence')
    if (!stopped.signal.aborted) await waitForPerson(loop, wasAsked)
  }
}

function greet(loop: Loop): void {
  const text = fill(loop.call, loop.prepared.agent.conversation_config.agent.first_message)
  if (text.trim() === '') return
  loop.state.isGreeting = true
  sayFixedText(loop, text)
}

const NOT_UNDERSTOOD = "I didn't catch that. Could you say it again?"

async function takeTurn(loop: Loop, inputs: readonly TurnInput[]): Promise<void> {
  const { state, call, silence } = loop
  silence.pause()
  state.past = [...state.past, ...(state.answer?.messages() ?? []), ...toModelMessages(inputs)]
  for (const input of inputs) if (input.kind === 'said') call.transcript.user(input.text, input.medium)
  state.isGreeting = false
  state.wasInterrupted = false
  state.next = undefined
  if (inputs.every(({ kind }) => kind === 'not-understood')) sayFixedText(loop, NOT_UNDERSTOOD)
  else await answerByModel(loop)
}

async function answerByModel(loop: Loop): Promise<void> {
  const { state, prepared, model, tools, context, system, voice, stopped } = loop
  const answer = startAnswer(loop)
  const turn = new AbortController()
  state.turn = turn
  const failure = await runTurn({
    model,
    tools: tools.port,
    system: context.addTo(system),
    conversation: voice ? 'spoken' : 'typed',
    past: state.past,
    prompt: prepared.agent.conversation_config.agent.prompt,
    signal: AbortSignal.any([turn.signal, stopped.signal]),
    say: answer.say,
    onMessage(message) {
      if (message.role === 'assistant')
        state.lastIndex = answer.endStep(message, toToolCallEntries(message, tools.getToolType))
      else answer.add(message)
    },
    isOver: () => state.next !== undefined,
  })
  state.turn = undefined
  if (failure) sendError(loop, 'llm_error', failure.message)
}

/** Says a fixed text, without the model. */
function sayFixedText(loop: Loop, text: string): void {
  const answer = startAnswer(loop)
  answer.say(text)
  loop.state.lastIndex = answer.endStep({ role: 'assistant', content: [{ type: 'text', text }] }, [])
}

function startAnswer({ state, call, voice, send }: Loop): StreamedAnswer {
  const { transcript, nextEventId } = call
  state.answer = createStreamedAnswer({ playback: voice?.playback, transcript, send, nextEventId })
  return state.answer
}

/** Waits for the person after the answer. */
async function waitForPerson(loop: Loop, wasAsked: boolean): Promise<void> {
  const { state, call, voice, silence, end } = loop
  call.saveInBackground()
  if (state.next === 'end-call') return end({ kind: 'end-call' })
  await voice?.playback.sent()
  if (state.inputs.length === 0 && state.next !== 'wait') silence.startWaiting(findAnswerEnd(loop), wasAsked)
}

const findAnswerEnd = ({ voice, host }: Loop): number => voice?.playback.endsAt() ?? host.now()

/** More waiting inputs than a person could send. */
const MAX_WAITING = 50
/** Limit of transcript entries per conversation. */
const MAX_ENTRIES = 2_000

function addInput({ state, call, end }: Loop, input: TurnInput): void {
  if (state.inputs.length >= MAX_WAITING || call.transcript.entries().length >= MAX_ENTRIES)
    return end({ kind: 'abuse', reason: 'Too many messages' })
  state.inputs.push(input)
  state.wake?.()
}

function addUserText(loop: Loop, text: string, medium: 'audio' | 'text', mode: InterruptMode): void {
  loop.silence.recordActivity()
  loop.state.repeatRequests = 0
  if (medium === 'audio')
    loop.send({
      type: 'user_transcript',
      user_transcription_event: { user_transcript: text, event_id: loop.call.nextEventId() },
    })
  if (mode === 'interrupts') interruptAnswer(loop)
  addInput(loop, { kind: 'said', text, medium })
}

/** Stops the current answer. Returns false if it may not be interrupted. */
function interruptAnswer({ state, prepared, host, call, voice, send }: Loop): boolean {
  const { disable_first_message_interruptions } = prepared.agent.conversation_config.agent
  if (state.isGreeting && disable_first_message_interruptions) return false
  const at = host.now()
  const isHeard = voice?.playback.isBusy() ?? false
  state.turn?.abort()
  voice?.playback.silence()
  if (isHeard) send({ type: 'interruption', interruption_event: { event_id: call.nextEventId() } })
  if (!isHeard && !state.turn) return true
  state.wasInterrupted = true
  state.answer?.cut(at)
  return true
}

/** Shorter utterances, margins included, are coughs or knocks. */
const MIN_SPEECH_MS = 900
/** Limit of consecutive requests, so that the agent does not answer a noisy room forever. */
const MAX_REPEAT_REQUESTS = 2

function handleUnrecognisedSound(loop: Loop, milliseconds: number): void {
  const { state, silence } = loop
  if (state.turn) return
  // A noise interrupted the last answer before it was heard: answer again.
  if (state.wasInterrupted && state.answer?.isUnheard() && state.repeatRequests === 0)
    return addInput(loop, { kind: 'again' })
  if (milliseconds >= MIN_SPEECH_MS && state.repeatRequests < MAX_REPEAT_REQUESTS) {
    state.repeatRequests += 1
    return addInput(loop, { kind: 'not-understood' })
  }
  silence.startWaiting(findAnswerEnd(loop), false)
}

function stopLoop({ state, host, voice, silence, stopped }: Loop): void {
  // The person heard nothing after hanging up.
  if (voice?.playback.isBusy()) state.answer?.cut(host.now())
  stopped.abort()
  silence.close()
  voice?.listener.close()
  voice?.playback.silence()
  state.wake?.()
}

const sendError = ({ send }: Loop, error_type: ErrorType, message: string, code: 1008 | 1011 = 1011) =>
  send({ type: 'error', error_event: { code, message, error_type } })

const fill = (call: ProviderCall, text: string) => fillVariables(text, omitSecrets(call.variables()))

/** Converts a setting in seconds; a negative value means never. */
const toMilliseconds = (seconds: number): number | undefined => (seconds < 0 ? undefined : seconds * 1_000)

/** Text for a silence, because models need a message. */
const SILENCE = '...'

/** The messages for the model. */
const toModelMessages = (inputs: readonly TurnInput[]): readonly LlmMessage[] =>
  inputs
    .filter(({ kind }) => kind === 'said' || kind === 'silence')
    .map((input) => ({
      role: 'user',
      content: [{ type: 'text', text: input.kind === 'said' ? input.text : SILENCE }],
    }))
