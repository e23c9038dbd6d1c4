import { join } from 'node:path'
import {
  BaseUrl,
  findSecret,
  PlatformError,
  PROVIDER_KINDS,
  ProviderKind,
  ProviderName,
  VariableName,
} from '@parley/contracts'
import { z } from 'zod'
import { changeHomeFile } from '../config/change-home-file.ts'
import { addProvider } from '../config/edit-providers.ts'
import { DEFAULT_CHAT } from '../config/chat-rules.ts'
import { loadSettings, OWN_FILE } from '../config/load-settings.ts'
import { providerState } from '../config/provider-state.ts'
import { type ConfiguredProvider, providersOf } from '../config/providers-of.ts'
import { type Config, readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { liveRun } from '../up/run-file.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const AddOptions = z
  .object({
    kind: z.enum(ProviderKind.options, `must be one of ${ProviderKind.options.join(', ')}`),
    baseUrl: z.string().optional(),
    apiKeyEnv: z.string().optional(),
  })
  .transform(({ kind, baseUrl, apiKeyEnv }) => ({
    kind,
    ...(baseUrl !== undefined && { base_url: valid('base-url', BaseUrl, baseUrl) }),
    ...(apiKeyEnv !== undefined && { api_key_env: valid('api-key-env', VariableName, apiKeyEnv) }),
  }))

/** Writes a provider into the person's own config. Keys stay where they are: in the environment. */
export async function addToProviders({ io, json, options, positionals }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  refuseKeys([...positionals, ...Object.values(options)])
  const [given = ''] = positionals
  const name = valid('name', ProviderName, given)
  const provider = parseOptions(AddOptions, options)
  if (PROVIDER_KINDS[provider.kind].needsBaseUrl && provider.base_url === undefined) {
    throw wrong('base-url', `is needed for an ${provider.kind} provider, such as http://127.0.0.1:11434/v1`)
  }
  const file = join(config.home, OWN_FILE)
  await changeHomeFile(config.home, OWN_FILE, (text = '') => addProvider(text, name, provider, file))
  const added = providersOf({ providers: { [name]: provider }, sources: {} }, config).find(
    (one) => one.name === name,
  )
  if (json) {
    io.stdout.write(jsonLine({ name, ...provider, file }))
    return EXIT.done
  }
  tell(io.stdout, `Added to ${file}: ${name} (${provider.kind}; ${added ? providerState(added) : ''}).`)
  for (const step of await nextSteps(config, { name, ...added })) tell(io.stdout, step)
  return EXIT.done
}

/** What is still to be done before the provider answers. */
async function nextSteps(
  config: Config,
  { name, apiKey, apiKeyName }: Pick<ConfiguredProvider, 'name' | 'apiKey' | 'apiKeyName'>,
): Promise<readonly string[]> {
  const { chat } = await loadSettings(config, {})
  const isRunning = (await liveRun(config.home)) !== undefined
  return [
    ...(apiKeyName !== undefined && apiKey === undefined
      ? [`Put its key into the environment variable ${apiKeyName} before you use it.`]
      : []),
    ...(chat.default_model === DEFAULT_CHAT.default_model
      ? [
          `The offline model stays the default until you set default_model = "${name}/MODEL" under [chat] in the same file; \`parley providers models ${name}\` lists the models.`,
        ]
      : []),
    ...(isRunning ? ['The running server uses the change within seconds.'] : []),
    ...(isRunning && apiKeyName !== undefined
      ? [`If it was started without ${apiKeyName} in its environment, restart it.`]
      : []),
  ]
}

function refuseKeys(words: readonly unknown[]): void {
  const kind = words.flatMap((word) => (typeof word === 'string' ? (findSecret(word) ?? []) : []))[0]
  if (kind === undefined) return
  throw new PlatformError('validation', {
    message: `The command line holds what looks like ${kind}. Nothing was changed.`,
    mend: 'Others can see command lines, and the shell keeps them: remove it from its history. Put the key into an environment variable, and name that with --api-key-env.',
  })
}

function valid<T extends z.ZodType>(option: string, schema: T, given: string): z.infer<T> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw wrong(option, `must be ${parsed.error.issues[0]?.message ?? 'another'}`)
}

const wrong = (option: string, message: string) =>
  new PlatformError('validation', {
    message: option === 'name' ? `The provider's name ${message}.` : `The option --${option} ${message}.`,
    option,
  })
