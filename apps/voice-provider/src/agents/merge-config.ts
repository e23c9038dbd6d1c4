/** Maps whose keys people choose: a new one replaces the old, or nothing could ever be taken out of it. */
const WHOLE: readonly string[] = [
  'dynamic_variable_placeholders',
  'language_presets',
  'data_collection',
  'request_headers',
  'path_params_schema',
  'query_params_schema',
  'request_body_schema',
  'parameters',
  'nodes',
  'edges',
]

/** A change laid over what is there: objects field by field, all else as a whole. */
export function mergeConfig(current: unknown, change: unknown): unknown {
  if (!isObject(current) || !isObject(change)) return change
  const merged: Record<string, unknown> = { ...current }
  for (const [name, value] of Object.entries(change)) {
    merged[name] = WHOLE.includes(name) ? value : mergeConfig(current[name], value)
  }
  return merged
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
