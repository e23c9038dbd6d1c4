import { join } from 'node:path'
import { z } from 'zod'
import {
  BaseUrl,
  PlatformError,
  PROVIDER_KINDS,
  ProviderKind,
  ProviderName,
  VariableName,
  findSecret,
} from '@parley/contracts'
import type { ListedModel, Providers } from '@parley/llm'
import type { Environment } from '../environment.ts'
import { DEFAULT_CHAT } from '../config/chat-settings.ts'
import {
  type ConfiguredProvider,
  isUsable,
  describeKeyState,
  listProviders,
} from '../config/configured-providers.ts'
import { addProvider, changeHomeFile, removeProvider } from '../config/edit-config-file.ts'
import { OWN_FILE, loadSettings } from '../config/load-settings.ts'
import { EXIT, EXIT_OF_ERROR, type ExitCode } from '../exit-code.ts'
import { renderColumns } from '../render/columns.ts'
import { formatCount, sanitise } from '../render/text.ts'
import { toJsonLine, notify, printMessage } from '../render/output.ts'
import { readDisplay } from '../render/display.ts'
import { findRunningServer } from '../up/run-file.ts'
import { type CommandCall, parseOptions, printJson, printResult } from './command.ts'

export async function printProviders({ io, json, environment }: CommandCall): Promise<ExitCode> {
  const settings = await loadSettings(environment, { workingDir: process.cwd() })
  const providers = listProviders(settings, environment)
  if (json) {
    const items = providers.map(({ apiKey, ...known }) => ({ ...known, hasKey: apiKey !== undefined }))
    return printJson(io, { items })
  }
  const rows = providers.map((provider) => [
    provider.name,
    provider.kind,
    provider.baseUrl ?? (provider.kind === 'offline' ? 'this machine' : 'default address'),
    describeKeyState(provider),
    provider.source,
  ])
  const head = ['NAME', 'KIND', 'ADDRESS', 'KEY', 'FROM']
  const { style, columns, isTerminal } = readDisplay(io.stdout, environment)
  const room = { columns, yielding: [head.indexOf('FROM'), head.indexOf('ADDRESS')] }
  io.stdout.write(renderColumns(head, rows, style, isTerminal ? room : undefined))
  for (const notice of settings.notices) notify(io, notice)
  return EXIT.done
}

const AddOptions = z
  .object({
    kind: z.enum(ProviderKind.options, `must be one of ${ProviderKind.options.join(', ')}`),
    baseUrl: z.string().optional(),
    apiKeyEnv: z.string().optional(),
  })
  .transform(({ kind, baseUrl, apiKeyEnv }) => ({
    kind,
    ...(baseUrl !== undefined && { base_url: parseOption('base-url', BaseUrl, baseUrl) }),
    ...(apiKeyEnv !== undefined && { api_key_env: parseOption('api-key-env', VariableName, apiKeyEnv) }),
  }))

/** Adds a provider to the user's config. Keys stay in the environment. */
export async function addToProviders({
  io,
  json,
  options,
  positionals,
  environment,
}: CommandCall): Promise<ExitCode> {
  refuseKeys([...positionals, ...Object.values(options)])
  const [given = ''] = positionals
  const name = parseOption('name', ProviderName, given)
  const provider = parseOptions(AddOptions, options)
  if (PROVIDER_KINDS[provider.kind].needsBaseUrl && provider.base_url === undefined) {
    throw createInvalidOptionError(
      'base-url',
      `is needed for the kind ${provider.kind}, such as http://127.0.0.1:11434/v1`,
    )
  }
  const file = join(environment.home, OWN_FILE)
  await changeHomeFile(environment.home, OWN_FILE, (text = '') => addProvider(text, name, provider, file))
  const added = listProviders({ providers: { [name]: provider }, sources: {} }, environment).find(
    (one) => one.name === name,
  )
  if (json) return printJson(io, { name, ...provider, file })
  printMessage(
    io.stdout,
    `Added to ${file}: ${name} (${provider.kind}; ${added ? describeKeyState(added) : ''}).`,
  )
  for (const step of await listNextSteps(environment, { name, ...added })) printMessage(io.stdout, step)
  return EXIT.done
}

