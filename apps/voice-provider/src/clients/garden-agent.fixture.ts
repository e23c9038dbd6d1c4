import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { SoundFormat } from '@parley/speech'
import { startSourceServer } from '../conversation/source-server.fixture.ts'
import { createVendorClient } from '../testing/vendor-client.ts'

interface GardenOptions {
  readonly format?: SoundFormat
  readonly firstMessage?: string
  readonly isTextOnly?: boolean
  readonly notes?: readonly string[]
  /** Replaces the server with the garden's notes. */
  readonly sourceUrl?: string
}

/** Questions with words of their answers. */
export const GARDEN_QUESTIONS = [
  { question: 'Who planted the pear tree behind the house?', answer: /planted by my sister/ },
  { question: 'What time does the garden open on Saturday?', answer: /opens at nine/ },
  { question: 'What did my father build near the river?', answer: /built a boat/ },
  { question: 'When did my mother move to the city?', answer: /city in the spring/ },
] as const

const NOTES = [
  'The pear tree behind the house was planted by my sister.',
  'The garden opens at nine on Saturday.',
  'My father built a boat near the river.',
  'My mother moved to the city in the spring.',
]

const CLIENT_EVENTS: ElevenLabs.ClientEvent[] = [
  'audio',
  'interruption',
  'user_transcript',
  'agent_response',
  'agent_response_correction',
  'agent_chat_response_part',
  'agent_tool_request',
]

/** An agent, created with the vendor's client, that looks up questions about a garden over HTTP. */
export async function createGardenAgent(voice: { readonly url: string }, options: GardenOptions = {}) {
  const { format = 'pcm_16000', firstMessage = '', isTextOnly = false, notes = NOTES } = options
  const evidence = notes.map((text) => ({ text, source: { title: 'Garden notes' } }))
  const sources = options.sourceUrl === undefined ? await startSourceServer({ evidence }) : undefined
  const { conversationalAi } = createVendorClient(voice)
  const { id: toolId } = await conversationalAi.tools.create({
    toolConfig: {
      type: 'webhook',
      name: 'retrieve_context',
      description: 'Looks things up in the notes.',
      apiSchema: {
        url: options.sourceUrl ?? sources?.url ?? '',
        method: 'POST',
        requestBodySchema: {
          type: 'object',
          required: ['query'],
          properties: { query: { type: 'string', description: 'The question' } },
        },
      },
    },
  })
  const { agentId } = await conversationalAi.agents.create({
    name: 'Garden',
    conversationConfig: {
      agent: { firstMessage, prompt: { prompt: 'You speak of a garden.', toolIds: [toolId] } },
      asr: { userInputAudioFormat: format },
      tts: { agentOutputAudioFormat: format },
      // The agent never speaks into a silence.
      turn: { turnTimeout: -1 },
      conversation: { textOnly: isTextOnly, clientEvents: CLIENT_EVENTS },
    },
  })
  return { agentId, stop: () => sources?.stop() }
}
