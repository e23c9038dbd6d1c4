import {
  type Agent,
  type JsonProblem,
  PlatformError,
  type SessionContext,
  type SessionMessage,
  findAgentSchemaProblems,
  findJsonProblems,
  findNearest,
} from '@parley/contracts'
import type { ValueProblem } from '../files/parse-strict-yaml.ts'

const INPUT_REFERENCE = /\{\{\s*inputs\.([A-Za-z0-9_-]+)\s*\}\}/g

/** Refuses a message that does not fit the agent's `input_schema`, before it is stored or sent. */
export function checkInput({ id, input_schema: schema }: Agent, text: string): void {
  if (!schema) return
  const problems = findJsonProblems(parseInput(text), schema)
  if (problems.length === 0) return
  throw new PlatformError('validation', {
    message: `The message does not fit the input_schema of the agent "${id}": ${formatProblems(problems)}.`,
    fix: 'Send it as JSON that fits the schema.',
    issues: problems.map(({ path, message }) => ({ path, message })),
  })
}

/** Lists the problems of a value, path by path; the root value is called "it". */
export const formatProblems = (problems: readonly JsonProblem[]): string =>
  problems
    .map(({ code, path, message }) => {
      if (path !== '') return `${path}: ${message}`
      return code === 'unrecognized_keys' ? `it has an ${message}` : `it ${message}`
    })
    .join('; ')

/** Refuses an agent with invalid schemas or unknown `{{inputs.…}}`. */
export function checkAgentInput(agent: Agent): void {
  const [problem] = findAgentInputProblems(agent)
  if (!problem) return
  const path = `agent.${problem.path.join('.')}`
  throw new PlatformError('validation', { path, message: `${path} ${problem.message}` })
}

/** Lists invalid schemas, and inputs that the prompt names but `input_schema` lacks. */
export const findAgentInputProblems = (agent: Agent): readonly ValueProblem[] => [
  ...findAgentSchemaProblems(agent),
  ...findInputNameProblems(agent),
]

function findInputNameProblems({
  system_prompt: prompt,
  input_schema: schema,
}: Agent): readonly ValueProblem[] {
  const { properties } = schema ?? {}
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  return [...prompt.matchAll(INPUT_REFERENCE)].flatMap(([written, name = '']) => {
    if (known.includes(name)) return []
    const near = findNearest(name, known)
    const fix =
      near === undefined
        ? 'add it to the properties of input_schema, or remove it from the prompt'
        : `did you mean {{inputs.${near}}}?`
    const reason = schema ? `input_schema has no property "${name}"` : 'the agent has no input_schema'
    return [{ path: ['system_prompt'], message: `asks for ${written}, but ${reason}; ${fix}` }]
  })
}

/** Fills each `{{inputs.name}}` of the system prompt from the message. */
export function renderInputs(system: string, { content }: Pick<SessionMessage, 'content'>): string {
  if (!system.includes('{{')) return system
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const input = parseInput(text)
  const values: Readonly<Record<string, unknown>> =
    typeof input === 'object' && input !== null ? { ...input } : {}
  return system.replace(INPUT_REFERENCE, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

/** The message as JSON if it parses, otherwise its text. */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const CONTEXT_REFERENCE = /\{\{\s*ctx\.([A-Za-z0-9_.-]+)\s*\}\}/g

/** Fills each `{{ctx.name}}` of the system prompt from the session's context. */
export const renderSystemPrompt = (prompt: string, context: SessionContext): string =>
  prompt.includes('{{')
    ? prompt.replace(CONTEXT_REFERENCE, (_, name: string) => readContextValue(name, context) ?? '')
    : prompt

/** Refuses a session whose prompt names a variable that its context lacks. */
export function checkContextReferences(prompt: string, context: SessionContext): void {
  for (const [written, name = ''] of prompt.matchAll(CONTEXT_REFERENCE)) {
    if (readContextValue(name, context) !== undefined) continue
    const known = [...Object.keys(CONTEXT_VALUES), ...Object.keys(context.variables ?? {})]
    const near = findNearest(name, known)
    const suggestion = near === undefined ? `There is: ${known.join(', ')}.` : `Did you mean {{ctx.${near}}}?`
    throw new PlatformError('validation', {
      message: `The system prompt asks for ${written}, and the session's context has no such variable. ${suggestion}`,
      fix: 'Add it to the context variables, or remove it from the prompt.',
      variable: name,
    })
  }
}

/** Variables that every context has, set or not. */
const CONTEXT_VALUES: Readonly<Record<string, (context: SessionContext) => string>> = {
  workingDir: ({ workingDir }) => workingDir,
  activeFile: ({ activeFile }) => activeFile ?? '',
  selection: ({ selection }) =>
    selection ? `${selection.file}:${selection.startLine}-${selection.endLine}` : '',
  gitRef: ({ gitRef }) => gitRef ?? '',
  fsScopeTier: ({ fsScopeTier }) => fsScopeTier,
}

function readContextValue(name: string, context: SessionContext): string | undefined {
  const { variables = {} } = context
  if (Object.hasOwn(variables, name)) return variables[name]
  return Object.hasOwn(CONTEXT_VALUES, name) ? CONTEXT_VALUES[name]?.(context) : undefined
}
