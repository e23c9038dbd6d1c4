import { nearest, PlatformError, type SessionContext } from '@parley/contracts'

const PLACEHOLDER = /\{\{\s*ctx\.([A-Za-z0-9_.-]+)\s*\}\}/g

/** The system prompt with what the session's context says in place of each `{{ctx.name}}`. */
export const renderSystemPrompt = (prompt: string, context: SessionContext): string =>
  prompt.includes('{{')
    ? prompt.replace(PLACEHOLDER, (_, name: string) => valueOf(name, context) ?? '')
    : prompt

/** Refuses a session whose prompt asks for what its context does not have. */
export function checkPlaceholders(prompt: string, context: SessionContext): void {
  for (const [written, name = ''] of prompt.matchAll(PLACEHOLDER)) {
    if (valueOf(name, context) !== undefined) continue
    const known = [...Object.keys(OF_CONTEXT), ...Object.keys(context.variables ?? {})]
    const near = nearest(name, known)
    const instead = near === undefined ? `There is: ${known.join(', ')}.` : `Did you mean {{ctx.${near}}}?`
    throw new PlatformError('validation', {
      message: `The system prompt asks for ${written}, and the session's context has no such variable. ${instead}`,
      mend: `Give it as a context variable, or take it out of the prompt.`,
      variable: name,
    })
  }
}

/** What every context has, whether set or not. */
const OF_CONTEXT: Readonly<Record<string, (context: SessionContext) => string>> = {
  workingDir: ({ workingDir }) => workingDir,
  activeFile: ({ activeFile }) => activeFile ?? '',
  selection: ({ selection }) =>
    selection ? `${selection.file}:${selection.startLine}-${selection.endLine}` : '',
  gitRef: ({ gitRef }) => gitRef ?? '',
  fsScopeTier: ({ fsScopeTier }) => fsScopeTier,
}

function valueOf(name: string, context: SessionContext): string | undefined {
  const { variables = {} } = context
  if (Object.hasOwn(variables, name)) return variables[name]
  return Object.hasOwn(OF_CONTEXT, name) ? OF_CONTEXT[name]?.(context) : undefined
}
