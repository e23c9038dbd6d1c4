import type { KeyReport } from '@parley/history'
import { readConfig } from '../config.ts'
import { EXIT, EXIT_OF_ERROR, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { neutralise } from '../render/neutralise.ts'
import { type ScreenLook, screenOf } from '../render/screen-of.ts'
import { wrapWords } from '../render/wrap-words.ts'
import type { CommandCall } from './command.ts'
import { keyOptions } from './keys-options.ts'

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
