import { PlatformError } from '@parley/contracts'
import type { Environment } from '../environment.ts'
import { CHECKS, type DoctorCheck, type CheckFinding, reportProblem } from '../doctor/checks.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { toJsonLine } from '../render/output.ts'
import { type Display, readDisplay } from '../render/display.ts'
import { formatCount, sanitise, wrapWords } from '../render/text.ts'
import type { CommandCall } from './command.ts'

interface CheckResult extends CheckFinding {
  readonly name: string
}

export async function runDoctor({ io, json, environment }: CommandCall): Promise<ExitCode> {
  const checks: CheckResult[] = []
  for (const check of CHECKS) checks.push({ name: check.name, ...(await runCheck(check, environment)) })
  const problems = checks.filter(({ state }) => state === 'problem').length
  if (json) io.stdout.write(toJsonLine({ checks, problems }))
  else io.stdout.write(render(checks, problems, readDisplay(io.stdout, environment)))
  return problems === 0 ? EXIT.done : EXIT.failed
}

async function runCheck({ run }: DoctorCheck, environment: Environment): Promise<CheckFinding> {
  try {
    return await run(environment)
  } catch (failure) {
    const message = failure instanceof Error ? failure.message : String(failure)
    const fix = failure instanceof PlatformError ? failure.detail['fix'] : undefined
    return typeof fix === 'string' ? reportProblem(message, fix) : { state: 'problem', found: message }
  }
}

const INDENT = ' '.repeat(24)

function render(checks: readonly CheckResult[], problems: number, { style, columns }: Display): string {
  const lines = checks.map(({ name, state, found, fix }) => {
    const text = fix === undefined ? found : `${found}\n${fix}`
    const body = wrapWords(sanitise(text), columns - INDENT.length).replaceAll('\n', `\n${INDENT}`)
    const label = state.padEnd(7)
    return `${state === 'ok' ? label : style.warn(label)}  ${name.padEnd(13)}  ${body}`
  })
  const summary = problems === 0 ? 'No problems found.' : `${formatCount(problems, 'problem')} found.`
  return `${lines.join('\n')}\n\n${summary}\n`
}
