import {
  type Agent,
  agentSchemaFlaws,
  jsonFlaws,
  nearest,
  PlatformError,
  type SessionMessage,
} from '@parley/contracts'
import type { Flaw } from '../files/parse-strict-yaml.ts'

const PLACEHOLDER = /\{\{\s*inputs\.([A-Za-z0-9_-]+)\s*\}\}/g

/** Refuses a message that does not fit the agent's `input_schema`, before it is stored or sent. */
export function checkInput({ id, input_schema: schema }: Agent, text: string): void {
  if (!schema) return
  const flaws = jsonFlaws(valueIn(text), schema)
  if (flaws.length === 0) return
  throw new PlatformError('validation', {
    message: `The message does not fit the input_schema of the agent "${id}": ${flawsInWords(flaws)}.`,
    mend: 'Send it as JSON that fits the schema.',
    issues: [...flaws],
  })
}

/** Says what is wrong with a value, place by place; the value as a whole is "it". */
export const flawsInWords = (flaws: ReturnType<typeof jsonFlaws>): string =>
  flaws
    .map(({ path, message }) => {
      if (path !== '') return `${path}: ${message}`
      return message.startsWith('unknown key') ? `it has an ${message}` : `it ${message}`
    })
    .join('; ')

/** Refuses an agent whose schemas or `{{inputs.…}}` cannot be used. */
export function checkAgentInput(agent: Agent): void {
  const [flaw] = agentInputFlaws(agent)
  if (!flaw) return
  const path = `agent.${flaw.path.join('.')}`
  throw new PlatformError('validation', { path, message: `${path} ${flaw.message}` })
}

/** The schemas that cannot be checked against, and the inputs that the prompt names and `input_schema` does not have. */
export const agentInputFlaws = (agent: Agent): readonly Flaw[] => [
  ...agentSchemaFlaws(agent),
  ...inputNameFlaws(agent),
]

function inputNameFlaws({ system_prompt: prompt, input_schema: schema }: Agent): readonly Flaw[] {
  const { properties } = schema ?? {}
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  return [...prompt.matchAll(PLACEHOLDER)].flatMap(([written, name = '']) => {
    if (known.includes(name)) return []
    const near = nearest(name, known)
    const fix =
      near === undefined
        ? 'add it to the properties of input_schema, or remove it from the prompt'
        : `did you mean {{inputs.${near}}}?`
    const lack = schema ? `input_schema has no property "${name}"` : 'the agent has no input_schema'
    return [{ path: ['system_prompt'], message: `asks for ${written}, but ${lack}; ${fix}` }]
  })
}

/** The system prompt with what the message says in place of each `{{inputs.name}}`. */
export function renderInputs(system: string, { content }: Pick<SessionMessage, 'content'>): string {
  if (!system.includes('{{')) return system
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const input = valueIn(text)
  const values: Readonly<Record<string, unknown>> =
    typeof input === 'object' && input !== null ? { ...input } : {}
  return system.replace(PLACEHOLDER, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

/** What a message says: the JSON that it holds, or its text as it is. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
