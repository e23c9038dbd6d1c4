import type { ConversationConfig } from '../agents/conversation-config.ts'
import type { ToolConfig } from '../agents/tool-document.ts'
import type { Property } from '../agents/tool-parameters.ts'
import { isObject, isList } from '../tools-of-agent/input-schema.ts'
import { namesIn, valueOf, type Variables } from '../tools-of-agent/variables.ts'

/** What the vendor says where a text asks for variables that have no value; undefined where all have one. */
export function missingVariables(
  config: ConversationConfig,
  tools: readonly ToolConfig[],
  variables: Variables,
): string | undefined {
  const { first_message: firstMessage, prompt } = config.agent
  const asked: readonly (readonly [string, readonly string[]])[] = [
    ['first message', namesIn(firstMessage)],
    ['prompt', namesIn(prompt.prompt)],
    ['tools', tools.flatMap(namesOfTool)],
  ]
  // What a tool's answer will set has no value yet, and may be asked for all the same.
  const later = new Set(tools.flatMap(({ assignments }) => assignments.map((each) => each.dynamic_variable)))
  for (const [place, names] of asked) {
    const missing = [...new Set(names)].filter(
      (name) => valueOf(name, variables) === undefined && !later.has(name),
    )
    if (missing.length > 0)
      return `Missing required dynamic variables in ${place}: {${missing.map((name) => `'${name}'`).join(', ')}}`
  }
  return undefined
}

/** The variables that a tool asks for and has no placeholder of its own for. */
function namesOfTool(tool: ToolConfig): readonly string[] {
  const own = 'dynamic_variables' in tool ? placeholdersOf(tool.dynamic_variables) : {}
  return [...namesIn(tool.description), ...namesOfParameters(tool)].filter(
    (name) => !Object.hasOwn(own, name),
  )
}

function placeholdersOf(variables: unknown): object {
  const { dynamic_variable_placeholders: placeholders } = variables as {
    dynamic_variable_placeholders?: object
  }
  return placeholders ?? {}
}

function namesOfParameters(tool: ToolConfig): readonly string[] {
  if (tool.type === 'client') return tool.parameters ? namesOfProperty(tool.parameters) : []
  if (tool.type !== 'webhook') return []
  const { url, request_headers, path_params_schema, query_params_schema, request_body_schema } =
    tool.api_schema
  const properties = [
    ...Object.values(path_params_schema),
    ...Object.values(query_params_schema?.properties ?? {}),
    ...(request_body_schema ? [request_body_schema] : []),
  ]
  const headers = Object.values(request_headers).flatMap((value) => {
    if (typeof value === 'string') return namesIn(value)
    return 'variable_name' in value && typeof value.variable_name === 'string' ? [value.variable_name] : []
  })
  return [...namesIn(url), ...headers, ...properties.flatMap(namesOfProperty)]
}

function namesOfProperty(property: Property): readonly string[] {
  const { dynamic_variable: variable, constant_value: constant } = property
  return [
    ...(variable ? [variable] : []),
    ...(typeof constant === 'string' ? namesIn(constant) : []),
    ...(isObject(property) ? Object.values(property.properties).flatMap(namesOfProperty) : []),
    ...(isList(property) ? namesOfProperty(property.items) : []),
  ]
}
