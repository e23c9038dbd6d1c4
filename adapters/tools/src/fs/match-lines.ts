import { Script, createContext } from 'node:vm'
import { getSystemErrorCode } from './paths.ts'

export type LineMatches =
  /** `at` is the match's offset in the line. */
  | { readonly kind: 'matched'; readonly matches: readonly { readonly line: number; readonly at: number }[] }
  | { readonly kind: 'too-long' }

/** The matching lines, up to a maximum. No pattern blocks the process for long. */
export async function matchLines(
  lines: readonly string[],
  pattern: RegExp,
  most: number,
  signal: AbortSignal,
): Promise<LineMatches> {
  const matches: { line: number; at: number }[] = []
  for (const [from, to] of iterateBatches(lines)) {
    signal.throwIfAborted()
    const batch = runWithTimeLimit(() => searchLines(lines, from, to, pattern))
    if (batch === 'too-long') return { kind: 'too-long' }
    matches.push(...batch)
    if (matches.length >= most) break
    if (to < lines.length) await new Promise((resolve) => setImmediate(resolve))
  }
  return { kind: 'matched', matches: matches.slice(0, most) }
}

/** Compiles the pattern, or returns its error. */
export function compilePattern(pattern: string, isRegex: boolean, ignoreCase: boolean): RegExp | string {
  try {
    const source = isRegex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    return new RegExp(source, ignoreCase ? 'iu' : 'u')
  } catch (failure) {
    // Many patterns are only valid without the u flag.
    return (
      compileLoosely(pattern, ignoreCase) ?? (failure instanceof Error ? failure.message : String(failure))
    )
  }
}

function compileLoosely(pattern: string, ignoreCase: boolean): RegExp | undefined {
  try {
    return new RegExp(pattern, ignoreCase ? 'i' : '')
  } catch {
    return undefined
  }
}

const BATCH = 262_144

function* iterateBatches(lines: readonly string[]): Generator<readonly [number, number]> {
  let from = 0
  let length = 0
  for (const [at, line] of lines.entries()) {
    length += line.length
    if (length < BATCH) continue
    yield [from, at + 1]
    from = at + 1
    length = 0
  }
  if (from < lines.length) yield [from, lines.length]
}

function searchLines(
  lines: readonly string[],
  from: number,
  to: number,
  pattern: RegExp,
): { line: number; at: number }[] {
  const matches: { line: number; at: number }[] = []
  for (let line = from; line < to; line += 1) {
    const at = (lines[line] ?? '').search(pattern)
    if (at !== -1) matches.push({ line, at })
  }
  return matches
}

const sandbox: { work?: () => void } = {}
const context = createContext(sandbox)
const script = new Script('work()')

const ATTEMPTS = 2

/**
 * Runs work that untrusted patterns may make endless, and stops it after a while. Works even inside a regular
 * expression, which nothing else in this thread can interrupt.
 */
export function runWithTimeLimit<Result>(work: () => Result, milliseconds = 200): Result | 'too-long' {
  // On a busy machine the time may pass without progress, so the work gets a second try.
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const result = runAttempt(work, milliseconds)
    if (result !== 'too-long') return result
  }
  return 'too-long'
}

function runAttempt<Result>(work: () => Result, milliseconds: number): Result | 'too-long' {
  let result: Result | 'too-long' = 'too-long'
  sandbox.work = () => {
    result = work()
  }
  try {
    script.runInContext(context, { timeout: milliseconds })
  } catch (failure) {
    if (getSystemErrorCode(failure) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too-long'
    throw failure
  }
  return result
}
