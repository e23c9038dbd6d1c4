import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { PlatformError, VariableName } from '@parley/contracts'
import type { HistoryOptions, KeyReport } from '@parley/history'
import { withLocalHistory } from '../compose.ts'
import { OWN_FILE } from '../config/load-settings.ts'
import { describeReadFailure } from '../io.ts'
import { EXIT, EXIT_OF_ERROR, type ExitCode } from '../exit-code.ts'
import { readHidden, readInput } from '../prompt/confirm.ts'
import { toJsonLine, formatLocalTime, notify, printMessage } from '../render/output.ts'
import { type Display, readDisplay } from '../render/display.ts'
import { sanitise, formatSuggestion, wrapWords } from '../render/text.ts'
import { type CommandCall, parseOptions, printResult } from './command.ts'

/** Prints where the history key is and whether it works, never its value. */
export async function showKey(call: CommandCall): Promise<ExitCode> {
  const { io, json, environment } = call
  const { describeKey } = await import('@parley/history')
  const report = await describeKey(toHistoryOptions(call))
  if (json) io.stdout.write(toJsonLine(toJson(report)))
  else io.stdout.write(render(report, readDisplay(io.stdout, environment)))
  const { failure } = report
  return failure ? EXIT_OF_ERROR[failure.code] : EXIT.done
}

const toJson = ({ failure, keyFile, ...known }: KeyReport) => ({
  ...known,
  ...(known.key?.place === 'key file' && { keyFile }),
  ...(failure && { error: { code: failure.code, message: failure.message } }),
})

type Row = readonly [label: string, text: string]

function render(report: KeyReport, display: Display): string {
  const { history, state, key, since, failure } = report
  if (state === 'no history yet')
    return renderRows([['History', `${history}, not created yet`], ...listPlannedKeyRows(report)], display)
  return renderRows(
    [
      ['History', history],
      ['Key', key ? describeKeyPlace(key) : 'not found'],
      ['Key works', failure ? `no. ${failure.message}` : 'yes'],
      ...(since ? ([['Since', `${formatLocalTime(since.at)}, when ${EVENTS[since.event]}`]] as const) : []),
      ...(failure ? [] : listKeyAdviceRows(key)),
    ],
    display,
  )
}

const EVENTS = { made: 'the history was created', rotated: 'the key was last rotated' } as const

function listPlannedKeyRows({ key, keyFile }: KeyReport): readonly Row[] {
  const text = key
    ? `will be ${describeKeyPlace(key)}`
    : `created with the first session (parley chat), in the system keychain or else in the key file ${keyFile}`
  return [['Key', text]]
}

function listKeyAdviceRows(key: KeyReport['key']): readonly Row[] {
  const backUp =
    key?.kind === 'passphrase'
      ? 'Keep the passphrase with your passwords: Parley does not store it.'
      : 'parley keys back-up FILE. Without the key nobody can open the history, including you.'
  const rotate =
    key?.place === 'environment'
      ? 'Set PARLEY_HISTORY_KEY_NEW to the new key or passphrase, then: parley keys rotate'
      : 'parley keys rotate'
  return [
    ['Back up', backUp],
    ['Rotate', rotate],
  ]
}

const describeKeyPlace = ({ place, where, kind }: NonNullable<KeyReport['key']>): string => {
  if (place !== 'environment') return `in ${where}${place === 'key file' ? ', which only you can read' : ''}`
  return kind === 'passphrase' ? `the passphrase in ${where}` : `the 64 digits in ${where}`
}

const LABEL = 11

function renderRows(rows: readonly Row[], { style, columns }: Display): string {
  const lines = rows.map(([label, text]) => {
    const body = wrapWords(sanitise(text), columns - LABEL).replaceAll('\n', `\n${' '.repeat(LABEL)}`)
    return `${style.dim(label.padEnd(LABEL))}${body}\n`
  })
  return lines.join('')
}

/** Saves a secret. Its value is never an argument: other users can read those. */
export async function setSecret(call: CommandCall): Promise<ExitCode> {
  const { io, positionals } = call
  const name = parseSecretName(positionals)
  const value = io.stdin.isTTY
    ? await readHidden(io, `Value of ${name} (hidden): `)
    : await readInput(io.stdin, 4 * MAX_SECRET_LENGTH, createTooLongError)
  if (value === undefined) return EXIT.cancelled
  refuseWeakSecret(value)
  await withLocalHistory(call, ({ secrets }) => secrets.set(name, value))
  return printResult(
    call,
    { name, set: true },
    `${name} is saved in the encrypted history. Write {{secrets.${name}}} under [http_headers], or in the headers or env of an MCP server or the headers of [web_search], in ${join(call.environment.home, OWN_FILE)}.`,
  )
}

const MIN_SECRET_LENGTH = 8
const MAX_SECRET_LENGTH = 10_000

/** A secret is masked everywhere, so it must not be an ordinary word. */
function refuseWeakSecret(value: string): void {
  if (value.length < MIN_SECRET_LENGTH)
    throw createSecretError(
      `A secret must have at least ${MIN_SECRET_LENGTH} characters: shorter ones occur in other text by chance.`,
    )
  if (value.length > MAX_SECRET_LENGTH) throw createTooLongError()
  if (/[\p{Cc}]/u.test(value))
    throw createSecretError('A secret must be one line, without control characters.')
}

