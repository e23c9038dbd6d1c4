import { setTimeout as pause } from 'node:timers/promises'
import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { ModelEvent, ModelPort } from '@parley/engine'
import type { CallId, Json } from '@parley/contracts'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { createOfflineModel } from '@parley/llm'
import { startTestVoice } from '../testing/test-voice.ts'
import { createVendorClient } from '../testing/vendor-client.ts'

type NewTest = ElevenLabs.conversationalAi.TestsCreateRequestBody

/** A provider with one agent, tested through the vendor's client. */
export async function createTestedAgent(
  model: ModelPort = createOfflineModel(),
  config: ElevenLabs.ConversationalConfig = {},
) {
  const voice = await startTestVoice({ selectModel: async () => model })
  const { conversationalAi } = createVendorClient(voice)
  const { agentId } = await conversationalAi.agents.create({ name: 'Ada', conversationConfig: config })
  const begin = async (tests: readonly NewTest[], request: object = {}) => {
    const made = await Promise.all(tests.map((test) => conversationalAi.tests.create(test)))
    const wanted = made.map(({ id }) => ({ testId: id }))
    return conversationalAi.agents.runTests(agentId, { tests: wanted, ...request })
  }
  /** Results after all tests ended. */
  const run = async (tests: readonly NewTest[], request: object = {}) => {
    let invocation = await begin(tests, request)
    while (invocation.testRuns.some(({ status }) => status === 'pending')) {
      await pause(20)
      invocation = await conversationalAi.tests.invocations.get(invocation.id)
    }
    return invocation.testRuns
  }
  return { voice, conversationalAi, agentId, begin, run }
}

export const toChatHistory = (
  message: string,
): ElevenLabs.ConversationHistoryTranscriptCommonModelInput[] => [
  { role: 'user', message, timeInCallSecs: 0 },
]

export const END_CALL: ElevenLabs.SystemToolConfigInput = {
  name: 'end_call',
  params: { systemToolType: 'end_call' },
}

/** A scripted step that calls tools. */
export const callTools = (
  ...calls: readonly (readonly [name: string, input: Json])[]
): readonly ModelEvent[] => [
  ...calls.map(([name, input], at): ModelEvent => ({
    type: 'tool_call',
    call: { id: `call_${at}` as CallId, name, input },
  })),
  { type: 'finish', reason: 'completed' },
]

/** Answers from a script; judged by words. */
export const markAsOffline = <Model extends ModelPort>(model: Model): Model => ({
  ...model,
  provider: 'offline',
})

export const createAnsweringModel = (...answers: readonly string[]) =>
  markAsOffline(createScriptedModel(answers.map(createAnswerScript)))
