import {
  type Agent,
  agentSchemaFlaws,
  jsonFlaws,
  nearest,
  PlatformError,
  type SessionMessage,
} from '@parley/contracts'

const PLACEHOLDER = /\{\{\s*inputs\.([A-Za-z0-9_-]+)\s*\}\}/g

/** Refuses a message that does not fit the agent's `input_schema`, before it is stored or sent. */
export function checkInput({ id, input_schema: schema }: Agent, text: string): void {
  if (!schema) return
  const flaws = jsonFlaws(valueIn(text), schema)
  if (flaws.length === 0) return
  const found = flaws.map(({ path, message }) => (path === '' ? `it ${message}` : `${path}: ${message}`))
  throw new PlatformError('validation', {
    message: `The message does not fit the input_schema of the agent "${id}": ${found.join('; ')}.`,
    mend: 'Send it as JSON that fits the schema; `parley agents show` shows the schema.',
    issues: [...flaws],
  })
}

/** Refuses an agent whose schemas nothing can be checked against. */
export function checkSchemas(agent: Agent): void {
  const [flaw] = agentSchemaFlaws(agent)
  if (!flaw) return
  const path = `agent.${flaw.path.join('.')}`
  throw new PlatformError('validation', { path, message: `${path} ${flaw.message}` })
}

/** Refuses a prompt that asks for an input which the schema does not have. */
export function checkInputNames({ system_prompt: prompt, input_schema: schema }: Agent): void {
  const { properties } = schema ?? {}
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  for (const [written, name = ''] of prompt.matchAll(PLACEHOLDER)) {
    if (known.includes(name)) continue
    const near = nearest(name, known)
    throw new PlatformError('validation', {
      message: `The system prompt asks for ${written}, and input_schema has no property "${name}".${near === undefined ? '' : ` Did you mean {{inputs.${near}}}?`}`,
      mend: 'Add it to the properties of input_schema, or remove it from the prompt.',
    })
  }
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
