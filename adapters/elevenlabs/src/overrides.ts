import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import { nearest, PlatformError } from '@parley/contracts'

type Overrides = ElevenLabs.ConversationInitiationClientDataConfigInput

/** Every override that the SDK knows, off. All are sent, since one that is left out stays as it was. */
const ALL_OFF = {
  conversationConfigOverride: {
    asr: { keywords: false },
    turn: { softTimeoutConfig: { message: false, additionalSoftTimeoutMessages: false } },
    tts: {
      modelId: false,
      voiceId: false,
      supportedVoices: false,
      stability: false,
      speed: false,
      similarityBoost: false,
      pronunciationDictionaryLocators: false,
    },
    conversation: { textOnly: false, maxDurationSeconds: false },
    agent: {
      firstMessage: false,
      language: false,
      maxConversationDurationMessage: false,
      prompt: {
        prompt: false,
        llm: false,
        toolIds: false,
        toolIdsStrict: false,
        nativeMcpServerIds: false,
        knowledgeBase: false,
      },
    },
  },
  customLlmExtraBody: false,
  enableConversationInitiationClientDataFromWebhook: false,
  enableStartingWorkflowNodeIdFromClient: false,
  enableProcedureIdsFromClient: false,
} as const satisfies Overrides

const PREFIX = 'conversationConfigOverride.'

/** Paths of overrides, as in `agent.firstMessage`. */
export const OVERRIDES: readonly string[] = leaves('', ALL_OFF, false)

/** On for these paths, off for all others. */
export function overridesOf(paths: readonly string[]): Overrides {
  const unknown = paths.find((path) => !OVERRIDES.includes(path))
  if (unknown !== undefined) throw noSuchOverride(unknown)
  return switched('', ALL_OFF, paths)
}

/** The paths of all that are on. */
export const allowedOverrides = (overrides: object | undefined): readonly string[] =>
  leaves('', overrides ?? {}, true)

function leaves(path: string, value: unknown, wanted: boolean): readonly string[] {
  if (value === wanted) return [shortOf(path)]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => leaves(join(path, key), inner, wanted))
}

function switched(path: string, value: object, paths: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => {
      const at = join(path, key)
      const isGroup = typeof inner === 'object' && inner !== null
      return [key, isGroup ? switched(at, inner, paths) : paths.includes(shortOf(at))]
    }),
  )
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function shortOf(path: string): string {
  return path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path
}

function noSuchOverride(path: string): PlatformError {
  const meant = nearest(path, OVERRIDES)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  return new PlatformError('validation', { message: `There is no override "${path}".${hint}`, path })
}
