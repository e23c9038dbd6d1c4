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

/** Says where the key of the history is and whether it opens it, never what it is. */
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
    return renderRows([['History', `${history}, not made yet`], ...toCome(report)], look)
  return renderRows(
    [
      ['History', history],
      ['Key', key ? placeOf(key) : 'not found'],
      ['Opens it', failure ? `no. ${failure.message}` : 'yes'],
      ...(since ? ([['Since', `${localTime(since.at)}, when ${EVENTS[since.event]}`]] as const) : []),
      ...(failure ? [] : toDo(key)),
    ],
    look,
  )
}

const EVENTS = { made: 'the history was made', rotated: 'the key was last rotated' } as const

function toCome({ key, keyFile }: KeyReport): readonly Row[] {
  const will = key
    ? `will be ${placeOf(key)}`
    : `made with the first session (parley chat), and put in the keychain or, where there is none, in the key file ${keyFile}`
  return [['Key', will]]
}

function toDo(key: KeyReport['key']): readonly Row[] {
  const backUp =
    key?.kind === 'passphrase'
      ? 'Keep the passphrase where you keep your passwords: Parley keeps it nowhere.'
      : 'parley keys back-up FILE. Without the key nobody can open the history, you included.'
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

const LABEL = 10

function renderRows(rows: readonly Row[], { style, columns }: ScreenLook): string {
  const lines = rows.map(([label, text]) => {
    const body = wrapWords(neutralise(text), columns - LABEL).replaceAll('\n', `\n${' '.repeat(LABEL)}`)
    return `${style.dim(label.padEnd(LABEL))}${body}\n`
  })
  return lines.join('')
}

/** Keeps a secret. Its value is never an argument, which others could read in the list of processes. */
export async function setSecret(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const name = secretName(positionals)
  const value = io.stdin.isTTY
    ? await readHidden(io, `Value of ${name} (it is not shown): `)
    : await readInput(io.stdin)
  if (value === undefined) return EXIT.cancelled
  refuseUnlikely(value)
  await withSecrets(call, (secrets) => secrets.set(name, value))
  if (json) io.stdout.write(jsonLine({ name, set: true }))
  else
    tell(
      io.stdout,
      `${name} is kept in the encrypted history. Write {{secrets.${name}}} under [http_headers], or in the headers or env of an MCP server or the headers of [web_search], in ${join(readConfig(io.environment).home, OWN_FILE)}.`,
    )
  return EXIT.done
}

const SHORTEST = 8
const LONGEST = 10_000

/** A value that is masked everywhere must not be a word. */
function refuseUnlikely(value: string): void {
  const message =
    value.length < SHORTEST
      ? `A secret has at least ${SHORTEST} characters: shorter ones stand in other text by chance.`
      : value.length > LONGEST
        ? `A secret has at most ${LONGEST} characters.`
        : /[\p{Cc}]/u.test(value)
          ? 'A secret is one line, without control characters.'
          : undefined
  if (message !== undefined)
    throw new PlatformError('validation', { message: `${message} Nothing was changed.` })
}

/** The names of the secrets that are kept, never their values. */
export async function listSecrets(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const all = await withSecrets(call, (secrets) => secrets.list())
  const items = all.filter(({ isRetired }) => !isRetired).map(({ name, setAt }) => ({ name, setAt }))
  if (json) io.stdout.write(jsonLine({ items }))
  else if (items.length === 0) tell(io.stdout, 'No secrets are kept. To keep one: parley keys set NAME')
  else for (const { name, setAt } of items) tell(io.stdout, `${name}  set ${localTime(setAt)}`)
  return EXIT.done
}

/** Nothing can use the secret any more; that its value is not to be shown stays known. */
export async function removeSecret(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const name = secretName(positionals)
  await withSecrets(call, (secrets) => {
    if (!secrets.remove(name)) throw unknown(name, secrets.list())
  })
  if (json) io.stdout.write(jsonLine({ name, removed: true }))
  else
    tell(
      io.stdout,
      `${name} is removed. Its value stays in the encrypted history, only to be masked wherever it would appear.`,
    )
  return EXIT.done
}

function unknown(name: string, all: readonly { name: string; isRetired: boolean }[]): PlatformError {
  const names = all.filter(({ isRetired }) => !isRetired).map((one) => one.name)
  const meant = nearest(name, names)
  return new PlatformError('not_found', {
    message: `There is no secret ${name}${meant === undefined ? '.' : `; did you mean ${meant}?`}`,
    mend: '`parley keys list` shows the names of all.',
    name,
  })
}

/** Works at the secrets, with the history that holds them open meanwhile. */
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

/** The name that a command is given first; throws where it cannot be one. */
function secretName([given = '']: CommandCall['positionals']): string {
  const parsed = VariableName.safeParse(given)
  if (parsed.success) return parsed.data
  throw new PlatformError('validation', {
    message: 'The name of a secret has letters, digits and underscores, and does not begin with a digit.',
    mend: 'As in: parley keys set TIDES_API_KEY. The value itself is read from standard input.',
  })
}

/** Makes a new key, or takes the one that is given, and encrypts the history with it. */
export async function rotateKeys({ io, json }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const { newHistoryKey: newKey } = config
  const { rotateKey } = await import('@parley/history')
  const rotated = await rotateKey({ ...keyOptions(config, io), ...(newKey !== undefined && { newKey }) })
  if (json) io.stdout.write(jsonLine(rotated))
  else tell(io.stdout, rotated.keyPlace === 'environment' ? GIVEN : madeIn(rotated.where))
  return EXIT.done
}

const COPIES = 'Copies of the history that were made before still need the old key.'

const GIVEN = `The history is encrypted with the new key, and the old one no longer opens it. From now on, set PARLEY_HISTORY_KEY to what PARLEY_HISTORY_KEY_NEW holds, and unset PARLEY_HISTORY_KEY_NEW.
${COPIES}`

const madeIn = (where: string) =>
  `The history is encrypted with a new key, which is in ${where}. The old one no longer opens it.
Back the new one up: parley keys back-up FILE. ${COPIES}`

const BackUpOptions = z.object({ force: z.boolean().default(false) })

/** Writes the key to a file for its owner alone, or to the screen where that is asked for. */
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
      `The key of the history ${history} is in ${file}, which only you can read. Keep that file away from this machine: whoever has both can read the history. \`parley keys restore\` puts it back.`,
    )
  return EXIT.done
}

/** Puts a key that was backed up in its place. */
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
      'parley: PARLEY_HISTORY_KEY is set and goes before it: unset it, so that the restored key is used.',
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

/** The history whose key is meant; what is noticed goes beside the answer. */
const keyOptions = ({ home, historyKey }: Config, io: Io): HistoryOptions => ({
  home,
  onNotice: (notice) => tell(io.stderr, `parley: ${notice}`),
  ...(historyKey !== undefined && { key: historyKey }),
})
