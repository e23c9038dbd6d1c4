import { readReflectionLine } from '@parley/contracts'

/** Who an agent speaks for, and what its policy lets it do. */
export interface Persona {
  readonly name: string
  /** Under whose name the facts are: who made the reflection, where the prompt names them, or the same. */
  readonly owner: string
  /** The actions that the policy names. */
  readonly actions: readonly string[]
}

/** Undefined where the prompt is not that of a reflection. */
export function personaOf(system: string): Persona | undefined {
  const [policy = '', body = ''] = policyAndBody(system.slice(0, READ_AT_MOST))
  const line = readReflectionLine(body)
  return line && { name: line.name, owner: line.maker || line.name, actions: actionsIn(policy) }
}

const READ_AT_MOST = 20_000
const POLICY = /^\s*\[policy ([0-9a-f]+)\]\n/

/** Only the text within the policy's own marks says what is allowed. */
function policyAndBody(system: string): readonly string[] {
  const opening = POLICY.exec(system)
  if (!opening) return ['', system]
  const closing = `[end of policy ${opening[1]}]`
  const end = system.indexOf(closing)
  return end < 0 ? ['', ''] : [system.slice(opening[0].length, end), system.slice(end + closing.length)]
}

const actionsIn = (policy: string): readonly string[] =>
  (/^Only call actions listed in ([\w, -]{1,300})\./.exec(policy)?.[1] ?? '').split(/[\s,]+/).filter(Boolean)
