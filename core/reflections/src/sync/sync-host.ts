import { AgentAction, recordByAction } from '@parley/contracts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import type { ArtifactReader } from '../ports/artifact-store.ts'
import type { SyncStore } from '../ports/sync-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type { ToolIds } from '../template/build-agent-template.ts'
import { buildInlineTools } from '../template/tool-definitions.ts'

export interface SyncHost {
  readonly store: SyncStore
  readonly runtime: Pick<ArtifactReader, 'readPromoted'>
  readonly provider: VoiceProvider
  readonly setUp: AgentSetUp
  /** The provider's id of the webhook for ended calls; null if it has none. */
  readonly webhookId: () => Promise<string | null>
  readonly tools: ToolKeeper
  readonly sha256: Sha256
  /** A hash whose text cannot be guessed without the key. */
  readonly keyedHash: (text: string) => string
  /** ISO 8601. */
  readonly now: () => string
}

/** The server tools at the provider, and the secret that they send. */
interface ToolKeeper {
  /** The tools' ids. Creates the tools at the first call of this process. */
  ids(signal: AbortSignal): Promise<ToolIds>
  /** Creates or repairs the tools. */
  renew(signal: AbortSignal): Promise<ToolIds>
  /** The desired tools. Nothing is created. */
  wanted(signal: AbortSignal): Promise<InlineTools>
}

type InlineTools = ReturnType<typeof buildInlineTools>

interface ToolKeeperHost {
  readonly store: Pick<SyncStore, 'runExclusively'>
  readonly provider: Pick<VoiceProvider, 'ensureSecret' | 'findSecret' | 'ensureTool'>
  readonly setUp: Pick<AgentSetUp, 'publicUrl' | 'toolSecret'>
  readonly sha256: Sha256
}

export function createToolKeeper(host: ToolKeeperHost): ToolKeeper {
  let known: ToolIds | undefined
  const renew = async (signal: AbortSignal) => {
    known = await host.store.runExclusively(
      'tools at the provider',
      (alone) => ensureTools(host, alone),
      signal,
    )
    return known
  }
  return {
    renew,
    ids: async (signal) => known ?? renew(signal),
    async wanted(signal) {
      const secretId = await host.provider.findSecret(formatSecretName(host), signal)
      return buildInlineTools({ publicUrl: host.setUp.publicUrl, secretId: secretId ?? NO_SECRET })
    },
  }
}

/** No id equals this one, so a tool without its secret never counts as unchanged. */
const NO_SECRET = 'none'

/** Includes the address, since another installation may use the same workspace. */
const formatSecretName = ({
  setUp: { publicUrl },
  sha256,
}: Pick<ToolKeeperHost, 'setUp' | 'sha256'>): string =>
  `parley_tool_secret_${sha256(publicUrl).slice(0, NAME_DIGITS)}`

async function ensureTools(host: ToolKeeperHost, signal: AbortSignal): Promise<ToolIds> {
  const { provider, setUp } = host
  const { publicUrl, toolSecret } = setUp
  const secretId = await provider.ensureSecret(formatSecretName(host), toolSecret, signal)
  const tools = buildInlineTools({ publicUrl, secretId })
  const ensure = async (action: AgentAction) =>
    [action, await provider.ensureTool(tools[action], signal)] as const
  const ids = new Map(await Promise.all(AgentAction.options.map(ensure)))
  return recordByAction((action) => ids.get(action) ?? '')
}

const NAME_DIGITS = 12

/** The settings that all agents of this server share. */
interface AgentSetUp {
  /** The URL at which the provider reaches this API. */
  readonly publicUrl: string
  readonly toolSecret: string
  readonly defaultVoiceId: string
}
