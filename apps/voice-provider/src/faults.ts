import { z } from 'zod'

/** A deliberate fault, to test how clients handle it. */
export const FaultRule = z.strictObject({
  /** `METHOD /path` for REST calls, where `*` matches any text; or 'conversation' or 'webhook'. */
  match: z
    .string()
    .max(500)
    .refine(isValidMatch, "must be 'conversation', 'webhook' or METHOD /path, where * stands for any text"),
  latencyMs: z.int().min(0).max(600_000).optional(),
  status: z.int().min(400).max(599).optional(),
  /** Cuts a conversation's socket after this time, without a close frame. */
  dropSocketAfterMs: z.int().min(0).max(600_000).optional(),
  webhookDelayMs: z.int().min(0).max(86_400_000).optional(),
  webhookTwice: z.boolean().optional(),
  /** Number of uses. Default: unlimited. */
  times: z.int().min(1).optional(),
})
export type FaultRule = z.infer<typeof FaultRule>

export const FaultRules = z.strictObject({ rules: z.array(FaultRule).max(100) })

export interface Faults {
  /** Returns the first matching rule and counts one use. `what` is `METHOD /path`, 'conversation' or 'webhook'. */
  take(what: string): FaultRule | undefined
  /** With the remaining number of uses. */
  list(): readonly FaultRule[]
  set(rules: readonly FaultRule[]): void
}

export function createFaults(): Faults {
  let rules: readonly FaultRule[] = []
  return {
    take(what) {
      const taken = rules.find((rule) => matchesRule(rule, what))
      if (taken?.times !== undefined)
        rules = rules.flatMap((rule) => (rule === taken ? countUse(rule) : rule))
      return taken
    },
    list: () => rules,
    set(next) {
      rules = next
    },
  }
}

const KINDS = ['conversation', 'webhook']

function matchesRule({ match }: FaultRule, what: string): boolean {
  if (KINDS.includes(match) || KINDS.includes(what)) return match === what
  return matchesGlob(match, what)
}

const countUse = (rule: FaultRule): readonly FaultRule[] =>
  rule.times === undefined || rule.times <= 1 ? [] : [{ ...rule, times: rule.times - 1 }]

function isValidMatch(match: string): boolean {
  return KINDS.includes(match) || /^([A-Z]+|\*) [/*]\S*$/.test(match)
}

/** Matches from left to right without backtracking, so no rule is slow. */
function matchesGlob(glob: string, text: string): boolean {
  const [first = '', ...others] = glob.split('*')
  const last = others.pop()
  if (last === undefined) return text === glob
  if (!text.startsWith(first)) return false
  let end = first.length
  for (const part of others) {
    const found = text.indexOf(part, end)
    if (found === -1) return false
    end = found + part.length
  }
  return text.length - last.length >= end && text.endsWith(last)
}
