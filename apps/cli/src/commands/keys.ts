import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { PlatformError, VariableName, nearest } from '@parley/contracts'
import type { History, HistoryOptions, KeyReport } from '@parley/history'
import { openLocalHistory } from '../compose.ts'
import { type Config, readConfig } from '../config.ts'
import { OWN_FILE } from '../config/load-settings.ts'
import { EXIT, EXIT_OF_ERROR, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { readInput } from '../message/read-message.ts'
import { readHidden } from '../prompt/confirm.ts'
import { jsonLine, localTime, tell } from '../render/output.ts'
import { type ScreenLook, screenOf } from '../render/screen-look.ts'
import { neutralise, wrapWords } from '../render/text.ts'
import { type CommandCall, parseOptions } from './command.ts'

/** Prints where the history key is and whether it works, never its value. */
export async function keys({ io, json }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const { describeKey } = await import('@parley/history')
  const report = await describeKey(keyOptions(config, io))
  if (json) io.stdout.write(jsonLine(toJson(report)))
  else io.stdout.write(render(report, screenOf(io.stdout, config)))
  const { failure } = report
  return failure ? EXIT_OF_ERROR[failure.code] : EXIT.done
}

const toJson = ({ failure, keyFile, ...known }: KeyReport) => ({
  ...known,
  ...(known.key?.place === 'key file' && { keyFile }),
  ...(failure && { error: { code: failure.code, message: failure.message } }),
})

type Row = readonly [label: string, text: string]

function render(report: KeyReport, look: ScreenLook): string {
  const { history, state, key, since, failure } = report
  if (state === 'no history yet')
    return renderRows([['History', `${history}, not created yet`], ...plannedKeyRows(report)], look)
  return renderRows(
    [
      ['History', history],
      ['Key', key ? placeOf(key) : 'not found'],
      ['Key works', failure ? `no. ${failure.message}` : 'yes'],
      ...(since ? ([['Since', `${localTime(since.at)}, when ${EVENTS[since.event]}`]] as const) : []),
      ...(failure ? [] : keyAdviceRows(key)),
    ],
    look,
  )
}

const EVENTS = { made: 'the history was created', rotated: 'the key was last rotated' } as const

function plannedKeyRows({ key, keyFile }: KeyReport): readonly Row[] {
  const will = key
    ? `will be ${placeOf(key)}`
    : `created with the first session (parley chat), in the system keychain or else in the key file ${keyFile}`
  return [['Key', will]]
}

function keyAdviceRows(key: KeyReport['key']): readonly Row[] {
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

const placeOf = ({ place, where, kind }: NonNullable<KeyReport['key']>): string => {
  if (place !== 'environment') return `in ${where}${place === 'key file' ? ', which only you can read' : ''}`
  return kind === 'passphrase' ? `the passphrase in ${where}` : `the 64 digits in ${where}`
}

const LABEL = 11

function renderRows(rows: readonly Row[], { style, columns }: ScreenLook): string {
  const lines = rows.map(([label, text]) => {
    const body = wrapWords(neutralise(text), columns - LABEL).replaceAll('\n', `\n${' '.repeat(LABEL)}`)
    return `${style.dim(label.padEnd(LABEL))}${body}\n`
  })
  return lines.join('')
}

/** Saves a secret. Its value is never an argument: other users can read those. */
export async function setSecret(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const name = parseSecretName(positionals)
  const value = io.stdin.isTTY
    ? await readHidden(io, `Value of ${name} (hidden): `)
    : await readInput(io.stdin)
  if (value === undefined) return EXIT.cancelled
  refuseWeakSecret(value)
  await withSecrets(call, (secrets) => secrets.set(name, value))
  if (json) io.stdout.write(jsonLine({ name, set: true }))
  else
    tell(
      io.stdout,
      `${name} is saved in the encrypted history. Write {{secrets.${name}}} under [http_headers], or in the headers or env of an MCP server or the headers of [web_search], in ${join(readConfig(io.environment).home, OWN_FILE)}.`,
    )
  return EXIT.done
}

const SHORTEST = 8
const LONGEST = 10_000

/** A secret is masked everywhere, so it must not be an ordinary word. */
function refuseWeakSecret(value: string): void {
  const message =
    value.length < SHORTEST
      ? `A secret must have at least ${SHORTEST} characters: shorter ones occur in other text by chance.`
      : value.length > LONGEST
        ? `A secret must have at most ${LONGEST} characters.`
        : /[\p{Cc}]/u.test(value)
          ? 'A secret must be one line, without control characters.'
          : undefined
  if (message !== undefined)
    throw new PlatformError('validation', { message: `${message} Nothing was changed.` })
}

/** Lists the names of the secrets, never their values. */
export async function listSecrets(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const all = await withSecrets(call, (secrets) => secrets.list())
  const items = all.filter(({ isRetired }) => !isRetired).map(({ name, setAt }) => ({ name, setAt }))
  if (json) io.stdout.write(jsonLine({ items }))
  else if (items.length === 0) tell(io.stdout, 'No secrets are saved. To save one: parley keys set NAME')
  else for (const { name, setAt } of items) tell(io.stdout, `${name}  set ${localTime(setAt)}`)
  return EXIT.done
}

/** Deletes a secret; its value stays masked. */
export async function removeSecret(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const name = parseSecretName(positionals)
  await withSecrets(call, (secrets) => {
    if (!secrets.remove(name)) throw unknown(name, secrets.list())
  })
  if (json) io.stdout.write(jsonLine({ name, removed: true }))
  else
    tell(
      io.stdout,
      `${name} is deleted. Its value stays in the encrypted history only so that it can be masked.`,
    )
  return EXIT.done
}

function unknown(name: string, all: readonly { name: string; isRetired: boolean }[]): PlatformError {
  const names = all.filter(({ isRetired }) => !isRetired).map((one) => one.name)
  const meant = nearest(name, names)
  return new PlatformError('not_found', {
    message: `There is no secret ${name}${meant === undefined ? '.' : `; did you mean ${meant}?`}`,
    mend: '`parley keys list` lists the names.',
    name,
  })
}

/** Runs `work` on the secrets of the history. */
async function withSecrets<T>(
  { io }: Pick<CommandCall, 'io'>,
  work: (secrets: History['secrets']) => T,
): Promise<T> {
  const history = await openLocalHistory(readConfig(io.environment), (notice) =>
    tell(io.stderr, `parley: ${notice}`),
  )
  try {
    return work(history.secrets)
  } finally {
    history.close()
  }
}

/** Parses the name of a secret. */
function parseSecretName([given = '']: CommandCall['positionals']): string {
  const parsed = VariableName.safeParse(given)
  if (parsed.success) return parsed.data
  throw new PlatformError('validation', {
    message:
      'The name of a secret may have letters, digits and underscores, and must not start with a digit.',
    mend: 'Example: parley keys set TIDES_API_KEY. The value is read from standard input.',
  })
}

/** Re-encrypts the history with a new or given key. */
export async function rotateKeys({ io, json }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const { newHistoryKey: newKey } = config
  const { rotateKey } = await import('@parley/history')
  const rotated = await rotateKey({ ...keyOptions(config, io), ...(newKey !== undefined && { newKey }) })
  if (json) io.stdout.write(jsonLine(rotated))
  else tell(io.stdout, rotated.keyPlace === 'environment' ? GIVEN : madeIn(rotated.where))
  return EXIT.done
}

const COPIES = 'Older copies of the history still need the old key.'

const GIVEN = `The history is encrypted with the new key; the old one no longer works. Now set PARLEY_HISTORY_KEY to the value of PARLEY_HISTORY_KEY_NEW, and unset PARLEY_HISTORY_KEY_NEW.
${COPIES}`

const madeIn = (where: string) =>
  `The history is encrypted with a new key, stored in ${where}. The old one no longer works.
Back up the new one: parley keys back-up FILE. ${COPIES}`

const BackUpOptions = z.object({ force: z.boolean().default(false) })

/** Writes the key to a private file, or prints it. */
export async function backUpKeys({ io, json, options, positionals }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const { force } = parseOptions(BackUpOptions, options)
  const { readKeyToBackUp, writeBackUp } = await import('@parley/history')
  const { history, key, text } = await readKeyToBackUp(keyOptions(config, io))
  const [name = '-'] = positionals
  if (name === '-') {
    io.stdout.write(json ? jsonLine({ history, key }) : text)
    return EXIT.done
  }
  const file = resolve(name)
  await writeBackUp(file, text, { overwrite: force })
  if (json) io.stdout.write(jsonLine({ history, file }))
  else
    tell(
      io.stdout,
      `The key of the history ${history} is in ${file}, which only you can read. Do not keep that file on this machine: anyone who has both can read the history. \`parley keys restore\` restores it.`,
    )
  return EXIT.done
}

/** Restores a key from a backup. */
export async function restoreKeys({ io, json, positionals }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const file = resolve(positionals[0] ?? '')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error)
  })
  const { restoreKey } = await import('@parley/history')
  const restored = await restoreKey({ ...keyOptions(config, io), text, file })
  if (json) io.stdout.write(jsonLine(restored))
  else tell(io.stdout, `The key opens the history ${restored.history}, and is now in ${restored.where}.`)
  if (config.historyKey !== undefined) {
    tell(
      io.stderr,
      'parley: PARLEY_HISTORY_KEY is set and takes precedence: unset it to use the restored key.',
    )
  }
  return EXIT.done
}

const unreadable = (file: string, cause: NodeJS.ErrnoException) =>
  new PlatformError(
    'validation',
    {
      message:
        cause.code === 'ENOENT'
          ? `There is no file ${file}.`
          : `The file ${file} cannot be read (${cause.code}).`,
      mend: 'Name the file that `parley keys back-up` wrote.',
    },
    { cause },
  )

/** Options for opening the history; notices go to standard error. */
const keyOptions = ({ home, historyKey }: Config, io: Io): HistoryOptions => ({
  home,
  onNotice: (notice) => tell(io.stderr, `parley: ${notice}`),
  ...(historyKey !== undefined && { key: historyKey }),
})
