import type { VoiceSettings } from '@parley/api'
import { isLocalUrl, PlatformError } from '@parley/contracts'
import { createElevenLabsProvider } from '@parley/elevenlabs'
import type { Secret } from '@parley/engine'
import { toKnownSecret } from '@parley/history'
import { configuredBindingVerificationSecrets } from '@parley/reflections'
import { BINDING_SECRET, ensureSecret, TOOL_SECRET, VOICE_KEY } from '../up/run-file.ts'
import type { Environment } from '../environment.ts'

type VoiceEnvironment = Pick<Environment, 'home' | 'variable' | 'publicUrl'>

interface VoiceAddresses {
  readonly apiUrl: string
  /** The address of the local provider, the default if it runs. */
  readonly localUrl?: string
  readonly onNotice: (notice: string) => void
}

interface OpenedVoice {
  readonly voice?: VoiceSettings
  /** Its secrets, as far as known. */
  readonly secrets: () => readonly Secret[]
}

const SERVICE_VOICE = 'cjVigY5qzO86Huf0OWal'
const LOCAL_VOICE = 'slt'

const SERVICE_URL = 'https://api.elevenlabs.io'

/** The voice provider: ElevenLabs or a compatible one from the environment, else the local one, else none. */
export async function openVoiceSettings(
  environment: VoiceEnvironment,
  { apiUrl, localUrl, onNotice }: VoiceAddresses,
): Promise<OpenedVoice> {
  const { home, variable } = environment
  const { apiKey: key, baseUrl: configuredUrl } = readRemote(environment)
  const isRemote = key !== undefined || configuredUrl !== undefined
  const baseUrl = configuredUrl ?? (isRemote ? undefined : localUrl)
  if (!isRemote && baseUrl === undefined) return { secrets: () => NONE }
  const readOrCreate = (secret: typeof VOICE_KEY, name: string) =>
    ensureSecret(secret, { home, set: variable(name), onNotice })
  const apiKey = await readOrCreate(VOICE_KEY, 'ELEVENLABS_API_KEY')
  const binding = await readOrCreate(BINDING_SECRET, 'ELEVENLABS_BINDING_SECRET')
  const earlier = variable('ELEVENLABS_BINDING_SECRETS_PREVIOUS') ?? ''
  const [current = binding, ...previous] = configuredBindingVerificationSecrets(binding, earlier)
  const { publicUrl = apiUrl } = environment
  if (isRemote && isLocalUrl(publicUrl) && !(baseUrl !== undefined && isLocalUrl(baseUrl))) {
    onNotice(
      `The voice provider cannot reach ${publicUrl}, so its agents have no tools. Set PARLEY_PUBLIC_URL to an address it can reach.`,
    )
  }
  const webhookSecret = variable('ELEVENLABS_WEBHOOK_SECRET')
  const agentId = variable('ELEVENLABS_AGENT_ID')
  const interviewerAgentId = variable('ELEVENLABS_INTERVIEWER_AGENT_ID')
  const toolSecret = await readOrCreate(TOOL_SECRET, 'ELEVENLABS_TOOL_SECRET')
  let secrets: readonly Secret[] = [
    toKnownSecret('ELEVENLABS_API_KEY', apiKey),
    toKnownSecret('ELEVENLABS_BINDING_SECRET', current),
    ...previous.map((one) => toKnownSecret('ELEVENLABS_BINDING_SECRETS_PREVIOUS', one)),
    toKnownSecret('ELEVENLABS_TOOL_SECRET', toolSecret),
    ...(webhookSecret === undefined ? [] : [toKnownSecret('ELEVENLABS_WEBHOOK_SECRET', webhookSecret)]),
  ]
  const voice: VoiceSettings = {
    provider: createElevenLabsProvider({ apiKey, ...(baseUrl !== undefined && { baseUrl }) }),
    socketOrigin: new URL(baseUrl ?? SERVICE_URL).origin.replace(/^http/, 'ws'),
    publicUrl,
    bindingSecrets: [current, ...previous],
    toolSecret,
    ...(webhookSecret !== undefined && { webhookSecret }),
    ...(agentId !== undefined && { agentId }),
    ...(interviewerAgentId !== undefined && { interviewerAgentId }),
    defaultVoiceId: isRemote ? SERVICE_VOICE : LOCAL_VOICE,
    onSecret(secret) {
      if (!secrets.some(({ value }) => value === secret))
        secrets = [...secrets, toKnownSecret('the webhook secret', secret)]
    },
  }
  return { voice, secrets: () => secrets }
}

const NONE: readonly Secret[] = []

/** The same, for callers that need its secrets before the API has an address. */
export function createVoiceOpener(environment: VoiceEnvironment) {
  let opened: OpenedVoice | undefined
  return {
    secrets: () => opened?.secrets() ?? NONE,
    async open(place: VoiceAddresses): Promise<VoiceSettings | undefined> {
      opened = await openVoiceSettings(environment, place)
      return opened.voice
    },
  }
}

const SET_TOGETHER = ['ELEVENLABS_API_KEY', 'ELEVENLABS_BINDING_SECRET', 'ELEVENLABS_TOOL_SECRET']

/** Processes on several machines share no data folder, so these secrets must be set for all. */
export function requireSharedSecrets(environment: Environment): void {
  const { apiKey, baseUrl } = readRemote(environment)
  if (apiKey === undefined && baseUrl === undefined) return
  const missing = SET_TOGETHER.filter((name) => environment.variable(name) === undefined)
  if (missing.length === 0) return
  throw new PlatformError('config_invalid', {
    message: `A voice provider is configured, but ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set.`,
    fix: 'Set them to the same values for all processes, or unset ELEVENLABS_API_KEY and ELEVENLABS_BASE_URL to turn voice off.',
  })
}

function readRemote({ variable }: VoiceEnvironment): { readonly apiKey?: string; readonly baseUrl?: string } {
  const apiKey = variable('ELEVENLABS_API_KEY')
  const baseUrl = variable('ELEVENLABS_BASE_URL')
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) {
    throw new PlatformError('config_invalid', {
      message: `The environment variable ELEVENLABS_BASE_URL is not a URL: ${baseUrl}`,
      fix: 'Set it to an address such as https://voice.example.org, or unset it.',
    })
  }
  return { ...(apiKey !== undefined && { apiKey }), ...(baseUrl !== undefined && { baseUrl }) }
}

/** Both lists as one; the same list until either changes. */
export function joinSecrets(
  known: () => readonly Secret[],
  more: () => readonly Secret[],
): () => readonly Secret[] {
  let first: readonly Secret[] = []
  let second: readonly Secret[] = []
  let both: readonly Secret[] = []
  return () => {
    if (known() === first && more() === second) return both
    first = known()
    second = more()
    both = [...first, ...second]
    return both
  }
}