const createTooLongError = () =>
  createSecretError(`A secret must have at most ${MAX_SECRET_LENGTH} characters.`)

const createSecretError = (message: string) =>
  new PlatformError('validation', { message: `${message} Nothing was changed.` })

export async function listSecrets(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const all = await withLocalHistory(call, ({ secrets }) => secrets.list())
  const items = all.filter(({ isRetired }) => !isRetired).map(({ name, setAt }) => ({ name, setAt }))
  if (json) io.stdout.write(toJsonLine({ items }))
  else if (items.length === 0)
    printMessage(io.stdout, 'No secrets are saved. To save one: parley keys set NAME')
  else for (const { name, setAt } of items) printMessage(io.stdout, `${name}  set ${formatLocalTime(setAt)}`)
  return EXIT.done
}

/** Deletes a secret; its value stays masked. */
export async function removeSecret(call: CommandCall): Promise<ExitCode> {
  const name = parseSecretName(call.positionals)
  await withLocalHistory(call, ({ secrets }) => {
    if (!secrets.remove(name)) throw createUnknownSecretError(name, secrets.list())
  })
  return printResult(
    call,
    { name, removed: true },
    `${name} is removed. Its value is kept in the encrypted history, only to mask it.`,
  )
}

function createUnknownSecretError(
  given: string,
  all: readonly { name: string; isRetired: boolean }[],
): PlatformError {
  const names = all.filter(({ isRetired }) => !isRetired).map(({ name }) => name)
  return new PlatformError('not_found', {
    message: `There is no secret ${given}${formatSuggestion(given, names)}`,
    fix: '`parley keys list` lists the names.',
    name: given,
  })
}

function parseSecretName([given = '']: CommandCall['positionals']): string {
  const parsed = VariableName.safeParse(given)
  if (parsed.success) return parsed.data
  throw new PlatformError('validation', {
    message:
      'The name of a secret may have letters, digits and underscores, and must not start with a digit.',
    fix: 'Example: parley keys set TIDES_API_KEY. The value is read from standard input.',
  })
}

export async function rotateHistoryKey(call: CommandCall): Promise<ExitCode> {
  const { newHistoryKey: newKey } = call.environment
  const { rotateKey } = await import('@parley/history')
  const rotated = await rotateKey({
    ...toHistoryOptions(call),
    ...(newKey !== undefined && { newKey }),
  })
  return printResult(
    call,
    rotated,
    rotated.keyPlace === 'environment' ? ROTATED_BY_VARIABLE : describeNewKey(rotated.where),
  )
}

const COPIES = 'Older copies of the history still need the old key.'

const ROTATED_BY_VARIABLE = `The history is encrypted with the new key; the old one no longer works. Now set PARLEY_HISTORY_KEY to the value of PARLEY_HISTORY_KEY_NEW, and unset PARLEY_HISTORY_KEY_NEW.
${COPIES}`

const describeNewKey = (where: string) =>
  `The history is encrypted with a new key, stored in ${where}. The old one no longer works.
Back up the new one: parley keys back-up FILE. ${COPIES}`

const BackUpOptions = z.object({ force: z.boolean().default(false) })

export async function backUpKey(call: CommandCall): Promise<ExitCode> {
  const { io, json, options, positionals } = call
  const { force } = parseOptions(BackUpOptions, options)
  const { readKeyToBackUp, writeBackUp } = await import('@parley/history')
  const { history, key, text } = await readKeyToBackUp(toHistoryOptions(call))
  const [name = '-'] = positionals
  if (name === '-') {
    io.stdout.write(json ? toJsonLine({ history, key }) : text)
    return EXIT.done
  }
  const file = resolve(name)
  await writeBackUp(file, text, { overwrite: force })
  return printResult(
    call,
    { history, file },
    `The key of the history ${history} is in ${file}, which only you can read. Do not keep that file on this machine: anyone who has both can read the history. \`parley keys restore\` restores it.`,
  )
}

export async function restoreKeyFromBackup(call: CommandCall): Promise<ExitCode> {
  const { io, positionals, environment } = call
  const file = resolve(positionals[0] ?? '')
  const backup = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw createUnreadableBackupError(file, error)
  })
  const { restoreKey } = await import('@parley/history')
  const restored = await restoreKey({ ...toHistoryOptions(call), text: backup, file })
  const text = `The key opens the history ${restored.history}, and is now in ${restored.where}.`
  const code = printResult(call, restored, text)
  if (environment.historyKey !== undefined)
    notify(io, 'PARLEY_HISTORY_KEY is set and takes precedence: unset it to use the restored key.')
  return code
}

const createUnreadableBackupError = (file: string, cause: NodeJS.ErrnoException) =>
  new PlatformError(
    'validation',
    {
      message: describeReadFailure(file, cause),
      fix: 'Name the file that `parley keys back-up` wrote.',
    },
    { cause },
  )

const toHistoryOptions = ({ io, environment: { home, historyKey } }: CommandCall): HistoryOptions => ({
  home,
  onNotice: (notice) => notify(io, notice),
  ...(historyKey !== undefined && { key: historyKey }),
})