async function listNextSteps(
  environment: Environment,
  { name, apiKey, apiKeyName }: Pick<ConfiguredProvider, 'name' | 'apiKey' | 'apiKeyName'>,
): Promise<readonly string[]> {
  const { chat } = await loadSettings(environment, {})
  const isRunning = (await findRunningServer(environment.home)) !== undefined
  return [
    ...(apiKeyName !== undefined && apiKey === undefined
      ? [`Put its key into the environment variable ${apiKeyName} first.`]
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
    message: `The command line contains what looks like ${kind}. Nothing was changed.`,
    fix: 'Other users can see command lines, and it is now in your shell history: remove it there. Put the key in an environment variable and pass its name with --api-key-env.',
  })
}

function parseOption<T extends z.ZodType>(option: string, schema: T, given: string): z.infer<T> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw createInvalidOptionError(option, `must be ${parsed.error.issues[0]?.message ?? 'another'}`)
}

const createInvalidOptionError = (option: string, message: string) =>
  new PlatformError('validation', {
    message: option === 'name' ? `The provider's name ${message}.` : `The option --${option} ${message}.`,
    option,
  })

export async function removeFromProviders(call: CommandCall): Promise<ExitCode> {
  const { io, positionals, environment } = call
  const [name = ''] = positionals
  const file = join(environment.home, OWN_FILE)
  await changeHomeFile(environment.home, OWN_FILE, (text = '') => removeProvider(text, name, file))
  const code = printResult(call, { name, removed: true, file }, `Removed from ${file}: ${name}.`)
  const { chat, sources } = await loadSettings(environment, { workingDir: process.cwd() })
  if (chat.default_model.startsWith(`${name}/`)) {
    const source = sources['chat.default_model']
    notify(io, `chat.default_model in ${source} still names it: ${chat.default_model}.`)
  }
  return code
}

const TIMEOUT_MS = 30_000

/** Tests providers by listing their models; prints result and time. */
export async function testProviders(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { names, providers } = await selectProviders(call)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const results = await Promise.all(
    names.map(async (name) => ({ name, ...(await providers.test(name, signal)) })),
  )
  if (json) io.stdout.write(toJsonLine({ items: results }))
  else for (const result of results) printMessage(io.stdout, describeTest(result))
  const failed = results.flatMap((result) => (result.kind === 'failed' ? [result.error.code] : []))[0]
  return failed === undefined ? EXIT.done : EXIT_OF_ERROR[failed]
}

type TestResult = { readonly name: string } & Awaited<
  ReturnType<Awaited<ReturnType<typeof selectProviders>>['providers']['test']>
>

function describeTest(result: TestResult): string {
  const { name, latencyMs } = result
  if (result.kind === 'failed') return `${name}: failed after ${latencyMs} ms. ${result.error.message}`
  return `${name}: works; ${formatCount(result.modelCount, 'model')}, in ${latencyMs} ms`
}

/** The provider that a command names, else all usable ones. An unknown name fails on use. */
export async function selectProviders({ positionals, environment }: CommandCall) {
  const settings = await loadSettings(environment, { workingDir: process.cwd() })
  const known = listProviders(settings, environment)
  const { createProviders } = await import('@parley/llm')
  const names = positionals.length > 0 ? positionals : known.filter(isUsable).map(({ name }) => name)
  return { names, providers: createProviders(known) }
}

/** Lists models as `provider/model`. One failing provider does not hide the others. */
export async function listProviderModels(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { names, providers } = await selectProviders(call)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const listed = await Promise.all(names.map((name) => tryListModels(name, providers, signal)))
  const failures = listed.flatMap(({ name, failure }) => (failure ? [{ name, failure }] : []))
  const [first] = failures
  if (first && names.length === 1) throw first.failure

  const items = listed.flatMap(({ name, models }) => models.map((model) => ({ provider: name, ...model })))
  if (json) io.stdout.write(toJsonLine({ items }))
  else for (const { provider, id } of items) io.stdout.write(`${sanitise(`${provider}/${id}`)}\n`)
  for (const { name, failure } of failures) notify(io, `${name}: ${failure.message}`)
  return first ? EXIT_OF_ERROR[first.failure.code] : EXIT.done
}

interface ModelList {
  readonly name: string
  readonly models: readonly ListedModel[]
  readonly failure?: PlatformError
}

async function tryListModels(name: string, providers: Providers, signal: AbortSignal): Promise<ModelList> {
  try {
    return { name, models: await providers.listModels(name, signal) }
  } catch (failure) {
    if (failure instanceof PlatformError) return { name, models: [], failure }
    throw failure
  }
}
