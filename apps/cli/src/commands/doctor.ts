import { PlatformError } from '@parley/contracts'
import { type Config, readConfig } from '../config.ts'
import { CHECKS, type Check, type Finding, problem } from '../doctor/checks.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/output.ts'
import { type ScreenLook, screenOf } from '../render/screen-look.ts'
import { neutralise, wrapWords } from '../render/text.ts'
import type { CommandCall } from './command.ts'

interface Checked extends Finding {
  readonly name: string
}

/** Checks what Parley needs, changes nothing, and says how to fix problems. */
export async function doctor({ io, json }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const checks: Checked[] = []
  for (const check of CHECKS) checks.push({ name: check.name, ...(await looked(check, config)) })
  const problems = checks.filter(({ state }) => state === 'problem').length
  if (json) io.stdout.write(jsonLine({ checks, problems }))
  else io.stdout.write(render(checks, problems, screenOf(io.stdout, config)))
  return problems === 0 ? EXIT.done : EXIT.failed
}

async function looked({ look }: Check, config: Config): Promise<Finding> {
  try {
    return await look(config)
  } catch (failure) {
    const what = failure instanceof Error ? failure.message : String(failure)
    const mend = failure instanceof PlatformError ? failure.detail['mend'] : undefined
    return typeof mend === 'string' ? problem(what, mend) : { state: 'problem', found: what }
  }
}

const INDENT = ' '.repeat(24)

function render(checks: readonly Checked[], problems: number, { style, columns }: ScreenLook): string {
  const lines = checks.map(({ name, state, found, mend }) => {
    const text = mend === undefined ? found : `${found}\n${mend}`
    const body = wrapWords(neutralise(text), columns - INDENT.length).replaceAll('\n', `\n${INDENT}`)
    const label = state.padEnd(7)
    return `${state === 'ok' ? label : style.warn(label)}  ${name.padEnd(13)}  ${body}`
  })
  const verdict = problems === 0 ? 'No problems found.' : `${problems} to fix.`
  return `${lines.join('\n')}\n\n${verdict}\n`
}
